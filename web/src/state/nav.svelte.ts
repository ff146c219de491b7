// Keeps the route and the address bar equal. Links are ordinary links; a click on one changes the route in place.

import { HOME, isPage, readRoute, writeRoute, type Route } from "./route";

const here = (): Route => readRoute(location.search, location.pathname);

class Nav {
  route = $state.raw<Route>(here());

  constructor() {
    window.addEventListener("popstate", () => (this.route = here()));
  }

  /** The address with some parts changed; what is looked at in time stays. */
  href(change: Partial<Route>): string {
    return writeRoute({ ...HOME, asOf: this.route.asOf, range: this.route.range, ...change });
  }

  /** The present address with some parts changed. */
  with(change: Partial<Route>): string {
    return writeRoute({ ...this.route, ...change });
  }

  go(href: string): void {
    if (href === location.pathname + location.search) return;
    history.pushState(null, "", href);
    this.route = here();
  }

  /** Changes the present address without a step in the history: sliders, typing. */
  set(change: Partial<Route>): void {
    const route = { ...this.route, ...change };
    history.replaceState(history.state, "", writeRoute(route));
    this.route = route;
  }

  /** For the whole document: `/` goes to a search, Escape closes what is open. */
  onkeydown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
    const typing = event.target instanceof HTMLElement && event.target.matches("input, select, textarea, [contenteditable]");
    if (event.key === "/" && !typing) {
      event.preventDefault();
      this.#search();
    } else if (event.key === "Escape" && this.route.wall) {
      this.go(this.with({ wall: false }));
    } else if (event.key === "Escape" && this.route.event !== null && this.route.view === "events") {
      const id = this.route.event;
      this.go(this.with({ event: null }));
      this.#backTo(id);
    }
  };

  /** An event was closed: the focus goes back to where it was opened from. */
  #backTo(id: string): void {
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`a[href*="${id}"]`)?.focus());
  }

  /** The search of the view on show; from a view without one, that of the countries. */
  #search(): void {
    const here = document.querySelector<HTMLElement>("[data-search]");
    if (here) return here.focus();
    this.go(this.href({ view: "countries" }));
    const wait = new MutationObserver(() => {
      const found = document.querySelector<HTMLElement>("[data-search]");
      if (!found) return;
      wait.disconnect();
      found.focus();
    });
    wait.observe(document.body, { childList: true, subtree: true });
    setTimeout(() => wait.disconnect(), 10_000);
  }

  /** For the whole document: plain clicks on links within the page. */
  onclick = (event: MouseEvent): void => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || link.target || link.hasAttribute("download")) return;
    const url = new URL(link.href, location.href);
    if (url.origin !== location.origin || !isPage(url.pathname) || url.hash !== "") return;
    event.preventDefault();
    const { view, vs, wall, event: opened } = this.route;
    this.go(url.pathname + url.search);
    if (opened !== null && this.route.event === null && this.route.view === view) this.#backTo(opened);
    if (this.route.view !== view || (this.route.vs === null) !== (vs === null) || this.route.wall !== wall) {
      window.scrollTo(0, 0);
      document.getElementById("main")?.focus({ preventScroll: true });
    }
  };
}

export const nav = new Nav();
