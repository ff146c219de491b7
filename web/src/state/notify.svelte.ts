// Notifications by the browser while the page is open, also behind other tabs. Off until the reader asks for them; kept in
// the browser, the service knows nothing of it.

import type { AlertRow } from "../api/types";
import { writeRoute, HOME } from "./route";
import { notifySlot } from "./storage";

const supported = typeof Notification !== "undefined";

class Notify {
  readonly supported = supported;
  on = $state(supported && Notification.permission === "granted" && notifySlot.read() === "on");
  /** The browser was told to say no. */
  refused = $state(supported && Notification.permission === "denied");

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
