// The API reference: Swagger UI on the service's own contract, loaded after the page so that a slow link shows something.

import "./style/docs.css";
import { keySlot, themeSlot } from "./state/storage";

const target = document.getElementById("docs");

// Swagger UI has a sheet for the dark of its own, which it shows under this class.
const dark = matchMedia("(prefers-color-scheme: dark)");
const chosen = themeSlot.read();
function shade(): void {
  document.documentElement.classList.toggle("dark-mode", chosen === "dark" || (chosen !== "light" && dark.matches));
}
dark.addEventListener("change", shade);
shade();

async function start(): Promise<void> {
  const [{ default: SwaggerUI }] = await Promise.all([import("swagger-ui-dist/swagger-ui-es-bundle.js"), import("swagger-ui-dist/swagger-ui.css")]);
  const contract: unknown = await (await fetch("/openapi.json", { credentials: "omit" })).json();
  const ui = SwaggerUI({
    domNode: target,
    spec: contract,
    deepLinking: false,
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    tryItOutEnabled: true,
    validatorUrl: null,
    syntaxHighlight: { activated: false },
    // A key already given to the dashboard in this tab is used here too.
    onComplete: () => {
      const key = keySlot.read();
      const schemes = (contract as { components?: { securitySchemes?: Record<string, unknown> } }).components?.securitySchemes ?? {};
      const scheme = Object.keys(schemes)[0];
      if (key && scheme) ui.preauthorizeApiKey(scheme, key);
    },
  });
}

start().catch(() => {
  if (target) target.textContent = "The reference could not be loaded. The contract itself is /openapi.json.";
});
