// The key: asked for, or taken from the fragment (which browsers never send), and kept for this tab only.

import { Client } from "../api/client";
import { keySlot, lastSeenSlot } from "./storage";

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

class Session {
  key = $state<string | null>(null);
  client = $derived(this.key === null ? null : new Client(this.key));
  /** Why a key is asked for again. */
  refused = $state.raw<{ code: string; title: string; detail: string } | null>(null);

  constructor() {
    const given = fromFragment();
    if (given) this.use(given);
    else this.key = keySlot.read();
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
    this.key = key;
  }

  forget(refused: Session["refused"] = null): void {
    keySlot.write(null);
    lastSeenSlot.write(null);
    this.refused = refused;
    this.key = null;
  }
}

export const session = new Session();
