// Browser storage. A page inside another site's frame may not use it; values then last as long as the page.

function tried<T>(action: () => T, otherwise: T): T {
  try {
    return action();
  } catch {
    return otherwise;
  }
}

function slot(storage: () => Storage, name: string) {
  return {
    read: (): string | null => tried(() => storage().getItem(name), null),
    write: (value: string | null): void =>
      tried(() => (value === null ? storage().removeItem(name) : storage().setItem(name, value)), undefined),
  };
}

/** Ends with the tab. Only until there is a session, or where there can be none. */
export const keySlot = slot(() => sessionStorage, "gsi.key");
/** When the session of this browser ends, in milliseconds. The session itself is in a cookie that scripts cannot read. */
export const sessionEndSlot = slot(() => localStorage, "gsi.session.end");
export const watchedSlot = slot(() => localStorage, "gsi.watched");
export const notifySlot = slot(() => localStorage, "gsi.notify");
export const notifyLevelSlot = slot(() => localStorage, "gsi.notify.level");
/** The newest score on show; see `lastseen.ts`. */
export const lastSeenSlot = slot(() => localStorage, "gsi.seen");
export const themeSlot = slot(() => localStorage, "gsi.theme");
