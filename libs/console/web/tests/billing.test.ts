import assert from "node:assert/strict";
import { test } from "node:test";
import { accessRows, clustersOf, frameOf, percentOf, ticksOf } from "../src/areas/billing/access.ts";
import { explain, featuresOf, markOf, momentOf, type DayStats, type Entitlement } from "../src/areas/billing/model.ts";
import { byProduct, churnOf, lastDays, spansOf, totalsOf } from "../src/areas/billing/numbers.ts";

const day = 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const entitlement = (more: Partial<Entitlement>): Entitlement =>
  ({ entitlementId: "e1", providerProductId: "pro", source: "purchases", status: "active", isActive: true, accessUntil: null, expiresAt: null, graceUntil: null, periodType: "normal", willRenew: true, cancelReason: null, lastEventType: "RENEWAL", features: [], ...more }) as Entitlement;

test("a reading holds until the next one, and access ends by time", () => {
  const [row] = accessRows([
    { at: 0, entitlements: [entitlement({ periodType: "trial", expiresAt: iso(10 * day), accessUntil: iso(11 * day) })] },
    { at: 5 * day, entitlements: [entitlement({ expiresAt: iso(20 * day), accessUntil: iso(21 * day) })] },
    { at: 40 * day, entitlements: [entitlement({ isActive: false, accessUntil: iso(21 * day) })] },
  ]);
  assert.deepEqual(row!.spans, [
    { from: 0, to: 5 * day, kind: "trial", expected: false },
    { from: 5 * day, to: 20 * day, kind: "paid", expected: false },
    { from: 20 * day, to: 21 * day, kind: "extra", expected: false },
  ]);
});

test("spans of one kind are joined, and the last reading is only expected", () => {
  const [row] = accessRows([
    { at: 0, entitlements: [entitlement({})] },
    { at: day, entitlements: [entitlement({})] },
    { at: 2 * day, entitlements: [entitlement({})] },
  ]);
  assert.deepEqual(row!.spans, [
    { from: 0, to: 2 * day, kind: "paid", expected: false },
    { from: 2 * day, to: Infinity, kind: "paid", expected: true },
  ]);
});

test("the frame cuts far ends off", () => {
  const now = 100 * day;
  const rows = accessRows([{ at: now, entitlements: [entitlement({ expiresAt: iso(30_000 * day), accessUntil: iso(30_000 * day) })] }]);
  const frame = frameOf(rows, [0], now);
  assert.ok(frame.to < now + 50 * day && frame.to > now + 30 * day);
  assert.ok(percentOf(frame, now) > 60 && percentOf(frame, now) < 80);
  assert.equal(percentOf(frame, -day * 1000), 0);
  for (const most of [4, 9]) assert.ok(ticksOf(frame, most).length <= most + 1);
  for (const days of [1, 9, 60, 400, 4000]) assert.ok(ticksOf({ from: now, to: now + days * day }, 8).length >= (days === 1 ? 0 : 1), `${days} days`);
});

test("marks that would cover each other are one mark", () => {
  assert.deepEqual(clustersOf([1, 2, 3.9, 10, 10], 3), [[0, 1, 2], [3, 4]]);
});

test("a sentence explains why a user has access or not", () => {
  const at = iso(day);
  assert.equal(explain(entitlement({})).key, "endless");
  assert.equal(explain(entitlement({ accessUntil: at, expiresAt: at })).key, "renews");
  assert.equal(explain(entitlement({ accessUntil: at, expiresAt: at, willRenew: false })).key, "notRenewed");
  assert.equal(explain(entitlement({ accessUntil: at, status: "expired", graceUntil: at })).key, "grace");
  assert.equal(explain(entitlement({ accessUntil: at, periodType: "trial" })).key, "trial");
  assert.equal(explain(entitlement({ isActive: false, accessUntil: at })).key, "lapsed");
  assert.equal(explain(entitlement({ isActive: false, accessUntil: at, cancelReason: "CUSTOMER_SUPPORT" })).key, "refunded");
  assert.equal(explain(entitlement({ isActive: false, accessUntil: at, lastEventType: "REVOKE", status: "expired" })).key, "revoked");
});

test("a feature lasts as long as the longest entitlement that gives it", () => {
  const features = featuresOf([
    entitlement({ features: ["export"], accessUntil: iso(day) }),
    entitlement({ features: ["export", "sync"], accessUntil: iso(2 * day) }),
    entitlement({ features: ["sync"], accessUntil: null }),
    entitlement({ features: ["archive"], isActive: false }),
  ]);
  assert.deepEqual(features, [{ name: "export", until: iso(2 * day) }, { name: "sync", until: null }]);
});

test("events that changed nothing have a neutral mark", () => {
  assert.equal(markOf({ type: "RENEWAL", result: "applied" }), "gain");
  assert.equal(markOf({ type: "RENEWAL", result: "rejected" }), "neutral");
  assert.equal(markOf({ type: "toString", result: "applied" }), "neutral");
});

test("dates of a form are midnights of the user, and nonsense is no date", () => {
  assert.equal(momentOf("2026-01-31", 1), new Date(2026, 1, 1).toISOString());
  assert.equal(momentOf(""), undefined);
  assert.equal(momentOf("x-y-z"), undefined);
});

const stat = (product: string, date: string, active: number, started: number, churned: number): DayStats => ({ product, productId: null, date, active, trials: 1, new: started, churned });

test("days without numbers are zero, and spans are summed from the end", () => {
  const days = lastDays(8, Date.UTC(2026, 0, 31, 12));
  const stats = [stat("a", "2026-01-24", 10, 1, 0), stat("a", "2026-01-31", 9, 2, 3), stat("b", "2026-01-31", 5, 1, 1), stat("a", "2025-12-01", 7, 7, 7)];
  const totals = totalsOf(stats, days, null);
  assert.deepEqual(totals.active, [10, 0, 0, 0, 0, 0, 0, 14]);
  assert.deepEqual(totalsOf(stats, days, "b").active.at(-1), 5);
  assert.deepEqual(spansOf(totals, days, 7), [{ start: Date.UTC(2026, 0, 25), started: 3, ended: 4, churn: 0.4 }]);
  assert.equal(churnOf(3, 0), null);
  assert.deepEqual(byProduct(stats, "2026-01-31").map((one) => [one.product, one.active, one.started, one.ended]), [["a", 9, 10, 10], ["b", 5, 1, 1]]);
});
