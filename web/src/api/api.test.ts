import { describe, expect, test, vi } from "vitest";
import { Access } from "./access";
import { address, Client } from "./client";
import { Problem } from "./problem";
import { StreamParser } from "./stream";

const json = (body: unknown, init: ResponseInit = {}) => new Response(JSON.stringify(body), { status: 200, ...init });

describe("the client", () => {
  test("asks again with the validator and keeps the body on 304", async () => {
    const fetcher = vi
      .fn<typeof fetch>()
      .mockResolvedValueOnce(json({ a: 1 }, { headers: { etag: '"x"', "gsi-data-status": "degraded", "gsi-simulated": "true", "cache-control": "private, max-age=7", date: "Sat, 14 Nov 2026 23:46:00 GMT" } }))
      .mockResolvedValueOnce(new Response(null, { status: 304, headers: { "gsi-data-status": "stale" } }));
    const client = new Client(Access.byKey("k"), fetcher);
    const first = await client.get("/v1/x");
    expect(first).toMatchObject({ body: { a: 1 }, dataStatus: "degraded", simulated: true, maxAge: 7, serverNow: Date.parse("2026-11-14T23:46:00Z") });
    const second = await client.get("/v1/x");
    expect(second).toMatchObject({ body: { a: 1 }, dataStatus: "stale", simulated: true });
    expect((fetcher.mock.calls[1]?.[1]?.headers as Record<string, string>)["if-none-match"]).toBe('"x"');
  });

  test("the key travels in the header only", async () => {
    const fetcher = vi.fn<typeof fetch>().mockResolvedValue(json({}));
    await new Client(Access.byKey("secret"), fetcher).get("/v1/x?a=b");
    expect(fetcher.mock.calls[0]?.[0]).toBe("/v1/x?a=b");
    expect(fetcher.mock.calls[0]?.[1]?.headers).toMatchObject({ authorization: "Bearer secret" });
  });

  test("a key is exchanged for a session, and is gone then", async () => {
    const fetcher = vi.fn<typeof fetch>().mockImplementation(async () => json({ expires_at: "2026-11-14T12:00:00Z" }));
    const access = Access.byKey("secret");
    expect(await access.open(fetcher)).toBe(Date.parse("2026-11-14T12:00:00Z"));
    expect(fetcher.mock.calls.map(([path]) => path)).toEqual(["/session", "/v1/keys/self"]);
    expect(fetcher.mock.calls[1]?.[1]?.headers).toBeUndefined();
    expect([access.isSession, access.proof]).toEqual([true, { headers: {}, credentials: "same-origin" }]);
  });

  test("a browser that keeps no cookie continues with the key", async () => {
    const refusing = [() => json({}, { status: 404 }), (path: string) => (path === "/session" ? json({ expires_at: "2026-11-14T12:00:00Z" }) : json({}, { status: 401 }))];
    for (const answer of refusing) {
      const access = Access.byKey("secret");
      expect(await access.open(async (path) => answer(String(path)))).toBeNull();
      expect(access.proof).toEqual({ headers: { authorization: "Bearer secret" }, credentials: "omit" });
    }
  });

  test("what was asked before a publication is not shared after it", async () => {
    let asked = 0;
    const answers: ((r: Response) => void)[] = [];
    const client = new Client(Access.byKey("k"), () => new Promise((done) => (asked++, answers.push(done))));
    const old = client.get<number>("/x");
    client.renew();
    const fresh = client.get<number>("/x");
    expect(asked).toBe(2);
    answers[0]!(new Response("1"));
    expect((await old).body).toBe(1);
    expect(client.get("/x")).toBe(fresh);
    answers[1]!(new Response("2"));
    expect((await fresh).body).toBe(2);
  });

  test("a table is all pages under one header, and a used-up quota is waited for", async () => {
    const fetcher = vi
      .fn<typeof fetch>()
      .mockResolvedValueOnce(new Response("a,b\r\n1,2\r\n", { headers: { link: '</v1/x?tag=y&cursor=c1>; rel="next"' } }))
      .mockResolvedValueOnce(json({ code: "rate_limited" }, { status: 429, headers: { "retry-after": "0" } }))
      .mockResolvedValueOnce(new Response("a,b\r\n3,4\r\n"));
    expect(await new Client(Access.byKey("k"), fetcher).table("/v1/x?tag=y")).toBe("a,b\r\n1,2\r\n3,4\r\n");
    expect(fetcher.mock.calls.map((c) => c[0])).toEqual(["/v1/x?tag=y&limit=200&format=csv", "/v1/x?tag=y&cursor=c1", "/v1/x?tag=y&cursor=c1"]);
  });

  test("a table with a page missing is no table", async () => {
    const fetcher = vi
      .fn<typeof fetch>()
      .mockResolvedValueOnce(new Response("a\r\n1\r\n", { headers: { link: '</v1/x?cursor=c1>; rel="next"' } }))
      .mockResolvedValueOnce(json({ code: "internal" }, { status: 500 }));
    await expect(new Client(Access.byKey("k"), fetcher).table("/v1/x")).rejects.toBeInstanceOf(Problem);
  });

  test("two askers share one request", async () => {
    const fetcher = vi.fn<typeof fetch>().mockImplementation(async () => json({}));
    const client = new Client(Access.byKey("k"), fetcher);
    await Promise.all([client.get("/a"), client.get("/a"), client.get("/b")]);
    expect(fetcher).toHaveBeenCalledTimes(2);
  });

  test("forgets the oldest validators", async () => {
    const fetcher = vi.fn<typeof fetch>().mockImplementation(async () => json({}, { headers: { etag: '"x"' } }));
    const client = new Client(Access.byKey("k"), fetcher);
    for (let i = 0; i < 40; i++) await client.get(`/${i}`);
    await client.get("/0");
    await client.get("/39");
    const sent = (call: number) => "if-none-match" in (fetcher.mock.calls[call]?.[1]?.headers as object);
    expect([sent(40), sent(41)]).toEqual([false, true]);
  });

  test.each([
    [401, { code: "expired_credentials" }, "credentials"],
    [403, { code: "insufficient_scope" }, "scope"],
    [429, { code: "rate_limited" }, "rate"],
    [503, { code: "no_snapshot" }, "no_snapshot"],
    [404, { code: "no_snapshot" }, "no_snapshot"],
    [503, { code: "overloaded" }, "busy"],
    [502, "not a problem", "offline"],
    [500, null, "internal"],
    [400, { code: "invalid_parameter" }, "request"],
  ])("status %d %o is %s", async (status, body, trouble) => {
    const client = new Client(Access.byKey("k"), async () => json(body, { status, headers: { "retry-after": "12" } }));
    const problem = await client.get("/x").then(() => null, (e: unknown) => e);
    expect(problem).toBeInstanceOf(Problem);
    expect(problem).toMatchObject({ trouble, status, retryAfter: 12 });
  });

  test("no answer, and an answer that is no JSON, are both offline", async () => {
    const failing: (typeof fetch)[] = [
      async () => Promise.reject(new TypeError("network")),
      async () => new Response("<html>captive portal</html>"),
    ];
    for (const fetcher of failing) await expect(new Client(Access.byKey("k"), fetcher).get("/x")).rejects.toMatchObject({ trouble: "offline" });
  });

  test("addresses leave empty values out and repeat lists", () =>
    expect(address("/v1/conflict", { limit: 5, category: ["a", "b"], actor: "", as_of: null, since: undefined, x: "a&b" })).toBe("/v1/conflict?limit=5&category=a&category=b&x=a%26b"));
});

describe("server-sent events", () => {
  const all = (...chunks: string[]) => {
    const parser = new StreamParser();
    return chunks.flatMap((c) => parser.push(c));
  };
  test.each([
    [["event: snapshot\nid: 7\ndata: {}\n\n"], [{ event: "snapshot", id: "7", data: "{}" }]],
    [["eve", "nt: a\r", "\ndata: 1\r\n\r\n"], [{ event: "a", id: null, data: "1" }]],
    [["data: 1\ndata: 2\n\n"], [{ event: "message", id: null, data: "1\n2" }]],
    [[": beat\n\n", "data\n\n"], [{ event: "message", id: null, data: "" }]],
    [["event: x\n\n"], []],
    [["id: 1\ndata: a\n\ndata: b\n\n"], [{ event: "message", id: "1", data: "a" }, { event: "message", id: "1", data: "b" }]],
    [["data: unfinished"], []],
  ])("%j", (chunks, want) => expect(all(...chunks)).toEqual(want));
  test("a line without end is refused", () => expect(() => all("x".repeat(2_000_000))).toThrow());
  test("retry is remembered", () => {
    const parser = new StreamParser();
    parser.push("retry: 2500\n\n");
    expect(parser.retry).toBe(2500);
  });
});
