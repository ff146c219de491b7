// The little Markdown that the project's own documents use, as pieces a component can draw: headings, paragraphs, lists,
// tables and pictures. No HTML is made of it, so that nothing in a document can become a tag.

export type Inline = { kind: "text" | "bold" | "code"; text: string };
export type Block =
  | { kind: "heading"; level: number; text: string }
  | { kind: "paragraph"; text: Inline[] }
  | { kind: "list"; items: Inline[][] }
  | { kind: "table"; head: Inline[][]; rows: Inline[][][] }
  | { kind: "picture"; about: string; file: string };

/** Links lead to other files of the folder, which the page does not have, so only their words stay. */
export function inline(text: string): Inline[] {
  const pieces = text.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1").split(/(\*\*[^*]+\*\*|`[^`]+`)/).filter((piece) => piece !== "");
  return pieces.map((piece) => {
    if (piece.startsWith("**")) return { kind: "bold", text: piece.slice(2, -2) };
    return piece.startsWith("`") ? { kind: "code", text: piece.slice(1, -1) } : { kind: "text", text: piece };
  });
}

/** The words alone. */
export const plain = (text: Inline[]): string => text.map((piece) => piece.text).join("");

const cells = (line: string): Inline[][] => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => inline(cell.trim()));

/** Blocks are parted by empty lines; lines of one block belong together. */
export function blocks(markdown: string): Block[] {
  return markdown.trim().split(/\n\s*\n/).flatMap((part) => part.split(/\n(?=#)|(?<=^#[^\n]*)\n/)).map(block);
}

function block(part: string): Block {
  const lines = part.split("\n");
  const heading = /^(#+) (.*)$/.exec(lines[0] ?? "");
  if (heading) return { kind: "heading", level: heading[1]!.length, text: heading[2]! };
  const picture = /^!\[([^\]]*)\]\(([^)]*)\)$/.exec(part);
  if (picture) return { kind: "picture", about: picture[1]!, file: picture[2]! };
  if (lines[0]!.startsWith("|")) return { kind: "table", head: cells(lines[0]!), rows: lines.slice(2).map(cells) };
  if (lines[0]!.startsWith("- ")) return { kind: "list", items: part.slice(2).split(/\n- /).map((item) => inline(item.replace(/\n\s*/g, " "))) };
  return { kind: "paragraph", text: inline(lines.join(" ")) };
}
