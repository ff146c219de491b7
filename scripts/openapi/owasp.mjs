// OWASP's rules for interfaces, as they fit a service that is only read, with keys. What differs from the published rules is here with
// its reason; `accepted.tsv` has what is accepted of warnings.
import owasp from "@stoplight/spectral-owasp-ruleset";

const rule = (name, change) => ({ [`owasp:${name}`]: { ...owasp.rules[`owasp:${name}`], ...change } });
const off = (name) => ({ [`owasp:${name}`]: "off" });

// Sizes are limited in what a caller sends, which is parameters: no operation takes a body. Answers are the service's own; pages are
// limited by `limit`, and their texts and lists have no length that could be promised for good.
const sent = (type) => ({ given: `$.paths[*][*].parameters..[?(@ && @.type == "${type}")]` });

export default {
    extends: [[owasp, "all"]],
    aliases: owasp.aliases,
    rules: {
        ...rule("api4:2023-array-limit", sent("array")),
        ...rule("api4:2023-string-limit", sent("string")),
        ...rule("api4:2023-string-restricted", sent("string")),
        ...rule("api4:2023-integer-limit", sent("integer")),
        // A request without a key that is known has no quota to tell of (401), nor has one whose head is too long to be looked at (414,
        // 431).
        ...rule("api4:2023-rate-limit", { given: "$.paths[*]..responses[?(@property.match(/^(2|4(?!01|14|31))/))]" }),
        // The document is the same for every installation, and names it by a relative address. Who may reach one, and what it is for, only
        // its operator knows.
        ...off("api9:2023-inventory-access"),
        ...off("api9:2023-inventory-environment"),
    },
};
