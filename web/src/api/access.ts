// What proves who asks: a key, until the browser holds a session in its place.

/** Where the service exchanges a key for a cookie. */
const SESSION = "/session";

export class Access {
  /** Null once the browser holds a session: its cookie goes along by itself, and no script can read it. */
  #key: string | null;

  private constructor(key: string | null) {
    this.#key = key;
  }

  static byKey(key: string): Access {
    return new Access(key);
  }

  static bySession(): Access {
    return new Access(null);
  }

  get isSession(): boolean {
    return this.#key === null;
  }

  /** What a request has to carry. */
  get proof(): { headers: Record<string, string>; credentials: RequestCredentials } {
    if (this.#key === null) return { headers: {}, credentials: "same-origin" };
    return { headers: { authorization: `Bearer ${this.#key}` }, credentials: "omit" };
  }

  /**
   * Exchanges the key for a session, or renews one. Says when it ends, in milliseconds; null where there is none to be had: an
   * older service, cookies switched off, or a page in another site's frame. The page then continues to use the key.
   */
  async open(fetcher: typeof fetch = (input, init) => fetch(input, init)): Promise<number | null> {
    try {
      const { headers } = this.proof;
      const answer = await fetcher(SESSION, { method: "POST", headers, credentials: "same-origin", cache: "no-store" });
      if (!answer.ok) return null;
      const { expires_at } = (await answer.json()) as { expires_at?: string };
      const end = Date.parse(expires_at ?? "");
      // Whether the browser kept the cookie shows when it is asked to use it.
      const own = await fetcher("/v1/keys/self", { credentials: "same-origin", cache: "no-store" });
      if (Number.isNaN(end) || !own.ok) return null;
      this.#key = null;
      return end;
    } catch {
      return null;
    }
  }
}

/** Gives the session back. */
export async function closeSession(): Promise<void> {
  await fetch(SESSION, { method: "DELETE", credentials: "same-origin", keepalive: true }).catch(() => undefined);
}
