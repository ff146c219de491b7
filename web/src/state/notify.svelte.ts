// Notifications by the browser while the page is open, also behind other tabs. Off until the reader asks for them; kept in
// the browser, the service knows nothing of it.

import type { AlertRow } from "../api/types";
import { score } from "../format/number";
import { writeRoute, HOME } from "./route";
import { notifyLevelSlot, notifySlot } from "./storage";

const supported = typeof Notification !== "undefined";

/** Where "high" begins by the method of today; readers choose their own. */
const FIRST_LEVEL = 50;
const isLevel = (value: unknown): value is number => typeof value === "number" && value > 0 && value <= 100;
const kept = Number(notifyLevelSlot.read());

class Notify {
  readonly supported = supported;
  on = $state(supported && Notification.permission === "granted" && notifySlot.read() === "on");
  /** The browser blocks notifications. */
  refused = $state(supported && Notification.permission === "denied");

  /** The score at which the reader wants to hear of it. */
  level = $state(isLevel(kept) ? kept : FIRST_LEVEL);

  /** A field that is being typed into may be empty or out of range; then the last level stays. */
  setLevel(level: number | null | undefined): void {
    if (!isLevel(level)) return;
    this.level = level;
    notifyLevelSlot.write(String(level));
  }

  /** Tells of a score that was below the reader's level and no longer is. */
  moved(before: number | null, now: number, simulated: boolean): void {
    if (!this.on || before === null || before >= this.level || now < this.level) return;
    new Notification(simulated ? "Score (simulated data)" : "Score", { body: `The score is ${score(now)}, at or above ${this.level}.`, tag: "level" }).onclick = () => window.focus();
  }

  async toggle(): Promise<void> {
    if (this.on || !supported) this.on = false;
    else {
      const answer = await Notification.requestPermission();
      this.refused = answer === "denied";
      this.on = answer === "granted";
    }
    notifySlot.write(this.on ? "on" : null);
  }

  /** Tells of an alert that begins. A briefing is news, not an alarm. */
  tell(alert: AlertRow, simulated: boolean): void {
    if (!this.on || alert.state !== "active" || alert.rule === "briefing") return;
    const said = new Notification(simulated ? "Alert (simulated data)" : "Alert", { body: alert.headline, tag: alert.id });
    said.onclick = () => {
      window.focus();
      location.assign(writeRoute({ ...HOME, view: "alerts", alert: alert.id }));
    };
  }
}

export const notify = new Notify();
