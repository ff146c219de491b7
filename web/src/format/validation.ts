// What was tested and what fails, read from docs/validation.md, which `gsi-lab backtest` writes: the page holds no figure of its
// own. Where the document's form changes, the test of this file fails, not the page.

import source from "../../../docs/validation.md?raw";
import { blocks, plain, type Block } from "./markdown";

/** How well the crisis days of a subject stand out from calm ones, as the area under the ROC curve. */
export interface Separation {
  subject: string;
  area: number;
  low: number;
  high: number;
  wanted: number;
}

export interface Validation {
  /** What was tested, on which days, by which rules. */
  about: Block[];
  /** From when to when. */
  period: string;
  separations: Separation[];
  /** Every figure that misses what was wanted, and why. */
  fails: Block[];
  failures: number;
  /** All other sections, in the document's order. */
  rest: Block[];
}

const FAILS = "What fails";
const STANDS_OUT = "How well crisis days stand out";
const WANTED = "Distance to what is wanted";

export function readValidation(markdown: string): Validation {
  const sections: { name: string; blocks: Block[] }[] = [{ name: "", blocks: [] }];
  for (const b of blocks(markdown)) {
    if (b.kind === "heading" && b.level === 2) sections.push({ name: b.text, blocks: [] });
    else if (b.kind !== "picture" && !(b.kind === "heading" && b.level === 1)) sections.at(-1)!.blocks.push(b);
  }
  const section = (name: string) => sections.find((s) => s.name === name)?.blocks ?? [];
  const table = (name: string) => section(name).find((b) => b.kind === "table") ?? { head: [], rows: [] };
  const wanted = new Map(table(WANTED).rows.map((row) => [plain(row[0]!), Number(plain(row[3]!))]));
  const found = table(STANDS_OUT);
  const separations = found.rows.map((row) => {
    const [area = NaN, low = NaN, high = NaN] = (plain(row[1]!).match(/[\d.]+/g) ?? []).map(Number);
    const subject = plain(row[0]!);
    return { subject, area, low, high, wanted: wanted.get(subject) ?? NaN };
  });
  const fails = section(FAILS);
  return {
    about: section(""),
    period: found.head[1] ? plain(found.head[1]) : "",
    // The whole first, then its parts.
    separations: separations.sort((a, b) => Number(b.subject === "composite") - Number(a.subject === "composite")),
    fails,
    failures: fails.find((b) => b.kind === "list")?.items.length ?? 0,
    rest: sections.slice(1).filter((s) => s.name !== FAILS).flatMap((s): Block[] => [{ kind: "heading", level: 2, text: s.name }, ...s.blocks]),
  };
}

export const validation = readValidation(source);
