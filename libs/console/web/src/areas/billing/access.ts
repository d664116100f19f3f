import type { Entitlement } from "./model.ts";

/** The entitlements of a user at a time, as the service computes them. `at`: milliseconds since 1970. */
export interface Reading {
  at: number;
  entitlements: readonly Entitlement[];
}

/** `paid`: the paid period. `trial`: a free trial. `extra`: grace period, or leeway for a renewal. */
export type SpanKind = "paid" | "trial" | "extra";

export interface AccessSpan {
  /** Milliseconds since 1970. */
  from: number;
  /** Infinity: access does not end. */
  to: number;
  kind: SpanKind;
  /** Whether the span is after the last reading: it holds if no further event arrives. */
  expected: boolean;
}

export interface AccessRow {
  entitlement: Entitlement;
  spans: AccessSpan[];
}

const time = (value: string | null): number => (value === null ? Infinity : Date.parse(value));
const touchMs = 1000;

/**
 * When each entitlement gave access. Each reading holds until the next one, or until access ends by time. `readings` are ascending; the last
 * one is the current state.
 */
export function accessRows(readings: readonly Reading[]): AccessRow[] {
  const rows = new Map<string, AccessRow>();
  readings.forEach(({ at, entitlements }, index) => {
    const next = readings[index + 1]?.at ?? Infinity;
    for (const entitlement of entitlements) {
      let row = rows.get(entitlement.entitlementId);
      if (!row) rows.set(entitlement.entitlementId, (row = { entitlement, spans: [] }));
      row.entitlement = entitlement;
      if (!entitlement.isActive) continue;
      const stop = Math.min(time(entitlement.accessUntil), next);
      const paid = time(entitlement.expiresAt);
      const expected = index === readings.length - 1;
      add(row.spans, { from: at, to: Math.min(stop, paid), kind: entitlement.periodType === "trial" ? "trial" : "paid", expected });
      add(row.spans, { from: Math.max(at, paid), to: stop, kind: "extra", expected });
    }
  });
  return [...rows.values()];
}

function add(spans: AccessSpan[], span: AccessSpan): void {
  if (!(span.to > span.from)) return;
  const last = spans.at(-1);
  if (last && last.kind === span.kind && last.expected === span.expected && span.from - last.to <= touchMs) last.to = Math.max(last.to, span.to);
  else spans.push(span);
}

/** The part of time that a chart shows, in milliseconds since 1970. */
export interface Frame {
  from: number;
  to: number;
}

const day = 86_400_000;

/** The frame for all spans and events. Far ends, for example of grants, are cut off. `since`: the earliest begin. */
export function frameOf(rows: readonly AccessRow[], events: readonly number[], now: number, since = -Infinity): Frame {
  const begins = [...events, ...rows.flatMap((row) => row.spans.map((span) => span.from))].filter((at) => at <= now);
  const from = Math.max(since, Math.min(now - 7 * day, ...begins));
  const past = now - from;
  const ends = rows.flatMap((row) => row.spans.map((span) => span.to));
  const to = Math.min(Math.max(now + past * 0.06, ...ends), now + Math.max(past * 0.4, 3 * day));
  const margin = (to - from) * 0.015;
  return { from: Math.max(since, from - margin), to: to + margin };
}

/** Position of a time in the frame, from 0 to 100. */
export const percentOf = (frame: Frame, at: number): number => Math.min(100, Math.max(0, (100 * (at - frame.from)) / (frame.to - frame.from)));

const monthSteps = [1, 2, 3, 6, 12, 24, 60, 120];
const daySteps = [1, 2, 7, 14];

/** Times of the lines of the axis: local midnights or first days of months. At most `most`. */
export function ticksOf(frame: Frame, most: number): number[] {
  const days = (frame.to - frame.from) / day;
  const step = daySteps.find((one) => days / one <= most);
  const ticks: number[] = [];
  const begin = new Date(frame.from);
  if (step !== undefined) {
    for (let index = 1; ticks.length <= most; index += step) {
      const at = new Date(begin.getFullYear(), begin.getMonth(), begin.getDate() + index).getTime();
      if (at >= frame.to) break;
      ticks.push(at);
    }
    return ticks;
  }
  const months = monthSteps.find((one) => days / 30.4 / one <= most) ?? 240;
  const first = Math.ceil((begin.getFullYear() * 12 + begin.getMonth() + 1) / months) * months;
  for (let month = first; ticks.length <= most; month += months) {
    const at = new Date(Math.floor(month / 12), month % 12, 1).getTime();
    if (at >= frame.to) break;
    ticks.push(at);
  }
  return ticks;
}

/** Puts marks together that would cover each other. `positions` are ascending percents; the result has indexes. */
export function clustersOf(positions: readonly number[], distance: number): number[][] {
  const clusters: number[][] = [];
  positions.forEach((position, index) => {
    const last = clusters.at(-1);
    if (last && position - positions[last[0]!]! < distance) last.push(index);
    else clusters.push([index]);
  });
  return clusters;
}
