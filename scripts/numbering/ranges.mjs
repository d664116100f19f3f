// Divides the numbers of a numbering plan into kinds by their first digits, and by their length where the digits do not suffice.
import { MAX_DIGITS } from "./plans.mjs";

const digits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

/**
 * Returns ranges {prefix, kind, shortest?, longest?} that contain every number of each kind, except the kind `others`. `kindOf` gives
 * the kind of a number {country, type}. `prefix` begins with the calling code. `shortest` and `longest` count all digits; without them,
 * a range contains numbers of any length. If two ranges contain a number, the longer prefix has the kind of the number.
 *
 * A prefix is as short as possible, but at each digit after it at least `branches` digits (or none) lead to numbers of its kind. With 2,
 * one block of numbers does not claim the unassigned blocks beside it.
 */
export function ranges(plan, { kindOf, others, branches }) {
  const found = [];
  const most = MAX_DIGITS - plan.code.length; // national digits
  const memorised = (compute) => {
    const results = new Map();
    return (...parameters) => {
      const key = parameters.join();
      if (!results.has(key)) results.set(key, compute(...parameters));
      return results.get(key);
    };
  };

  const kindAt = (state, length) => {
    const number = plan.number(state, length);
    return number && kindOf(number);
  };

  /** The kinds of the numbers that begin with the digits read so far. Each has a set of lengths: bit n stands for n national digits. */
  const kindsFrom = memorised((state, length) => {
    const kinds = new Map();
    if (plan.isDead(state)) return kinds;
    const kind = kindAt(state, length);
    if (kind !== null) kinds.set(kind, 1 << length);
    if (length === most) return kinds;
    for (const digit of digits)
      for (const [longer, lengths] of kindsFrom(plan.next(state, digit), length + 1)) kinds.set(longer, (kinds.get(longer) ?? 0) | lengths);
    return kinds;
  });

  /** Whether at least `least` digits, at each digit from here on, lead to numbers of the kind. */
  const spreads = memorised((state, length, kind, least) => {
    const next = digits.map((digit) => plan.next(state, digit)).filter((other) => kindsFrom(other, length + 1).has(kind));
    return length === most || next.length === 0 || (next.length >= least && next.every((other) => spreads(other, length + 1, kind, least)));
  });

  const add = (prefix, kind, lengths) => {
    const span = lengths && { shortest: shortest(lengths) + plan.code.length, longest: longest(lengths) + plan.code.length };
    found.push({ prefix: plan.code + prefix, kind, ...span });
  };

  const divide = (state, prefix) => {
    const kinds = kindsFrom(state, prefix.length);
    const wanted = [...kinds].filter(([kind]) => kind !== others);
    const spread = (least) => wanted.every(([kind]) => spreads(state, prefix.length, kind, least));
    if (wanted.length === 0) return;
    if (kinds.size === 1 && spread(branches)) return add(prefix, wanted[0][0]);
    if (kinds.size > 1 && areApart([...kinds.values()]) && spread(2)) return wanted.forEach(([kind, lengths]) => add(prefix, kind, lengths));
    const own = kindAt(state, prefix.length);
    if (own !== null && own !== others) add(prefix, own, 1 << prefix.length);
    for (const digit of digits) divide(plan.next(state, digit), prefix + digit);
  };

  divide(plan.start(), "");
  return found;
}

const shortest = (lengths) => 31 - Math.clz32(lengths & -lengths);
const longest = (lengths) => 31 - Math.clz32(lengths);

/** Whether the intervals from the shortest to the longest length do not overlap. */
function areApart(sets) {
  const sorted = [...sets].sort((a, b) => shortest(a) - shortest(b));
  return sorted.every((lengths, index) => index === 0 || longest(sorted[index - 1]) < shortest(lengths));
}

export const sorted = (found) => [...found].sort((a, b) => (a.prefix < b.prefix ? -1 : 1));

/** The ranges of the other countries of a plan than its main country. */
export const countriesOf = (plan) =>
  sorted(ranges(plan, { kindOf: (number) => number.country, others: plan.country, branches: 1 }));
