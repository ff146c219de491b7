// A reload and a step back lead to where the reader was. The browser's own way does not: when it scrolls, what was there has
// not been loaded yet.

/** The place is written down this long after the last movement. */
const SETTLED_MS = 150;
/** A page that has not changed its height for this long has stopped growing: parts still to come give their room back at first. */
const STILL_MS = 3_000;
/** What has not come by then will not come. */
const PATIENCE_MS = 8_000;

interface Kept {
  y?: number;
}

const kept = (): number => (history.state as Kept | null)?.y ?? 0;

function goTo(y: number): void {
  if (y <= 0) return;
  const stop = new AbortController();
  const end = () => stop.abort();
  // A reader who moves the page wants another place.
  for (const move of ["wheel", "touchmove", "keydown", "pointerdown"]) window.addEventListener(move, end, { signal: stop.signal, passive: true });
  let there: ReturnType<typeof setTimeout> | undefined;
  const grown = new ResizeObserver(() => {
    window.scrollTo(0, y);
    clearTimeout(there);
    if (Math.abs(window.scrollY - y) < 2) there = setTimeout(end, STILL_MS);
  });
  stop.signal.addEventListener("abort", () => grown.disconnect());
  grown.observe(document.body);
  setTimeout(end, PATIENCE_MS);
}

export function keepPlace(): void {
  history.scrollRestoration = "manual";
  let timer: ReturnType<typeof setTimeout> | undefined;
  window.addEventListener("scroll", () => {
    clearTimeout(timer);
    timer = setTimeout(() => history.replaceState({ ...(history.state as Kept | null), y: Math.round(window.scrollY) }, ""), SETTLED_MS);
  }, { passive: true });
  window.addEventListener("popstate", () => goTo(kept()));
  goTo(kept());
}
