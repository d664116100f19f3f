import { setting } from "./setting.mjs";

/** The configuration of the backend. server/setup.mjs prints these values, and scripts/example keeps them in .run/example/env. */
export const settings = {
  port: Number(setting("APP_PORT")),
  notesFile: setting("NOTES_FILE"),
  authUrl: setting("AUTH_URL"),
  feedbackUrl: setting("FEEDBACK_URL"),
  notifyUrl: setting("NOTIFY_URL"),
  billingUrl: setting("BILLING_URL"),
  clientId: setting("CLIENT_ID"),
  notifyPublishableKey: setting("NOTIFY_PUBLISHABLE_KEY"),
  // The rest is secret: it never leaves the backend.
  notifyKey: setting("NOTIFY_KEY"),
  billingKey: setting("BILLING_KEY"),
  webhookSecrets: [setting("AUTH_WEBHOOK_SECRET"), setting("BILLING_WEBHOOK_SECRET")],
  paymentsSigningSecret: setting("PAYMENTS_SIGNING_SECRET"),
};
