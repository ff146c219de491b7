import { describe, expect, test } from "vitest";
import { blocks, inline } from "./markdown";
import { readValidation, validation } from "./validation";

describe("the document that the service's own backtest writes", () => {
  test("has a figure, its interval and its target for the whole and each pillar", () => {
    expect(validation.separations.map((s) => s.subject).sort()).toEqual(["composite", "conflict", "cyber", "macro", "supply_chain"]);
    expect(validation.separations[0]!.subject).toBe("composite");
    for (const s of validation.separations) {
      expect(s.low).toBeGreaterThan(0);
      expect(s.low).toBeLessThanOrEqual(s.area);
      expect(s.area).toBeLessThanOrEqual(s.high);
      expect(s.high).toBeLessThanOrEqual(1);
      expect(s.wanted).toBeGreaterThan(0.5);
    }
    expect(validation.period).toMatch(/^\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d$/);
  });
  test("says what it is about, what fails and why", () => {
    expect(validation.about.length).toBeGreaterThan(0);
    expect(validation.failures).toBeGreaterThan(0);
    expect(validation.fails.filter((b) => b.kind === "list").length).toBe(2);
  });
  test("keeps its other sections, each once", () => {
    const names = validation.rest.flatMap((b) => (b.kind === "heading" ? [b.text] : []));
    expect(names.length).toBeGreaterThan(5);
    expect(names).not.toContain("What fails");
  });
  test("an empty one has nothing to say and breaks nothing", () => expect(readValidation("").separations).toEqual([]));
});

describe("Markdown", () => {
  test.each([
    ["a **b** `c`", [{ kind: "text", text: "a " }, { kind: "bold", text: "b" }, { kind: "text", text: " " }, { kind: "code", text: "c" }]],
    ["see [the list](list.md).", [{ kind: "text", text: "see the list." }]],
    ["<img src=x onerror=alert(1)>", [{ kind: "text", text: "<img src=x onerror=alert(1)>" }]],
  ])("%s", (text, want) => expect(inline(text)).toEqual(want));
  test("blocks are distinguished", () =>
    expect(blocks("# A\nunder it\n\n- one\n  more\n- two\n\n| a | b |\n|---|---|\n| 1 | |\n\n![what](x.svg)").map((b) => b.kind)).toEqual(["heading", "paragraph", "list", "table", "picture"]));
  test("a list's items may go over lines, and a table's cells may be empty", () => {
    const [list, table] = blocks("- one\n  more\n- two\n\n| a | b |\n|---|---|\n| 1 | |");
    expect(list).toEqual({ kind: "list", items: [[{ kind: "text", text: "one more" }], [{ kind: "text", text: "two" }]] });
    expect(table).toMatchObject({ rows: [[[{ kind: "text", text: "1" }], []]] });
  });
});
