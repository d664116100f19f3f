// The story of billing: events of the two providers, and the requests of a backend and of an app.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Billing, BillingComponents } from "@tetrad/client";
import type { paths } from "./clients/billing.js";
import { administer, listen, readReference } from "./shared.js";
import { collected, eventually, ok, refused, rejected, type World } from "./world.js";

type Provider = ReturnType<typeof World.prototype.client<paths>>;
type Entitlement = BillingComponents["schemas"]["Entitlement"];

const signingSecret = "whsec_tour";
const secrets = {
  purchasesSecret: "Bearer a violet teapot",
  purchasesSecretPrevious: "Bearer a faded teapot",
  paymentsSigningSecrets: [{ secret: signingSecret, environment: "sandbox" as const }, "whsec_spare"],
  purchasesApiKey: "sk_tour",
  paymentsApiKey: "rk_test_tour",
};
const now = Math.floor(Date.now() / 1000);
const month = now + 30 * 86_400;

/** An event of the purchase provider. `more` replaces or adds members. */
const bought = (id: string, user: string, more: object = {}) => ({
  api_version: "1.0",
  event: {
    id,
    type: "INITIAL_PURCHASE",
    event_timestamp_ms: Date.now(),
    app_user_id: user,
    product_id: "pro.monthly",
    environment: "SANDBOX" as const,
    store: "APP_STORE",
    transaction_id: `${user}-1`,
    period_type: "NORMAL",
    price_in_purchased_currency: 9.99,
    currency: "EUR",
    purchased_at_ms: now * 1000,
    expiration_at_ms: month * 1000,
    ...more,
  },
});

/** A subscription of the card provider. `more` replaces or adds members. */
const subscription = (user: string, more: object = {}) => ({
  id: `sub_${user}`,
  object: "subscription",
  status: "active",
  livemode: false,
  metadata: { userId: user },
  created: now,
  start_date: now,
  cancel_at_period_end: false,
  items: {
    object: "list",
    has_more: false,
    data: [
      {
        id: `si_${user}`,
        object: "subscription_item",
        quantity: 1,
        current_period_start: now,
        current_period_end: month,
        price: {
          id: "pro.monthly",
          product: "prod_1",
          unit_amount: 1099,
          currency: "eur",
          recurring: { interval: "month", interval_count: 1 },
        },
      },
    ],
  },
  ...more,
});

const subscribed = (id: string, user: string) => ({
  id,
  object: "event",
  type: "customer.subscription.created",
  created: now,
  livemode: false,
  data: { object: subscription(user) },
});

/** Stores a subscription in the simulation of the card provider (scripts/standins.mjs). */
const store = (world: World, stored: ReturnType<typeof subscription>): void =>
  writeFileSync(path.join(world.env["PAYMENTS_OBJECTS"]!, `${stored.id}.json`), JSON.stringify(stored));

/** The subscriber document of a user with one purchase. */
const subscriber = (more: object = {}) => ({
  request_date: new Date().toISOString(),
  subscriber: {
    first_seen: new Date(now * 1000).toISOString(),
    entitlements: {},
    non_subscriptions: {},
    subscriptions: {
      "pro.monthly": {
        purchase_date: new Date(now * 1000).toISOString(),
        original_purchase_date: new Date(now * 1000).toISOString(),
        expires_date: new Date(month * 1000).toISOString(),
        is_sandbox: true,
        store: "app_store",
        period_type: "normal",
        ...more,
      },
    },
  },
});

/** Sends an event of the purchase provider. Returns its result. */
const told = async (provider: Provider, body: ReturnType<typeof bought>, secret = secrets.purchasesSecret): Promise<string> =>
  (await ok(provider.POST("/webhooks/purchases", { body, headers: { Authorization: secret } }))).result;

/** Whether the user may use the feature `export`. */
const may = async (backend: Billing, userId: string): Promise<boolean> => (await backend.checkFeature(userId, "export")).granted;

