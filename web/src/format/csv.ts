// Tables as files, made in the browser of what is on show. RFC 4180: a header, lines ended by CRLF, quotes where needed.

export type Cell = string | number | null;

function cell(value: Cell): string {
  if (value === null) return "";
  // A spreadsheet would run a text that begins like a formula; numbers are unchanged.
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csv(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [header, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

/** Hands the reader a file. */
export function download(name: string, content: string | Blob, type = "text/csv;charset=utf-8"): void {
  const url = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type }) : content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken the file by the next turn; keeping the address would keep the bytes.
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
