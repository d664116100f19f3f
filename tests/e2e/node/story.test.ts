// The life of one app with all four services, through typed clients. Every request and response is checked against the contracts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { paths as AuthPaths } from "./clients/auth-mfa.js";
import type { paths as BillingPaths } from "./clients/billing.js";
import type { components as FeedbackTypes, paths as FeedbackPaths } from "./clients/feedback.js";
import type { paths as NotifyPaths } from "./clients/notify.js";
import { eventually, ok, refused } from "./services.js";
import { serviceAccountKey, Shop } from "./shop.js";

type User = { userId: string; accessToken: string };
type Thread = FeedbackTypes["schemas"]["Feedback"];

const picture = Buffer.from("\x89PNG\r\n\x1a\n....", "latin1");
const ada = { email: "ada@example.com", password: "a violet teapot" };
const grace = { email: "grace@shop.example", password: "another violet teapot" };
const phone = "+14155550123";
const device = "ada-phone";
const purchasesSecret = "Bearer a violet teapot";
const now = Math.floor(Date.now() / 1000);
const month = now + 30 * 86_400;
const year = now + 365 * 86_400;

let shop: Shop;
before(async () => {
  shop = await Shop.open();
});
after(() => shop?.stop());

test("a tenant is provisioned, and its first user uses all services", async () => {
  const staff = await opening();
  const user = await signUp();
  const thread = await complain(user);
  await answer(staff, thread, user.userId);
  await buy(user.userId);
  await missed(user.userId);
  await apart(thread);
  assert.deepEqual(shop.failures, []);
});

/** The shop's backend configures the services with the keys that `scripts/tenant` printed. Grace, its owner, signs in. */
async function opening(): Promise<string> {
  assert.deepEqual(
    Object.keys(shop.keys).sort(),
    [
      "BILLING_PRODUCTION_KEY",
      "BILLING_SANDBOX_KEY",
      "FEEDBACK_PRODUCTION_KEY",
      "FEEDBACK_SANDBOX_KEY",
      "NOTIFY_PRODUCTION_KEY",
      "NOTIFY_PRODUCTION_PUBLISHABLE_KEY",
      "NOTIFY_SANDBOX_KEY",
      "NOTIFY_SANDBOX_PUBLISHABLE_KEY",
    ],
  );
  const notify = shop.client<NotifyPaths>("notify", shop.keys["NOTIFY_PRODUCTION_KEY"]);
  const template = { name: "answer", channel: "push", subject: "About “{{title}}”", body: "{{text}}" } as const;
  await ok(notify.POST("/v1/templates", { body: template }));
  await ok(notify.PUT("/v1/platforms/{kind}", { params: { path: { kind: "fcm" } }, body: { serviceAccountKey } }));

  const feedback = shop.client<FeedbackPaths>("feedback", shop.keys["FEEDBACK_PRODUCTION_KEY"]);
  shop.hookSecret = (await ok(feedback.POST("/v1/webhooks", { body: { url: shop.hookUrl, events: ["reply.created"] } }))).secret;

  const billing = shop.client<BillingPaths>("billing", shop.keys["BILLING_PRODUCTION_KEY"]);
  await ok(billing.PATCH("/v1/settings", { body: { purchasesSecret, purchasesApiKey: "sk_shop" } }));
  for (const [providerProductId, features] of [["pro.monthly", ["export"]], ["pro.yearly", ["export", "concierge"]]] as const)
    await ok(
      billing.POST("/v1/products", { body: { providerProductId, name: providerProductId, kind: "subscription", features: [...features] } }),
    );

  const operator = shop.client<AuthPaths>("auth-mfa", shop.env["MASTER_KEY"]);
  await ok(operator.POST("/v1/admin/tenants/{slug}/owners", { params: { path: { slug: "shop" } }, body: grace }));
  return (await ok(shop.client<AuthPaths>("auth-mfa").POST("/v1/auth/login", { body: grace }))).accessToken;
}

/** Waits for this number of messages to Ada's phone; returns the code in the last one. */
const codeOf = (messages: number): Promise<string> =>
  eventually(() => {
    const sent = readFileSync(shop.env["SMS_OUTBOX"]!, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { tenant: string; env: string; to: string; body: string })
      .filter(({ to }) => to === phone);
    if (sent.length < messages) return undefined;
    const { tenant, env, body } = sent.at(-1)!;
    assert.deepEqual([tenant, env], ["shop", "production"]);
    assert.match(body, /^The Shop: /);
    return /\d{6}/.exec(body)![0];
  });

