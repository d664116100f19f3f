import type { DayStats } from "./model.ts";

const dayMs = 86_400_000;

/** The date of a day in UTC, for example `2026-01-31`. */
export const utcDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The days of a range in UTC, the last one is today, as milliseconds since 1970. */
export function lastDays(count: number, now: number): number[] {
  const today = Math.floor(now / dayMs) * dayMs;
  return Array.from({ length: count }, (_, index) => today - (count - 1 - index) * dayMs);
}

export interface Totals {
  active: number[];
  trials: number[];
  started: number[];
  ended: number[];
}

/** The numbers of each day, over all products or over one. Days without numbers are 0. */
export function totalsOf(stats: readonly DayStats[], days: readonly number[], product: string | null): Totals {
  const zeros = (): number[] => days.map(() => 0);
  const totals: Totals = { active: zeros(), trials: zeros(), started: zeros(), ended: zeros() };
  const index = new Map(days.map((day, position) => [utcDate(day), position]));
  for (const one of stats) {
    const at = index.get(one.date);
    if (at === undefined || (product !== null && one.product !== product)) continue;
    totals.active[at]! += one.active;
    totals.trials[at]! += one.trials;
    totals.started[at]! += one.new;
    totals.ended[at]! += one.churned;
  }
  return totals;
}

export interface Span {
  /** First day, in milliseconds since 1970. */
  start: number;
  started: number;
  ended: number;
  /** Ended divided by active before the span; null without active ones. */
  churn: number | null;
}

/** Sums of spans of `size` days. The last span ends today; a shorter first one is left out, except if it is the only one. */
export function spansOf(totals: Totals, days: readonly number[], size: number): Span[] {
  const count = Math.max(1, Math.floor(days.length / size));
  const skipped = Math.max(0, days.length - count * size);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return Array.from({ length: count }, (_, span) => {
    const from = skipped + span * size;
    const to = Math.min(days.length, from + size);
    const ended = sum(totals.ended.slice(from, to));
    return { start: days[from]!, started: sum(totals.started.slice(from, to)), ended, churn: from > 0 ? churnOf(ended, totals.active[from - 1]!) : null };
  });
}

/** The share that ended. Null if nothing was active before. */
export const churnOf = (ended: number, before: number): number | null => (before > 0 ? Math.min(1, ended / before) : null);

export interface ProductNumbers {
  product: string;
  active: number;
  trials: number;
  started: number;
  ended: number;
}

/** The numbers of each product: active and trials of the last day, sums of the rest. Most active first. */
export function byProduct(stats: readonly DayStats[], lastDay: string): ProductNumbers[] {
  const found = new Map<string, ProductNumbers>();
  for (const one of stats) {
    let entry = found.get(one.product);
    if (!entry) found.set(one.product, (entry = { product: one.product, active: 0, trials: 0, started: 0, ended: 0 }));
    if (one.date === lastDay) {
      entry.active = one.active;
      entry.trials = one.trials;
    }
    entry.started += one.new;
    entry.ended += one.churned;
  }
  return [...found.values()].sort((a, b) => b.active - a.active || a.product.localeCompare(b.product));
}
