// What every view needs, loaded once by the page.

import { getContext, setContext } from "svelte";
import type { Explanation, Feed, Method } from "../api/types";
import type { Resource } from "./resource.svelte";

/** The scores of a snapshot. */
export interface RecentScores {
  as_of: string;
  published_at: string | null;
  score: number;
  pillars: Record<string, number>;
}

export interface World {
  explain: Resource<Explanation>;
  feeds: Resource<{ feeds: Feed[] }>;
  method: Resource<Method>;
  /** The last snapshots that came while the page was open, oldest first, without a gap; empty in the past. */
  recent(): readonly RecentScores[];
  /** Band edges by the method in force. */
  edges(): readonly number[];
  /** How far past an edge the score has to be for the band to change. */
  hysteresis(): number;
  feedName(feed: string): string;
}

const WORLD = Symbol("world");

export const provideWorld = (world: World): World => setContext(WORLD, world);
export const useWorld = (): World => getContext<World>(WORLD);