/** Ada registers, enrols her phone, and signs in with a password and a code. */
async function signUp(): Promise<User> {
  const anybody = shop.client<AuthPaths>("auth-mfa");
  const registered = await ok(anybody.POST("/v1/auth/register", { body: ada }));
  const enrolling = shop.client<AuthPaths>("auth-mfa", registered.accessToken);
  await ok(enrolling.POST("/v1/auth/mfa/sms/setup", { body: { phone } }));
  const { recoveryCodes } = await ok(enrolling.POST("/v1/auth/mfa/sms/confirm", { body: { code: await codeOf(1) } }));
  assert.equal(recoveryCodes.length, 10);

  const challenged = await refused(anybody.POST("/v1/auth/login", { body: ada }), "mfa_required");
  assert.ok("mfa_token" in challenged);
  const body = { mfa_token: challenged.mfa_token, method: "sms", code: await codeOf(2) } as const;
  const { accessToken } = await ok(anybody.POST("/v1/auth/mfa/verify", { body }));
  const { userId } = await ok(shop.client<AuthPaths>("auth-mfa", accessToken).GET("/v1/auth/me"));
  assert.equal(userId, registered.user.userId);
  return { userId, accessToken };
}

/** Ada's app registers her device with the publishable key. She sends feedback with a picture. */
async function complain({ accessToken, userId }: User): Promise<Thread> {
  const app = shop.client<NotifyPaths>("notify", shop.keys["NOTIFY_PRODUCTION_PUBLISHABLE_KEY"]);
  await ok(app.POST("/v1/devices", { body: { userId, token: device, platform: "android" } }));

  const feedback = shop.client<FeedbackPaths>("feedback", accessToken);
  const file = await ok(
    feedback.POST("/v1/attachments/presign", { body: { filename: "cart.png", contentType: "image/png", sizeBytes: picture.length } }),
  );
  await shop.send("feedback", "PUT", file.uploadUrl, { "content-type": "image/png" }, picture);
  const thread = await ok(
    feedback.POST("/v1/feedbacks", {
      params: { header: { "Idempotency-Key": "cart-1" } },
      body: { category: "bug", title: "My cart", body: "It empties itself.", attachmentIds: [file.attachmentId] },
    }),
  );
  assert.deepEqual([thread.userId, thread.userEmail, thread.status], [userId, ada.email, "open"]);
  return thread;
}

/** Grace looks at the picture, and writes an internal note and a reply. Ada gets one push, even if events are repeated or forged. */
async function answer(staff: string, { feedbackId, attachmentIds }: Thread, userId: string): Promise<void> {
  const desk = shop.client<FeedbackPaths>("feedback", staff);
  const here = { path: { feedbackId } };
  const shown = await ok(desk.GET("/v1/attachments/{attachmentId}", { params: { path: { attachmentId: attachmentIds[0]! } } }));
  assert.deepEqual((await shop.send("feedback", "GET", shown.downloadUrl!)).body, picture);
  const note = { body: "Third this week.", internal: true };
  await ok(desk.POST("/v1/feedbacks/{feedbackId}/replies", { params: here, body: note }));
  await eventually(() => (shop.answered.length === 1 ? true : undefined));
  const reply = await ok(desk.POST("/v1/feedbacks/{feedbackId}/replies", { params: here, body: { body: "It is mended." } }));
  assert.equal(reply.authorRole, "owner");

  const push = await eventually(async () => (await shop.pushes())[0]);
  assert.deepEqual([push.token, push.answer], [device, "ok"]);
  assert.deepEqual(push.body.message.notification, { title: "About “My cart”", body: "It is mended." });
  assert.equal(push.body.message.data["feedbackId"], feedbackId);

  // The shop receives the same event again, under the same id, and a forged event.
  const backend = shop.client<FeedbackPaths>("feedback", shop.keys["FEEDBACK_PRODUCTION_KEY"]);
  const { items } = await ok(backend.GET("/v1/webhooks"));
  const path = { webhookId: items[0]!.webhookId };
  const delivery = await eventually(async () => {
    const { items } = await ok(backend.GET("/v1/webhooks/{webhookId}/deliveries", { params: { path, query: { status: "delivered" } } }));
    return items.length === 2 ? items[0] : undefined;
  });
  await ok(
    backend.POST("/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver", {
      params: { path: { ...path, deliveryId: delivery.deliveryId } },
    }),
  );
  await eventually(() => (shop.answered.length === 3 ? true : undefined));
  const forged = JSON.stringify({ type: "reply.created", timestamp: new Date().toISOString(), data: { ...reply, body: "Click here." } });
  const headers = { "webhook-id": "1", "webhook-timestamp": String(now), "webhook-signature": "v1,Zm9yZ2Vk" };
  assert.equal((await fetch(shop.hookUrl, { method: "POST", headers, body: forged })).status, 401);
  assert.deepEqual(shop.answered, [204, 204, 204, 401]);

  // Her phone acknowledges the push, and she opens it.
  const notify = shop.client<NotifyPaths>("notify", shop.keys["NOTIFY_PRODUCTION_KEY"]);
  const { notifications } = await ok(notify.GET("/v1/notifications", { params: { query: { to: userId } } }));
  assert.equal(notifications.length, 1);
  const { notificationId } = notifications[0]!;
  assert.equal(push.body.message.data["notificationId"], notificationId);
  const got = { id: notificationId, context: "background", timestamp: new Date().toISOString() };
  await ok(notify.POST("/v1/notifications/ack", { body: { notifications: [got] } }));
  const opened = await ok(notify.POST("/v1/notifications/{notificationId}/opened", { params: { path: { notificationId } } }));
  assert.equal(opened.status, "opened");
  assert.equal((await shop.pushes()).length, 1);
}