export async function billing(world: World): Promise<void> {
  const key = world.keys["BILLING_SANDBOX_KEY"]!;
  const backend = world.billing(key);
  const provider = world.client<paths>("billing");

  // The secrets of the providers are stored encrypted and never shown.
  await refused(backend.syncUser("ada"), "PURCHASES_API_NOT_CONFIGURED");
  await refused(backend.syncUser("ada", { source: "payments" }), "PAYMENTS_API_NOT_CONFIGURED");
  // Both environments share settings and catalog. The sandbox key may only read them, so the operator changes them.
  const operator = world.billing(world.env["MASTER_KEY"]);
  await refused(backend.updateSettings(secrets), "FORBIDDEN");
  const settings = await operator.updateSettings({ ...secrets, allowedOrigins: ["https://App.example.com:443"] });
  assert.deepEqual(settings, {
    purchasesSecret: true,
    purchasesSecretPrevious: true,
    purchasesSecretSandbox: false,
    paymentsSigningSecrets: true,
    purchasesApiKey: true,
    paymentsApiKey: true,
    pastDueIsActive: false,
    renewalLeewaySeconds: 3600,
    allowedOrigins: ["https://app.example.com"],
  });
  const { data, response } = await backend.getSettings({ headers: { Origin: "https://app.example.com" } }).withResponse();
  assert.deepEqual(data, settings);
  assert.equal(response.headers.get("Access-Control-Allow-Origin"), "https://app.example.com");
  const productId = await catalogue(backend, operator);
  const heard = await listen(world, "billing", key, "entitlement.changed");

  // Ada buys a month in the app. The event counts once although it is sent twice. During a rotation both secrets are valid. A wrong
  // secret gets 401.
  assert.equal(await told(provider, bought("rc-1", "ada")), "applied");
  assert.equal(await told(provider, bought("rc-1", "ada"), secrets.purchasesSecretPrevious), "duplicate");
  await rejected(
    provider.POST("/webhooks/purchases", { body: bought("rc-2", "ada"), headers: { Authorization: "Bearer a guess" } }),
    "UNAUTHORIZED",
  );
  await rejected(
    provider.POST("/webhooks/purchases", { body: { event: { id: "rc-3" } as never }, headers: { Authorization: secrets.purchasesSecret } }),
    "VALIDATION_ERROR",
  );
  const change = await heard<{ from: string | null; to: string; entitlement: Entitlement; reason: string | null }>("pro.monthly");
  assert.deepEqual([change.from, change.to, change.entitlement.userId, change.reason], [null, "active", "ada", null]);

  // The backend checks the feature.
  assert.equal(await may(backend, "ada"), true);
  const owned = await backend.listEntitlements({ userId: "ada" });
  assert.deepEqual(owned.entitlements[0]!.grants, [{ name: "credits", quantity: 100 }]);
  assert.deepEqual(await backend.getUserEntitlements("ada"), owned);
  const before = { at: "2020-01-01T00:00:00Z" };
  assert.deepEqual((await backend.getUserEntitlements("ada", before)).entitlements, []);

  await app(world, provider, backend);
  await refundAndTransfer(world, provider, backend);
  await card(world, provider, backend);
  await backfill(world, operator, backend);

  // Ada gets a refund, but its webhook is lost. A sync fetches the refund from the provider.
  world.subscribers.set("ada", subscriber({ refunded_at: new Date(now * 1000).toISOString() }));
  const synced = await backend.syncUser("ada");
  assert.deepEqual(
    synced.changes.map(({ from, to }) => [from, to]),
    [["active", "expired"]],
  );
  assert.equal(await may(backend, "ada"), false);

  // Support grants her a week and revokes it. The archive has each of these steps.
  const expiresAt = new Date((now + 7 * 86_400) * 1000).toISOString();
  const grant = await backend.grantEntitlement("ada", { productId, expiresAt, reason: "Sorry." });
  assert.deepEqual([grant.source, grant.isActive, grant.reason], ["manual", true, "Sorry."]);
  assert.equal(await may(backend, "ada"), true);
  await backend.revokeGrant("ada", grant.entitlementId);
  assert.equal(await may(backend, "ada"), false);
  const { items } = await backend.listEvents({ userId: "ada" });
  assert.deepEqual(
    items.map(({ provider, type, result }) => [provider, type, result]),
    [
      ["internal", "REVOKE", "applied"],
      ["internal", "GRANT", "applied"],
      ["internal", "SYNC", "applied"],
      ["purchases", "INITIAL_PURCHASE", "applied"],
    ],
  );
  const since = { userId: "ada", type: "SYNC", eventAfter: new Date(now * 1000).toISOString(), eventBefore: "2099-01-01T00:00:00Z" };
  assert.equal((await backend.listEvents(since)).items.length, 1);
  assert.deepEqual((await backend.listEvents({ result: "rejected" })).items.length, 1);
  assert.equal((await backend.replayEvent("rc-1")).result, "stale");

  await settle(world, backend);

  // The backend exports and erases a user.
  const exported = await collected(backend.exportUser("ada"));
  assert.ok(exported.some(({ type }) => type === "event"));
  assert.deepEqual(await backend.eraseUser("ada"), { deleted: true });

  await administer(world, "billing");
  await readReference(world, "billing");
}

