// What is far below the window is drawn when the reader comes near it: maps cost a phone more than all the rest.

/** About a window ahead of a reader who scrolls, and no further than a phone's first view. */
const AHEAD = "600px";

/** For an element: calls once, as soon as it is in the window or near it. */
export function near(call: () => void): (element: Element) => () => void {
  return (element) => {
    const watch = new IntersectionObserver((seen) => {
      if (!seen.some((entry) => entry.isIntersecting)) return;
      watch.disconnect();
      call();
    }, { rootMargin: AHEAD });
    watch.observe(element);
    return () => watch.disconnect();
  };
}
