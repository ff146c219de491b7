// Which rows of a list are new. Only a live tick makes something new: not another filter, not another page, and not an older
// row that moves up because a newer one went.

export interface Seen {
  /** What was asked for. */
  question: string;
  /** The newest snapshot when the answer came. */
  tick: string;
  ids: ReadonlySet<string>;
  /** When the oldest row of the page began; null where the page held everything there was. */
  oldest: string | null;
  fresh: ReadonlySet<string>;
}

interface Row {
  id: string;
  occurred_at: string;
}

/** What is known after another look at the first page. `complete`: there is no further page. */
export function look(before: Seen | null, question: string, tick: string, rows: readonly Row[], complete: boolean): Seen {
  const oldest = complete ? null : (rows.at(-1)?.occurred_at ?? null);
  const ids = new Set(rows.map((r) => r.id));
  if (before === null || before.question !== question || tick < before.tick) return { question, tick, ids, oldest, fresh: new Set() };
  const known = new Set([...before.ids, ...ids]);
  // The same snapshot asked again says nothing new; what it marked before stays marked.
  if (tick === before.tick) return { ...before, ids: known, oldest };
  const arrived = rows.filter((r) => !before.ids.has(r.id) && (before.oldest === null || r.occurred_at >= before.oldest));
  return { question, tick, ids: known, oldest, fresh: new Set(arrived.map((r) => r.id)) };
}
