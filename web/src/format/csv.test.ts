import { expect, test } from "vitest";
import { csv } from "./csv";

test("quotes what needs it, and ends lines as spreadsheets expect", () =>
  expect(csv(["at", "name"], [["2026-11-14T00:00:00Z", 'a "b", c'], [1.5, null]])).toBe('at,name\r\n2026-11-14T00:00:00Z,"a ""b"", c"\r\n1.5,\r\n'));
test.each(["=HYPERLINK(1)", "+1", "-1", "@x"])("a text that a spreadsheet would run is made harmless: %s", (text) => expect(csv(["a"], [[text]])).toBe(`a\r\n'${text}\r\n`));
test("a negative number stays a number", () => expect(csv(["a"], [[-1.2]])).toBe("a\r\n-1.2\r\n"));