/** Whether the user has the feature. */
async function may(userId: string, feature: string): Promise<boolean> {
  const billing = shop.client<BillingPaths>("billing", shop.keys["BILLING_PRODUCTION_KEY"]);
  return (await ok(billing.GET("/v1/users/{userId}/features/{feature}", { params: { path: { userId, feature } } }))).granted;
}

const purchase = (id: string, userId: string, product: string, until: number) => ({
  api_version: "1.0",
  event: {
    id,
    type: "INITIAL_PURCHASE",
    event_timestamp_ms: now * 1000,
    app_user_id: userId,
    product_id: product,
    environment: "PRODUCTION" as const,
    purchased_at_ms: now * 1000,
    expiration_at_ms: until * 1000,
  },
});

const told = async (body: ReturnType<typeof purchase>): Promise<string> =>
  (await ok(shop.client<BillingPaths>("billing").POST("/webhooks/purchases", { body, headers: { Authorization: purchasesSecret } }))).result;

/** Ada buys a month in the app. The provider's webhook grants the features. */
async function buy(userId: string): Promise<void> {
  assert.equal(await may(userId, "export"), false);
  assert.equal(await told(purchase("rc-1", userId, "pro.monthly", month)), "applied");
  assert.equal(await told(purchase("rc-1", userId, "pro.monthly", month)), "duplicate");
  assert.deepEqual([await may(userId, "export"), await may(userId, "concierge")], [true, false]);
}

/** Ada also buys a year, and the webhook is lost. A sync fetches the purchase from the provider. The late webhook changes nothing. */
async function missed(userId: string): Promise<void> {
  const billing = shop.client<BillingPaths>("billing", shop.keys["BILLING_PRODUCTION_KEY"]);
  const period = (until: number) => ({
    purchase_date: new Date(now * 1000).toISOString(),
    original_purchase_date: new Date(now * 1000).toISOString(),
    expires_date: new Date(until * 1000).toISOString(),
    is_sandbox: false,
    store: "play_store",
    period_type: "normal",
  });
  await shop.sold(userId, { "pro.monthly": period(month), "pro.yearly": period(year) });
  assert.equal(await may(userId, "concierge"), false);
  const { changes } = await ok(billing.POST("/v1/sync/{userId}", { params: { path: { userId } } }));
  assert.deepEqual(
    changes.map(({ from, to }) => [from, to]),
    [[null, "active"]],
  );
  assert.equal(await may(userId, "concierge"), true);
  assert.equal(await told(purchase("rc-2", userId, "pro.yearly", year)), "stale");
  const { entitlements } = await ok(billing.GET("/v1/users/{userId}/entitlements", { params: { path: { userId } } }));
  assert.deepEqual(
    entitlements.map(({ providerProductId, isActive, features }) => [providerProductId, isActive, features.length]).sort(),
    [
      ["pro.monthly", true, 1],
      ["pro.yearly", true, 2],
    ],
  );
}

/** The shop's sandbox contains none of these data. After the operator erases the shop, no data are left. */
async function apart({ feedbackId }: Thread): Promise<void> {
  shop.label = "shop-sandbox";
  const feedback = shop.client<FeedbackPaths>("feedback", shop.keys["FEEDBACK_SANDBOX_KEY"]);
  assert.deepEqual((await ok(feedback.GET("/v1/feedbacks"))).items, []);
  await refused(feedback.GET("/v1/feedbacks/{feedbackId}", { params: { path: { feedbackId } } }), "NOT_FOUND");
  const notify = shop.client<NotifyPaths>("notify", shop.keys["NOTIFY_SANDBOX_KEY"]);
  assert.deepEqual((await ok(notify.GET("/v1/notifications"))).notifications, []);
  await refused(shop.client<AuthPaths>("auth-mfa").POST("/v1/auth/login", { body: ada }), "INVALID_CREDENTIALS");

  shop.label = "shop";
  await shop.script("tenant", "delete", "shop", "--purge");
  const after = shop.client<FeedbackPaths>("feedback", shop.keys["FEEDBACK_PRODUCTION_KEY"]);
  await eventually(async () => ((await after.GET("/v1/feedbacks")).response.ok ? undefined : true));
  await refused(shop.client<AuthPaths>("auth-mfa").POST("/v1/auth/login", { body: ada }), "TENANT_NOT_FOUND");
}
