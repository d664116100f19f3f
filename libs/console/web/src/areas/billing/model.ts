import type { BillingComponents } from "@tetrad/client";

type Schemas = BillingComponents["schemas"];
export type Entitlement = Schemas["Entitlement"];
export type Product = Schemas["Product"];
export type NewProduct = Schemas["NewProduct"];
export type BillingEvent = Schemas["Event"];
export type DayStats = Schemas["DayStats"];
export type Backfill = Schemas["Backfill"];

export const statuses = ["active", "expired", "paused"] as const;
export type Status = (typeof statuses)[number];
export const kinds = ["subscription", "lifetime", "consumable"] as const;
export type Kind = (typeof kinds)[number];
export const results = ["applied", "skipped", "stale", "duplicate", "rejected", "deferred"] as const;
export type EventResult = (typeof results)[number];

/** Types of events that the filter offers. The address of the page can name any other type. */
export const eventTypes = [
  "INITIAL_PURCHASE", "RENEWAL", "NON_RENEWING_PURCHASE", "PRODUCT_CHANGE", "CANCELLATION", "UNCANCELLATION", "BILLING_ISSUE", "SUBSCRIPTION_PAUSED", "SUBSCRIPTION_EXTENDED", "EXPIRATION", "TRANSFER",
  "customer.subscription.created", "customer.subscription.updated", "customer.subscription.deleted", "invoice.paid", "invoice_payment.paid", "checkout.session.completed",
  "checkout.session.async_payment_succeeded", "charge.refunded", "charge.dispute.created", "charge.dispute.closed", "SYNC", "GRANT", "REVOKE", "SETTINGS", "LINK",
] as const;
export type KnownType = (typeof eventTypes)[number];
export const isKnownType = (type: string | null): type is KnownType => (eventTypes as readonly (string | null)[]).includes(type);

/** What an event does to access, for its mark in the chart. */
export type Mark = "gain" | "end" | "risk" | "neutral";
const marks: Record<Mark, readonly KnownType[]> = {
  gain: ["INITIAL_PURCHASE", "RENEWAL", "NON_RENEWING_PURCHASE", "PRODUCT_CHANGE", "UNCANCELLATION", "SUBSCRIPTION_EXTENDED", "GRANT", "customer.subscription.created", "invoice.paid", "checkout.session.completed", "checkout.session.async_payment_succeeded"],
  end: ["EXPIRATION", "REVOKE", "customer.subscription.deleted", "charge.refunded", "charge.dispute.closed"],
  risk: ["CANCELLATION", "BILLING_ISSUE", "SUBSCRIPTION_PAUSED", "charge.dispute.created"],
  neutral: [],
};
export function markOf(event: Pick<BillingEvent, "type" | "result">): Mark {
  if (event.result === "rejected" || event.result === "skipped" || !isKnownType(event.type)) return "neutral";
  const type = event.type;
  return (["gain", "end", "risk"] as const).find((mark) => marks[mark].includes(type)) ?? "neutral";
}

export const userHref = (userId: string): string => `/console/billing/users/${encodeURIComponent(userId)}`;

export type Explanation =
  | { key: "revoked" | "refunded" | "lapsed" | "pausedEnded" | "ended"; at: string | null }
  | { key: "trial" | "trialCancelled" | "grace" | "billingIssue" | "paused" | "renews" | "granted" | "notRenewed"; at: string }
  | { key: "endless"; at: null };

/** Why a user has access, or why not. `at` is the time that the sentence names. */
export function explain(one: Entitlement): Explanation {
  const { accessUntil, expiresAt, status } = one;
  if (!one.isActive) {
    if (one.lastEventType === "REVOKE") return { key: "revoked", at: accessUntil };
    if (one.cancelReason === "CUSTOMER_SUPPORT" || one.lastEventType === "charge.refunded") return { key: "refunded", at: accessUntil };
    if (status === "paused") return { key: "pausedEnded", at: accessUntil };
    return { key: status === "active" && one.willRenew ? "lapsed" : "ended", at: accessUntil };
  }
  if (accessUntil === null) return { key: "endless", at: null };
  if (status === "paused") return { key: "paused", at: accessUntil };
  if (status === "expired") return { key: one.graceUntil === null ? "billingIssue" : "grace", at: accessUntil };
  if (one.periodType === "trial") return { key: one.willRenew ? "trial" : "trialCancelled", at: expiresAt ?? accessUntil };
  if (one.willRenew) return { key: "renews", at: expiresAt ?? accessUntil };
  return { key: one.source === "manual" ? "granted" : "notRenewed", at: accessUntil };
}

/** Entitlements with access first, then the latest end. */
export function byAccess(a: Entitlement, b: Entitlement): number {
  const end = (one: Entitlement): number => (one.accessUntil === null ? Infinity : Date.parse(one.accessUntil));
  if (a.isActive !== b.isActive) return a.isActive ? -1 : 1;
  return end(a) === end(b) ? 0 : end(b) - end(a);
}

export interface FeatureAccess {
  name: string;
  /** Null: without end. */
  until: string | null;
}

/** The features that a user may use now, with the latest end of all entitlements. */
export function featuresOf(entitlements: readonly Entitlement[]): FeatureAccess[] {
  const found = new Map<string, string | null>();
  for (const one of entitlements) {
    if (!one.isActive) continue;
    for (const name of one.features) {
      const before = found.get(name);
      if (!found.has(name) || (before !== null && (one.accessUntil === null || one.accessUntil > before!))) found.set(name, one.accessUntil);
    }
  }
  return [...found].map(([name, until]) => ({ name, until })).sort((a, b) => a.name.localeCompare(b.name));
}

/** A moment of the service from a date of a form, at midnight of the user's time zone. Undefined if it is empty or invalid. */
export function momentOf(date: string, days = 0): string | undefined {
  const [year, month, day] = date.split("-").map(Number);
  if (!year || !month || !day) return undefined;
  const time = new Date(year, month - 1, day + days);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** A local date for a field of the type `date`. */
export function dateField(time: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}