/** Creates a product with the id that both providers use, and another one that is deleted again. */
async function catalogue(backend: Billing, operator: Billing): Promise<string> {
  const body = {
    providerProductId: "pro.monthly",
    name: "Pro",
    kind: "subscription",
    features: ["export"],
    grants: [{ name: "credits", quantity: 100 }],
  } as const;
  const { productId } = await operator.createProduct({ ...body, features: [...body.features], grants: [...body.grants] });
  await refused(operator.createProduct({ ...body, features: null, grants: null }), "CONFLICT");
  await refused(backend.updateProduct(productId, { name: "Free" }), "FORBIDDEN");
  const read = await backend.getProduct(productId).withResponse();
  const changed = await operator.updateProduct(productId, { name: "Pro, monthly" }, { ifMatch: read.response.headers.get("ETag")! });
  assert.deepEqual([changed.name, changed.version], ["Pro, monthly", 2]);
  const spare = await operator.createProduct({ providerProductId: "coins", name: "Coins", kind: "consumable" });
  assert.equal((await backend.listProducts()).items.length, 2);
  await operator.deleteProduct(spare.productId);
  return productId;
}

/** Linus uses the app. The app reads his entitlements with his token, and not those of others. */
async function app(world: World, provider: Provider, backend: Billing): Promise<void> {
  const auth = world.auth();
  const email = "linus-of-billing@example.com";
  const { user, accessToken } = await auth.register({ email, password: "a violet teapot" });
  const userId = user!.userId;
  assert.equal(await told(provider, bought("rc-4", userId)), "applied");
  const phone = world.billing(accessToken!);
  assert.equal((await phone.checkMyFeature("export")).granted, true);
  const mine = await phone.getMyEntitlements();
  const [owned] = mine.entitlements;
  assert.deepEqual([owned!.userId, owned!.isActive, owned!.price], [userId, true, { amount: 999, currency: "EUR" }]);
  assert.deepEqual(await phone.getUserEntitlements(userId), mine);
  assert.deepEqual((await phone.getMyEntitlements({ at: "2020-01-01T00:00:00Z" })).entitlements, []);
  await refused(phone.getUserEntitlements("ada"), "NOT_FOUND");
  await refused(phone.listEvents(), "FORBIDDEN");
  await refused(backend.getMyEntitlements(), "FORBIDDEN");
  await refused(backend.checkMyFeature("export"), "FORBIDDEN");
}

/** Hedy gets a refund. Kay's purchase moves to another user of hers. */
async function refundAndTransfer(world: World, provider: Provider, backend: Billing): Promise<void> {
  await told(provider, bought("rc-5", "hedy"));
  assert.equal(await told(provider, bought("rc-6", "hedy", { type: "CANCELLATION", cancel_reason: "CUSTOMER_SUPPORT" })), "applied");
  const { entitlements } = await backend.listEntitlements({ userId: "hedy" });
  assert.deepEqual(
    entitlements.map(({ status, isActive, cancelReason }) => [status, isActive, cancelReason]),
    [["active", false, "CUSTOMER_SUPPORT"]],
  );

  await told(provider, bought("rc-7", "kay"));
  world.subscribers.set("kay", { ...subscriber(), subscriber: { ...subscriber().subscriber, subscriptions: {} } });
  world.subscribers.set("kay-at-work", subscriber());
  const users = { transferred_from: ["kay"], transferred_to: ["kay-at-work"] };
  const transfer = { event: { id: "rc-8", type: "TRANSFER", event_timestamp_ms: Date.now(), environment: "SANDBOX" as const, ...users } };
  const received = await ok(provider.POST("/webhooks/purchases", { body: transfer, headers: { Authorization: secrets.purchasesSecret } }));
  assert.deepEqual([received.result, received.reason], ["skipped", "handled_by_sdk_login"]);
  await eventually(async () => (!(await may(backend, "kay")) && (await may(backend, "kay-at-work")) ? true : undefined));
}

