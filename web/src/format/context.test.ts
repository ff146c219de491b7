import { describe, expect, test } from "vitest";
import type { DayPlace, ScoreContext } from "../api/types";
import { contextAbout, contextLine } from "./context";

const place = (change: Partial<DayPlace>): DayPlace => ({
  from: "2000-01-01",
  to: "2024-12-31",
  days: 9132,
  share_lower: 0.6412,
  days_this_high: 0,
  last_this_high: { from: "2024-10-10", to: "2024-10-21", days: 12, highest: 47.3 },
  ...change,
});
const context = (change: Partial<ScoreContext>): ScoreContext => ({ published: null, reconstruction: null, reconstruction_method: null, level: null, forecast: null, ...change });

describe("the score among the days before it", () => {
  test.each([
    [null, null],
    [context({}), null],
    [context({ published: place({ days: 29 }) }), null],
    [context({ reconstruction: place({}) }), "Higher than on 64 % of 9\u202f132 reconstructed days; last as high: 10 Oct to 21 Oct 2024 (12 days)"],
    [context({ reconstruction: place({ last_this_high: { from: "2020-03-16", to: "2020-03-16", days: 1, highest: 70 } }) }), "Higher than on 64 % of 9\u202f132 reconstructed days; last as high: 16 Mar 2020"],
    [context({ reconstruction: place({ share_lower: 1, last_this_high: null }) }), "Higher than on 100 % of 9\u202f132 reconstructed days; none was as high"],
    [context({ reconstruction: place({ share_lower: 0.9999 }) }), "Higher than on 99 % of 9\u202f132 reconstructed days; last as high: 10 Oct to 21 Oct 2024 (12 days)"],
    [context({ published: place({ days: 45, days_this_high: 3 }) }), "Higher than on 64 % of 45 published days; this high for 4 days in a row"],
  ])("%#", (given, want) => expect(contextLine(given)).toBe(want));

  test("says what it compares with, and that it does not look ahead", () => {
    expect(contextAbout(context({ reconstruction: place({}), reconstruction_method: "3.0.0" }))).toMatch(/method 3\.0\.0 would have published.*2000-01-01 to 2024-12-31.*not what comes next/s);
    expect(contextAbout(context({ published: place({}) }))).toMatch(/this service published/);
    const level = { band: "high" as const, from: 50, to: 57, days: 1200, crisis_under_way: 0.6, crisis_begins_within_14_days: 0.1, crisis_under_way_range: { low: 0.41, high: 0.6 } };
    const text = contextAbout(context({ reconstruction: place({}), level, forecast: "The score does not forecast: figures." }));
    expect(text).toContain("Of 1\u202f200 days in the high band, 41 to 60 % had a listed crisis under way");
    expect(text).toContain("does not forecast: figures.");
  });
});
