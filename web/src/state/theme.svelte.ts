// Light, dark, or as the system says. A preference, not a secret: it may outlive the tab.

import { themeSlot } from "./storage";

export type Theme = "system" | "light" | "dark";

class ThemeChoice {
  value = $state<Theme>("system");

  constructor() {
    const saved = themeSlot.read();
    if (saved === "light" || saved === "dark") this.value = saved;
    this.#apply();
  }

  next(): void {
    const order: Theme[] = ["system", "light", "dark"];
    this.value = order[(order.indexOf(this.value) + 1) % order.length] ?? "system";
    themeSlot.write(this.value === "system" ? null : this.value);
    this.#apply();
  }

  #apply(): void {
    if (this.value === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.value;
  }
}

export const theme = new ThemeChoice();