/** The operator fetches all subscriptions of the account. The reports then have their users. */
async function backfill(world: World, operator: Billing, backend: Billing): Promise<void> {
  store(world, subscription("edsger"));
  const asked = { source: "payments", since: "2020-01-01T00:00:00Z" } as const;
  await refused(backend.startBackfill(asked, { idempotencyKey: "backfill-1" }), "FORBIDDEN");
  const begun = await operator.startBackfill(asked, { idempotencyKey: "backfill-1" }).withResponse();
  const { backfillId } = begun.data;
  assert.equal(begun.response.headers.get("Location"), `/v1/backfills/${backfillId}`);
  const done = await eventually(async () => {
    const found = await backend.getBackfill(backfillId);
    return found.completedAt === null ? undefined : found;
  });
  assert.deepEqual([done.status, done.processed, done.changed, done.failed, done.lastError], ["done", 2, 1, 0, null]);

  const subscribers = { product: "pro.monthly", status: "active" as const, active: true, limit: 100 };
  const { items, cursor } = await backend.listSubscribers(subscribers);
  assert.equal(cursor, null);
  const users = items.map(({ userId }) => userId);
  assert.ok(
    ["ada", "edsger", "grace", "kay-at-work"].every((user) => users.includes(user)),
    users.join(),
  );
  assert.ok(!users.includes("hedy") && !users.includes("kay"), users.join());
  const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const range = { from: day(Date.now() - 86_400_000), to: day(Date.now() + 86_400_000) };
  const { days, mrr } = await backend.getStats(range);
  assert.deepEqual([days.at(-1)!.product, days.at(-1)!.active], ["pro.monthly", items.length]);
  assert.deepEqual(
    mrr.map(({ currency }) => currency),
    ["EUR"],
  );
}

/** Grace subscribes by card. The signature covers the time and the raw bytes. Her cancellation is lost, and a sync finds it. */
async function card(world: World, provider: Provider, backend: Billing): Promise<void> {
  const body = subscribed("evt_1", "grace");
  // A signature is valid for 300 s, and earlier stories may have taken longer.
  const at = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", signingSecret)
    .update(`${at}.${JSON.stringify(body)}`)
    .digest("hex");
  const header = { "Stripe-Signature": `t=${at},v1=${signature}` };
  assert.equal((await ok(provider.POST("/webhooks/payments", { body, headers: header }))).result, "applied");
  await rejected(provider.POST("/webhooks/payments", { body: subscribed("evt_2", "grace"), headers: header }), "UNAUTHORIZED");
  const { entitlements } = await backend.listEntitlements({ userId: "grace" });
  assert.deepEqual(
    entitlements.map(({ source, status, features, willRenew }) => [source, status, features, willRenew]),
    [["payments", "active", ["export"], true]],
  );
  store(world, subscription("grace", { cancel_at_period_end: true, cancellation_details: { reason: "cancellation_requested" } }));
  const synced = await backend.syncUser("grace", { source: "payments" });
  assert.deepEqual(
    synced.entitlements.map(({ isActive, willRenew, cancelReason, lastEventType }) => [isActive, willRenew, cancelReason, lastEventType]),
    [[true, false, "cancellation_requested", "SYNC"]],
  );
}

async function settle(world: World, backend: Billing): Promise<void> {
  const { items } = await backend.listAudit({ action: "entitlements.synced" });
  const subjects = items.map(({ subjectId }) => subjectId);
  assert.ok(
    ["ada", "grace", "kay", "kay-at-work"].every((user) => subjects.includes(user)),
    subjects.join(),
  );
  const operator = world.billing(world.env["MASTER_KEY"]);
  const { prefix } = await operator.mintKey({ environment: "sandbox" });
  assert.ok((await operator.listKeys()).items.some((record) => record.prefix === prefix));
  await operator.revokeKey(prefix);
  await operator.rotateKey("sandbox", { gracePeriodSeconds: 3600 });
  const body = { purchasesSecretPrevious: null, purchasesApiKey: null, paymentsApiKey: null, renewalLeewaySeconds: 0 };
  const settings = await operator.updateSettings(body);
  assert.deepEqual([settings.purchasesSecretPrevious, settings.paymentsApiKey, settings.renewalLeewaySeconds], [false, false, 0]);
}
