// Countries that this reader watches. Kept in the browser: the service knows nothing of it.

import { isCountryCode } from "../format/countries";
import { watchedSlot } from "./storage";

/** More than this is a list and not a watch. */
const MOST = 30;

class Watch {
  codes = $state.raw<readonly string[]>((watchedSlot.read() ?? "").split(" ").filter(isCountryCode).slice(0, MOST));

  has(code: string): boolean {
    return this.codes.includes(code);
  }

  toggle(code: string): void {
    this.codes = this.has(code) ? this.codes.filter((c) => c !== code) : [...this.codes, code].slice(-MOST);
    watchedSlot.write(this.codes.length > 0 ? this.codes.join(" ") : null);
  }
}

export const watch = new Watch();
