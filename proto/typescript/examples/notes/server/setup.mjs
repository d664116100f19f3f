// Sets up the tenant of the local run for the app, and prints the environment of the backend as KEY=VALUE. scripts/example runs it. It
// changes nothing that is as it should be, and keeps the origins that are allowed already. In production, an owner does this once.
import { randomBytes } from "node:crypto";
import { Auth, Billing, ConflictError, Feedback, Notify } from "@tetrad/client";
import { localhostFetch } from "@tetrad/client/localhost";
import { setting } from "./setting.mjs";
import { pro, templateName } from "./product.mjs";

/** @param {string} area */
const urlOf = (area) => `http://demo-sandbox.${setting(`${area}_HOST`)}:${setting(`${area}_PORT`)}`;
/** The options of a client with the operator's key. @param {string} area */
const operator = (area) => ({ baseUrl: urlOf(area), apiKey: setting("MASTER_KEY"), fetch: localhostFetch });

const appUrl = setting("APP_URL");
const origins = [appUrl, "http://127.0.0.1:5173"]; // the second one is that of `npm run dev`
const brand = "Notes";
const colour = "#0d6b5b";
const clientId = "notes-example";
const auth = new Auth(operator("AUTH"));
const feedback = new Feedback(operator("FEEDBACK"));
const notify = new Notify(operator("NOTIFY"));
const billing = new Billing(operator("BILLING"));

/** The origins that a service allows, with those of the app. @param {{allowedOrigins: string[]}} current */
const withOrigins = ({ allowedOrigins }) => [...new Set([...allowedOrigins, ...origins])];

/** Calls the app's webhook at these events, and returns the secret of the webhook. @param {Auth | Billing} service @param {"user.deleted" | "entitlement.changed"} event @param {string | undefined} known */
async function webhookSecret(service, event, known) {
  const url = `${appUrl}/webhooks/tetrad`;
  for await (const webhook of service.listWebhooks())
    if (webhook.url === url) return known ?? (await service.rotateWebhookSecret(webhook.webhookId)).secret;
  return (await /** @type {any} */ (service).createWebhook({ url, events: [event], description: "Example app" })).secret;
}

async function setUpAuth() {
  await auth.updateSettings({ allowedOrigins: withOrigins(await auth.getSettings()), brand, accentColor: colour });
  // A browser sends the user back only to these addresses. A loopback address of a public client stands for all ports.
  const client = { name: brand, redirectUris: [`${appUrl}/`], postLogoutRedirectUris: origins.map((origin) => `${origin}/`) };
  try {
    await auth.createClient({ clientId, type: "public", ...client });
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    await auth.updateClient(clientId, client);
  }
}

/** Threads with which the board begins: title, text, votes. @type {[string, string, number][]} */
const wishes = [
  ["Share a note with a friend", "My shopping list is a list for two.", 12],
  ["Search in all notes", "I have more notes than I can look through.", 7],
  ["Photos in notes", "A picture of the whiteboard says more than my summary of it.", 4],
];

async function setUpFeedback() {
  await feedback.updateSettings({ allowedOrigins: withOrigins(await feedback.getSettings()), publicBoard: true, publicByDefault: true, boardName: brand, boardColor: colour });
  const known = (await feedback.listFeedbacks({ limit: 1 })).items;
  if (known.length > 0) return;
  for (const [title, body, votes] of wishes) {
    const { feedbackId } = await feedback.createFeedback({ category: "feature", title, body });
    await feedback.updateFeedback(feedbackId, { visibility: "public" });
    for (let user = 0; user < votes; user++) await feedback.voteForUser(feedbackId, `example-${user}`);
  }
}

async function setUpNotify() {
  await notify.updateSettings({ allowedOrigins: withOrigins(await notify.getSettings()) });
  await notify.putPlatform("webpush", { subject: "mailto:push@example.com" }); // keeps the keys if there are some
  try {
    await notify.createTemplate({ name: templateName, channel: "push", subject: "{{title}}", body: "{{body}}" });
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
  }
}

/** @param {string} paymentsSigningSecret */
async function setUpBilling(paymentsSigningSecret) {
  await billing.updateSettings({
    allowedOrigins: withOrigins(await billing.getSettings()),
    paymentsSigningSecrets: [{ secret: paymentsSigningSecret, environment: "sandbox" }],
  });
  const { providerProductId, name, feature } = pro;
  try {
    await billing.createProduct({ providerProductId, name, kind: "lifetime", features: [feature] });
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
  }
}

/** Waits until the services use the new settings, which they keep for a second. */
async function untilAllowed() {
  const routes = { AUTH: "/v1/auth/me", FEEDBACK: "/board/threads", NOTIFY: "/v1/devices", BILLING: "/v1/me/entitlements" };
  for (const [area, route] of Object.entries(routes)) {
    const ask = () => localhostFetch(new Request(urlOf(area) + route, { headers: { Origin: appUrl } }));
    const isReady = async () => (await ask()).headers.get("Access-Control-Allow-Origin") === appUrl;
    while (!(await isReady())) await new Promise((go) => setTimeout(go, 100));
  }
}

const paymentsSigningSecret = process.env["PAYMENTS_SIGNING_SECRET"] ?? `whsec_${randomBytes(24).toString("base64url")}`;
await Promise.all([setUpAuth(), setUpFeedback(), setUpNotify(), setUpBilling(paymentsSigningSecret)]);
const secrets = {
  auth: await webhookSecret(auth, "user.deleted", process.env["AUTH_WEBHOOK_SECRET"]),
  billing: await webhookSecret(billing, "entitlement.changed", process.env["BILLING_WEBHOOK_SECRET"]),
};
await untilAllowed();
const settings = {
  AUTH_URL: urlOf("AUTH"),
  FEEDBACK_URL: urlOf("FEEDBACK"),
  NOTIFY_URL: urlOf("NOTIFY"),
  BILLING_URL: urlOf("BILLING"),
  CLIENT_ID: clientId,
  NOTIFY_KEY: setting("NOTIFY_SANDBOX_KEY"),
  NOTIFY_PUBLISHABLE_KEY: setting("NOTIFY_SANDBOX_PUBLISHABLE_KEY"),
  BILLING_KEY: setting("BILLING_SANDBOX_KEY"),
  AUTH_WEBHOOK_SECRET: secrets.auth,
  BILLING_WEBHOOK_SECRET: secrets.billing,
  PAYMENTS_SIGNING_SECRET: paymentsSigningSecret,
};
for (const [name, value] of Object.entries(settings)) console.log(`${name}=${value}`);
