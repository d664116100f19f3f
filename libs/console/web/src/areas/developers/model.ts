import type { FeedbackComponents, WebhookEvents } from "@tetrad/client";

type Schemas = FeedbackComponents["schemas"];
export type Webhook = Schemas["Webhook"];
export type WebhookWithSecret = Schemas["WebhookWithSecret"];
export type Delivery = Schemas["Delivery"];
export type DeliveryWithPayload = Schemas["DeliveryWithPayload"];
export type WebhookTest = Schemas["WebhookTest"];
export type AuditEntry = Schemas["AuditEntry"];
export type KeyRecord = Schemas["KeyRecord"];
export type NewKey = Schemas["NewKey"];
export type KeyKind = NonNullable<KeyRecord["kind"]>;

export const services = ["auth", "feedback", "notify", "billing"] as const;
export type Service = (typeof services)[number];
/** The services whose keys a tenant makes. The operator makes those of feedback. */
export const keyServices = ["auth", "notify", "billing"] as const satisfies readonly Service[];
export type KeyService = (typeof keyServices)[number];
export const keyKinds = ["secret", "publishable"] as const satisfies readonly KeyKind[];

type Role = "user" | "admin" | "owner";
type Environment = "production" | "sandbox";

/** Whether the role may list, make and revoke the service's keys. */
export const mayManageKeys = (service: KeyService, role: Role): boolean => role === "owner" || (role === "admin" && service !== "auth");

/** Whether the role may read the service's settings, and whether it may change them in the environment. */
export const settingsAccess = (service: Service, role: Role, environment: Environment): "none" | "read" | "write" =>
  role === "user" || (service === "auth" && role !== "owner") ? "none" : service === "billing" && environment === "sandbox" ? "read" : "write";

/** The types of events that webhooks receive from each service. */
export const eventTypes = {
  auth: ["user.created", "user.updated", "user.deleted", "session.created", "mfa.enabled", "mfa.disabled"],
  feedback: ["feedback.created", "feedback.updated", "feedback.deleted", "reply.created", "reply.updated", "reply.deleted"],
  notify: ["notification.sent", "notification.delivered", "notification.opened", "notification.failed", "broadcast.completed", "domain.failing"],
  billing: ["entitlement.changed"],
} as const satisfies Record<Service, readonly (keyof WebhookEvents)[]>;

export const webhookHref = (service: Service, id: string): string => `/console/developers/webhooks/${service}/${id}`;

/** How people name a webhook: by its description, otherwise by the host of its endpoint. */
export function nameOfWebhook({ description, url }: Pick<Webhook, "description" | "url">): string {
  if (description) return description;
  try {
    return new URL(url).host || url;
  } catch {
    return url;
  }
}

/** ETag of a webhook. */
export const etagOf = ({ version }: Webhook): string => `"${version}"`;

export const deliveryStatuses = ["pending", "delivered", "failed"] as const satisfies readonly Delivery["status"][];
export type DeliveryStatus = (typeof deliveryStatuses)[number];

const soonMs = 60_000;

/** Milliseconds until deliveries are read again. Retries can be hours away, so only those that are due soon are followed closely. */
export function pollInterval(deliveries: readonly Pick<Delivery, "status" | "nextAttemptAt">[], now: number): number {
  const isDue = ({ status, nextAttemptAt }: Pick<Delivery, "status" | "nextAttemptAt">): boolean => status === "pending" && (nextAttemptAt === null || Date.parse(nextAttemptAt) - now < soonMs);
  return deliveries.some(isDue) ? 2_000 : 15_000;
}

/** Origins that a service may allow. */
export const maxOrigins = 20;
export type OriginFault = "scheme" | "wildcard" | "path" | "format" | "known" | "limit";

