// Who reads: a key is asked for, or taken from the fragment (which browsers never send), and exchanged for a session whose
// cookie no script can read. Where a browser keeps no cookie the key is kept for this tab only.

import { Access, closeSession } from "../api/access";
import { Client } from "../api/client";
import { keySlot, lastSeenSlot, sessionEndSlot } from "./storage";

/** Longer waits overflow a browser's timer. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

function fromFragment(): string | null {
  const match = /^#key=(.+)$/.exec(location.hash);
  if (!match) return null;
  // Out of the address bar at once, before anything can copy or save it.
  history.replaceState(history.state, "", location.pathname + location.search);
  try {
    return decodeURIComponent(match[1] ?? "");
  } catch {
    return match[1] ?? null;
  }
}

/** What can go into a header. Spaces and quotes are what copying adds. */
export function cleanKey(text: string): string {
  return text.trim().replace(/^["']|["']$/g, "").replace(/^Bearer\s+/i, "");
}

interface Refusal {
  code: string;
  title: string;
  detail: string;
}

const ENDED: Refusal = { code: "session_ended", title: "The session has ended", detail: "Give the key again." };

class Session {
  access = $state.raw<Access | null>(null);
  client = $derived(this.access === null ? null : new Client(this.access));
  /** Why a key is asked for again. */
  refused = $state.raw<Refusal | null>(null);
  #renewal: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    const given = fromFragment();
    if (given) this.use(given);
    else this.#resume();
    window.addEventListener("hashchange", () => {
      const pasted = fromFragment();
      if (pasted) this.use(pasted);
    });
  }

  use(text: string): void {
    const key = cleanKey(text);
    if (!/^[\x21-\x7e]+$/.test(key)) {
      this.refused = { code: "invalid_credentials", title: "The key is not valid", detail: "A key has no spaces and only plain letters, digits and signs." };
      return;
    }
    keySlot.write(key);
    this.refused = null;
    const access = Access.byKey(key);
    this.access = access;
    void this.#open(access);
  }

  forget(refused: Refusal | null = null): void {
    const wasSession = this.access?.isSession ?? false;
    if (wasSession) void closeSession();
    clearTimeout(this.#renewal);
    keySlot.write(null);
    sessionEndSlot.write(null);
    lastSeenSlot.write(null);
    this.refused = refused !== null && wasSession ? ENDED : refused;
    this.access = null;
  }

  /** After a reload, or in another tab of this browser. */
  #resume(): void {
    const key = keySlot.read();
    if (key !== null) return this.use(key);
    const end = Number(sessionEndSlot.read());
    if (end <= Date.now()) return;
    this.access = Access.bySession();
    this.#renewBefore(end, this.access);
  }

  async #open(access: Access): Promise<void> {
    const end = await access.open();
    // Meanwhile somebody may have signed out, or in with another key.
    if (this.access !== access) return;
    if (end === null) {
      const known = Number(sessionEndSlot.read());
      if (access.isSession && known > Date.now()) this.#renewBefore(known, access);
      return;
    }
    keySlot.write(null);
    sessionEndSlot.write(String(end));
    this.#renewBefore(end, access);
  }

  /** A page that stays open stays signed in. */
  #renewBefore(end: number, access: Access): void {
    clearTimeout(this.#renewal);
    const wait = Math.min(Math.max((end - Date.now()) / 2, 1_000), LONGEST_WAIT_MS);
    this.#renewal = setTimeout(() => void this.#open(access), wait);
  }
}

export const session = new Session();
