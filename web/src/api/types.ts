// The public interface as this page reads it, by the names it uses. The shapes come from the service's OpenAPI document
// (`schema.d.ts`); numbers arrive already rounded by the service.

import type { components } from "./schema";

type Schemas = components["schemas"];

export type PillarKey = Schemas["PillarKey"];
export const PILLARS: readonly PillarKey[] = ["conflict", "cyber", "supply_chain", "macro"];
export type Trend = Schemas["TrendWord"];
export type DataStatus = "ok" | "degraded" | "stale";

export type Overview = Schemas["Overview"];
export type Confidence = Schemas["ConfidenceBody"];
export type IndicatorExplanation = Schemas["IndicatorExplanation"];
export type PillarExplanation = Schemas["PillarExplanation"];
export type Explanation = Schemas["Explanation"];
export type ScoreContext = Schemas["ScoreContext"];
export type DayPlace = Schemas["DayPlace"];
export type HistoryPoint = Schemas["HistoryBucket"];
export type History = Schemas["History"];
export type Reconstruction = Schemas["Reconstruction"];
export type Crisis = Schemas["Crisis"];
export type ConflictEvent = Schemas["ConflictEvent"];
export type EventPage = Schemas["EventPage"];
export type EventDetail = Schemas["EventDetail"];
export type EscalationPart = Exclude<keyof Schemas["EscalationPartsBody"], "reliability">;
export type Briefing = Schemas["BriefingBody"];
export type BriefingPage = Schemas["BriefingPage"];
export type BriefingDetail = Schemas["BriefingDetail"];
export type AlertRow = Schemas["Alert"];
export type AlertPage = Schemas["AlertPage"];
export type AlertDetail = Schemas["AlertDetail"];
export type Summary = Schemas["SummaryBody"];
export type Feed = Schemas["FeedBody"];
export type Countries = Schemas["Countries"];
export type Country = Schemas["Country"];
export type CountryDetail = Schemas["CountryDetail"];
export type CountryExplanation = Schemas["CountryExplanation"];
export type CountryHistory = Schemas["CountryHistory"];
export type Meaning = Schemas["Meaning"];
export type MethodChanges = Schemas["MethodChanges"];
export type StreamSnapshot = Schemas["StreamSnapshot"];
export type Layers = Schemas["Layers"];
export type Layer = Schemas["Layer"];
export type LayerMark = Schemas["Mark"];
export type KeySelf = Schemas["KeySelf"];

/** The method's own document, which the description leaves open: what this page reads of it. */
export interface Method {
  version: string;
  digest: string;
  parameters: { band_edges?: number[]; band_hysteresis?: number } & Record<string, unknown>;
  pillars: Record<PillarKey, number>;
  indicators: { key: string; pillar: PillarKey; unit: string; description: string; weight: number }[];
  /** The catalogue of countries. Not in documents of older methods. */
  countries?: { indicators: { key: string; pillar: PillarKey; unit: string; description: string }[] };
  /** How texts phrase each indicator, by its key. Not in documents of older methods. */
  words?: Record<string, { name: string; direction: "up" | "down" | "either" }>;
}