/** The origin that a person has typed, in the form that browsers send. */
export function readOrigin(text: string, known: readonly string[]): { origin: string } | { fault: OriginFault; origin?: string } {
  const given = text.trim();
  if (!/^https?:\/\//i.test(given)) return { fault: "scheme" };
  if (/^[^/]*\/\/[^/?#]*\*/.test(given)) return { fault: "wildcard" };
  let url: URL;
  try {
    url = new URL(given);
  } catch {
    return { fault: "format" };
  }
  const { origin } = url;
  if (url.username || url.password || url.hostname.endsWith(".")) return { fault: "format" };
  if (url.pathname !== "/" || url.search || url.hash) return { fault: "path", origin };
  if (known.includes(origin)) return { fault: "known", origin };
  return known.length >= maxOrigins ? { fault: "limit" } : { origin };
}

export type ActorKind = "user" | "key" | "operator" | "worker" | "client" | "anonymous" | "erased";

/** Who made a change. `name`: the user id, the key's prefix, the worker or the client. */
export function actorOf(actor: string): { kind: ActorKind; name: string } {
  if (actor === "master") return { kind: "operator", name: "" };
  if (actor === "anonymous") return { kind: "anonymous", name: "" };
  const [, kind, name] = /^(key|system|client|deleted):(.*)$/s.exec(actor) ?? [];
  if (kind === undefined || name === undefined) return { kind: "user", name: actor };
  return { kind: ({ key: "key", system: "worker", client: "client", deleted: "erased" } as const)[kind as "key"], name };
}

export interface FieldChange {
  name: string;
  /** Undefined: the field did not exist. */
  before: unknown;
  after: unknown;
}

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The fields that an entry of the audit log changed. */
export function changesOf({ before, after }: Pick<AuditEntry, "before" | "after">): FieldChange[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const valueOf = (object: Record<string, unknown> | null, name: string): unknown => (object !== null && Object.hasOwn(object, name) ? object[name] : undefined);
  return names.map((name) => ({ name, before: valueOf(before, name), after: valueOf(after, name) })).filter((one) => !isEqual(one.before, one.after));
}

const keyActions = ["key.mint", "key.rotate", "key.revoke"];
const commonActions = ["settings.updated", "webhook.created", "webhook.updated", "webhook.deleted", "webhook.secret_rotated", "webhook.redelivered", "webhook.tested", ...keyActions];

/** Actions that the filter of the audit log offers. Entries can have others, which the filter then offers too. */
export const auditActions: Record<Service, readonly string[]> = {
  auth: [
    "member.role", "member.status", "member.mfa_reset", "member.sessions_ended", "sign_in.refused", "session.created", "session.ended", "sessions.ended", "session.reauthenticated",
    "session.reauthentication_refused", "session.reuse_detected", "user.created", "user.deleted", "user.invitation_accepted", "user.email_verified", "user.email_change_requested", "user.email_changed",
    "user.email_reverted", "user.password_changed", "user.password_reset", "factor.enabled", "factor.disabled", "recovery_code.used", "recovery_codes.replaced", "passkey.refused", "passkey.failed",
    "passkey.counter_regressed", "device.trusted", "device.forgotten", "devices.forgotten", "identity.linked", "identity.unlinked", "client.created", "client.updated", "client.deleted",
    "client.secret_rotated", "authorization_code.reused", "sms_enrolment.refused", "sms_code.withheld", "sms_opt_out.cleared", "logo.updated", "logo.deleted", ...commonActions,
  ],
  feedback: ["feedback.status", "feedback.merged", "feedback.deleted", "reply.updated", "reply.deleted", "user.erased", "logo.updated", "logo.deleted", ...commonActions],
  notify: [
    "template.created", "template.updated", "template.deleted", "broadcast.created", "broadcast.cancelled", "notification.cancelled", "notification.retried", "platform.updated", "platform.deleted", "domain.created",
    "domain.updated", "domain.deleted", "domain.verified", "domain.unverified", "suppression.deleted", "user.erased", ...commonActions,
  ],
  billing: ["product.created", "product.updated", "product.deleted", "grant.created", "grant.deleted", "event.replayed", "entitlements.synced", "backfill.created", "user.erased", ...commonActions],
};

export const periods = ["day", "week", "month"] as const;
export type Period = (typeof periods)[number];
const periodDays: Record<Period, number> = { day: 1, week: 7, month: 30 };

/** The entries of the audit log that the page shows. Empty members filter nothing. */
export interface AuditFilter {
  actor: string;
  action: string;
  period: Period | "";
}

/** The filter in the search parameters of the address. */
export const readAuditFilter = (params: URLSearchParams): AuditFilter => ({
  actor: params.get("actor") ?? "",
  action: params.get("action") ?? "",
  period: periods.find((one) => one === params.get("period")) ?? "",
});

/** Query parameters of `listAudit`. */
export const auditQueryOf = ({ actor, action }: AuditFilter): { actor?: string; action?: string } => ({ ...(actor.trim() && { actor: actor.trim() }), ...(action && { action }) });

/** Ends a list that is sorted from new to old at the beginning of the period. The API has no filter for times. */
export function withinPeriod<Item extends { createdAt: string }>(page: { items: readonly Item[]; cursor?: string | null }, period: Period | "", now: number): { items: readonly Item[]; cursor?: string | null } {
  if (period === "") return page;
  const begin = now - periodDays[period] * 86_400_000;
  const items = page.items.filter(({ createdAt }) => Date.parse(createdAt) >= begin);
  return items.length < page.items.length ? { items, cursor: null } : page;
}
