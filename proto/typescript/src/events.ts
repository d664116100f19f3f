import type { components as Auth } from "./generated/auth.js";
import type { components as Billing } from "./generated/billing.js";
import type { components as Feedback } from "./generated/feedback.js";
import type { components as Notify } from "./generated/notify.js";

/** The `data` of each type of event that webhooks receive. */
export interface WebhookEvents {
  "feedback.created": Feedback["schemas"]["Feedback"];
  "feedback.updated": Feedback["schemas"]["Feedback"];
  "feedback.deleted": Feedback["schemas"]["Feedback"];
  "reply.created": Feedback["schemas"]["Reply"];
  "reply.updated": Feedback["schemas"]["Reply"];
  "reply.deleted": Feedback["schemas"]["Reply"];
  "user.created": Auth["schemas"]["User"];
  "user.updated": Auth["schemas"]["User"];
  "user.deleted": { userId: string };
  "session.created": { sessionId: string; userId: string; amr: string[]; acr: "aal1" | "aal2"; createdAt: string };
  "mfa.enabled": { userId: string; factor: "sms" | "totp" | "passkey" };
  "mfa.disabled": { userId: string; factor: "sms" | "totp" | "passkey" };
  "notification.sent": Notify["schemas"]["Notification"];
  "notification.delivered": Notify["schemas"]["Notification"];
  "notification.opened": Notify["schemas"]["Notification"];
  "notification.failed": Notify["schemas"]["Notification"];
  "broadcast.completed": Notify["schemas"]["Broadcast"];
  "domain.failing": Notify["schemas"]["Domain"];
  /** Sent by `testWebhook`, from each service. */
  "webhook.test": { webhookId: string };
  "entitlement.changed": {
    /** The status before the change; null if the entitlement is new. */
    from: Billing["schemas"]["Entitlement"]["status"] | null;
    /** The status after the change. */
    to: Billing["schemas"]["Entitlement"]["status"];
    /** The entitlement after the change. */
    entitlement: Billing["schemas"]["Entitlement"];
    /** `lapsed` if access ended by time alone, otherwise null. */
    reason: "lapsed" | null;
  };
}

/** An event that a webhook received. */
export type WebhookEvent = {
  [Type in keyof WebhookEvents]: {
    /** Identifier of the event (`webhook-id`). The same event may arrive more than once, always with the same identifier. */
    id: string;
    type: Type;
    /** When the event happened (RFC 3339). */
    timestamp: string;
    data: WebhookEvents[Type];
  };
}[keyof WebhookEvents];
