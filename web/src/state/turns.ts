// The parts of a long page are built in turns, one in a task, from the top down. Built at once they would hold up the reader's
// finger for most of a second on a slow phone.

/** However busy the browser is, the next part comes after this. */
const LATEST_MS = 300;

const waiting: (() => void)[] = [];
let begun = false;

function next(): void {
  begun = false;
  waiting.shift()?.();
  if (waiting.length > 0) begin();
}

function begin(): void {
  if (begun) return;
  begun = true;
  // Some browsers cannot tell when they are idle.
  if ("requestIdleCallback" in globalThis) requestIdleCallback(next, { timeout: LATEST_MS });
  else setTimeout(next);
}

/** Calls when it is this one's turn; what it returns takes it out of the line. */
export function inTurn(call: () => void): () => void {
  waiting.push(call);
  begin();
  return () => {
    const at = waiting.indexOf(call);
    if (at >= 0) waiting.splice(at, 1);
  };
}
