// The focus is never lost. When the element that has it goes away or is switched off, the focus goes to what is nearest to
// where it was, so that a reader without a mouse continues from there and not from the top of the page.

const FOCUSABLE = "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), summary, [tabindex]";

export function keepFocus(root: HTMLElement): void {
  let last: { element: HTMLElement; around: HTMLElement[] } | null = null;
  document.addEventListener("focusin", (event) => {
    if (!(event.target instanceof HTMLElement)) return;
    const around: HTMLElement[] = [];
    for (let e = event.target.parentElement; e && e !== root; e = e.parentElement) around.push(e);
    last = { element: event.target, around };
  });
  // A press on an empty place takes the focus away because the reader wants it so.
  document.addEventListener("pointerdown", (event) => {
    if (event.target instanceof Element && !event.target.closest(FOCUSABLE)) last = null;
  });
  let asked = false;
  const look = () => {
    asked = false;
    const lost = last !== null && (!last.element.isConnected || last.element.matches(":disabled"));
    const nowhere = document.activeElement === null || document.activeElement === document.body || document.activeElement === last?.element;
    if (!last || !lost || !nowhere) return;
    const near = last.around.find((e) => e.isConnected && e.querySelector(FOCUSABLE));
    const heir = near?.querySelector<HTMLElement>(FOCUSABLE) ?? document.getElementById("main");
    last = null;
    heir?.focus({ preventScroll: true });
  };
  new MutationObserver(() => {
    // After the change is drawn: its cause may put the focus somewhere better.
    if (!asked) requestAnimationFrame(() => requestAnimationFrame(look));
    asked = true;
  }).observe(root, { childList: true, subtree: true, attributeFilter: ["disabled"] });
}
