// The public interface as this page reads it. Numbers arrive already rounded by the service.

export type PillarKey = "conflict" | "cyber" | "supply_chain" | "macro";
export const PILLARS: readonly PillarKey[] = ["conflict", "cyber", "supply_chain", "macro"];
export type Trend = "up" | "down" | "flat";
export type DataStatus = "ok" | "degraded" | "stale";

export interface Overview {
  score: number;
  trend: Trend;
  pillars: Record<PillarKey, number>;
  as_of: string;
}

export interface Confidence {
  value: number;
  word: string;
  coverage: number;
  calibration: number;
  agreement: number;
}

export interface IndicatorExplanation {
  key: string;
  unit: string;
  feed: string;
  value: number | null;
  missing: string | null;
  period_end: string | null;
  age_seconds: number | null;
  percentile: number | null;
  score: number | null;
  sample: number;
  calibration: number;
  weight: number;
  effective_weight: number;
  freshness: number;
  quality: number;
  pillar_contribution: number;
  contribution: number;
  pillar_data_effect: number | null;
  pillar_coverage_effect: number | null;
  data_effect: number | null;
  coverage_effect: number | null;
  held: boolean;
}

export interface PillarExplanation {
  pillar: PillarKey;
  score: number;
  unsmoothed: number;
  delta_24h: number;
  delta_basis: "ok" | "no_baseline";
  coverage: number;
  status: "ok" | "degraded" | "unavailable";
  weight: number;
  contribution: number;
  data_effect: number | null;
  coverage_effect: number | null;
  standard_error: number | null;
  confidence: Confidence;
  indicators: IndicatorExplanation[];
}

export interface Explanation {
  snapshot: string;
  as_of: string;
  method: { version: string; digest: string };
  score: number;
  unsmoothed: number;
  trend: Trend;
  momentum: number;
  band: string;
  delta_24h: number;
  delta_basis: "ok" | "no_baseline";
  delta_significant: boolean;
  percentile_10y: number | null;
  confidence: Confidence;
  interval_90: { low: number; high: number };
  coverage: number;
  status: DataStatus;
  breadth: number;
  pillars: PillarExplanation[];
}

export interface HistoryPoint {
  at: string;
  min: number;
  max: number;
  last: number;
}

export interface History {
  series: string;
  from: string;
  to: string;
  step: "15m" | "1h" | "1d";
  points: HistoryPoint[];
}

export interface ConflictEvent {
  id: string;
  lat: number;
  lon: number;
  actors: string[];
  category: string;
  escalation: number;
  occurred_at: string;
}

export interface EventPage {
  events: ConflictEvent[];
  next_cursor: string | null;
}

export interface EventDetail extends ConflictEvent {
  precision: "city" | "region" | "country";
  place: string;
  country: string | null;
  status: "confirmed" | "reported" | "unconfirmed";
  escalation_parts: Record<EscalationPart, number> & { reliability: number };
  last_activity: string;
  reports: number;
  stories: number;
  domains: number;
  closed: boolean;
  sources: { url: string; domain: string; first_seen: string }[];
  merged: string[];
  revisions: { as_of: string; status: string; category: string; escalation: number; reports: number }[];
}

export type EscalationPart = "intensity" | "tempo" | "corroboration" | "gravity" | "departure";

export interface Briefing {
  id: string;
  headline: string;
  summary: string;
  tags: string[];
  published_at: string;
}

export interface BriefingPage {
  briefings: Briefing[];
  next_cursor: string | null;
}

export interface BriefingDetail extends Briefing {
  day: string;
  subject: string;
  as_of: string;
  late: boolean;
  generated_by: { how: string; rejected: string | null };
  facts: {
    id: string;
    kind: string;
    subject: string;
    value: number | null;
    unit: string;
    sentence: number | null;
    sources: string[];
  }[];
  corrects: string | null;
  corrected_by: string | null;
}

export interface Summary {
  summary: string;
  as_of: string;
}

export interface Feed {
  feed: string;
  title: string;
  publisher: string;
  homepage: string;
  pillar: PillarKey | null;
  licence: string;
  attribution: string;
  status: "ok" | "late" | "stale" | "never";
  last_attempt: string | null;
  last_success: string | null;
  last_change: string | null;
  newest_content: string | null;
  age_seconds: number | null;
  late_after_seconds: number;
  stale_after_seconds: number;
  poll_seconds: number;
  failing_since: string | null;
  last_refusal: string | null;
  rows_seen: number;
  rows_accepted: number;
  rows_duplicate: number;
  rows_rejected: Record<string, number>;
}

export interface Method {
  version: string;
  digest: string;
  parameters: { band_edges?: number[] } & Record<string, unknown>;
  pillars: Record<PillarKey, number>;
  indicators: { key: string; pillar: PillarKey; unit: string; description: string; weight: number }[];
}

export interface KeySelf {
  id: string;
  name: string;
  scopes: string[];
  expires_at: string | null;
}
