/** A span of time: from `start` (inclusive) to `end` (exclusive), in milliseconds since 1970. */
export interface Span {
  start: number;
  end: number;
}

const day = 86_400_000;

/** The last `count` spans of `days` days, oldest first. The last one ends at the end of today (UTC). */
export function lastSpans(count: number, days: number, now: number): Span[] {
  const end = (Math.floor(now / day) + 1) * day;
  return Array.from({ length: count }, (_, index) => {
    const from = end - (count - index) * days * day;
    return { start: from, end: from + days * day };
  });
}
