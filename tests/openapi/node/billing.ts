// The story of billing: events of the two providers, and the requests of a backend.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { components, paths } from "./clients/billing.js";
import { administer, listen, readReference } from "./shared.js";
import { ok, refused, type World } from "./world.js";

type Caller = ReturnType<typeof World.prototype.client<paths>>;
type Entitlement = components["schemas"]["Entitlement"];

const secrets = { purchasesSecret: "Bearer a violet teapot", paymentsSigningSecrets: ["whsec_tour"], purchasesApiKey: "sk_tour" };
const now = Math.floor(Date.now() / 1000);
const month = now + 30 * 86_400;

const bought = (id: string, user: string) => ({
  api_version: "1.0",
  event: {
    id,
    type: "INITIAL_PURCHASE",
    event_timestamp_ms: now * 1000,
    app_user_id: user,
    product_id: "pro.monthly",
    environment: "SANDBOX" as const,
    purchased_at_ms: now * 1000,
    expiration_at_ms: month * 1000,
  },
});

const subscribed = (id: string, user: string) => ({
  id,
  object: "event",
  type: "customer.subscription.created",
  created: now,
  livemode: false,
  data: {
    object: {
      id: `sub_${user}`,
      object: "subscription",
      status: "active",
      livemode: false,
      metadata: { userId: user },
      start_date: now,
      cancel_at_period_end: false,
      items: {
        object: "list",
        data: [{ id: `si_${user}`, current_period_start: now, current_period_end: month, price: { id: "pro.monthly", product: "prod_1" } }],
      },
    },
  },
});

/** The subscriber document of a user whose purchase was refunded. */
const refunded = {
  request_date: new Date(now * 1000).toISOString(),
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
        refunded_at: new Date(now * 1000).toISOString(),
        unsubscribe_detected_at: new Date(now * 1000).toISOString(),
        store: "app_store",
        period_type: "normal",
      },
    },
  },
};

export async function billing(world: World): Promise<void> {
  const key = world.keys["BILLING_SANDBOX_KEY"]!;
  const backend = world.client<paths>("billing", key);
  const provider = world.client<paths>("billing");

  // The secrets of the providers are stored encrypted and never shown.
  await refused(backend.POST("/v1/sync/{userId}", { params: { path: { userId: "ada" } } }), "PURCHASES_API_NOT_CONFIGURED");
  // Both environments share settings and catalog. The sandbox key may only read them, so the operator changes them.
  const operator = world.client<paths>("billing", world.env["MASTER_KEY"]);
  await refused(backend.PATCH("/v1/settings", { body: secrets }), "FORBIDDEN");
  const settings = await ok(operator.PATCH("/v1/settings", { body: { ...secrets, allowedOrigins: ["https://App.example.com:443"] } }));
  assert.deepEqual(settings, {
    purchasesSecret: true,
    paymentsSigningSecrets: true,
    purchasesApiKey: true,
    pastDueIsActive: false,
    allowedOrigins: ["https://app.example.com"],
  });
  const { data, response } = await backend.GET("/v1/settings", { headers: { Origin: "https://app.example.com" } });
  assert.deepEqual(data, settings);
  assert.equal(response.headers.get("Access-Control-Allow-Origin"), "https://app.example.com");
  const productId = await catalogue(backend, operator);
  const heard = await listen(world, "billing", key, "entitlement.changed");

  // Ada buys a month in the app. The event counts once although it is sent twice. A wrong secret gets 401.
  const results: string[] = [];
  for (let time = 0; time < 2; ++time)
    results.push(
      (await ok(provider.POST("/webhooks/purchases", { body: bought("rc-1", "ada"), headers: { Authorization: secrets.purchasesSecret } })))
        .result,
    );
  assert.deepEqual(results, ["applied", "duplicate"]);
  await refused(
    provider.POST("/webhooks/purchases", { body: bought("rc-2", "ada"), headers: { Authorization: "Bearer a guess" } }),
    "UNAUTHORIZED",
  );
  await refused(
    provider.POST("/webhooks/purchases", { body: { event: { id: "rc-3" } as never }, headers: { Authorization: secrets.purchasesSecret } }),
    "VALIDATION_ERROR",
  );
  const change = await heard<{ from: string | null; to: string; entitlement: Entitlement }>("pro.monthly");
  assert.deepEqual([change.from, change.to, change.entitlement.userId], [null, "active", "ada"]);

  // The backend checks the feature.
  const ada = { params: { path: { userId: "ada" } } };
  const may = async (): Promise<boolean> =>
    (await ok(backend.GET("/v1/users/{userId}/features/{feature}", { params: { path: { userId: "ada", feature: "export" } } }))).granted;
  assert.equal(await may(), true);
  const owned = await ok(backend.GET("/v1/entitlements", { params: { query: { userId: "ada" } } }));
  assert.deepEqual(owned.entitlements[0]!.grants, [{ name: "credits", quantity: 100 }]);
  assert.deepEqual(await ok(backend.GET("/v1/users/{userId}/entitlements", ada)), owned);
  const before = { at: "2020-01-01T00:00:00Z" };
  assert.deepEqual(
    (await ok(backend.GET("/v1/users/{userId}/entitlements", { params: { ...ada.params, query: before } }))).entitlements,
    [],
  );

  await card(provider, backend);

  // Ada gets a refund, but its webhook is lost. A sync fetches the refund from the provider.
  world.subscribers.set("ada", refunded);
  const synced = await ok(backend.POST("/v1/sync/{userId}", ada));
  assert.deepEqual(
    synced.changes.map(({ from, to }) => [from, to]),
    [["active", "expired"]],
  );
  assert.equal(await may(), false);

  // Support grants her a week and revokes it. The archive has only the first event.
  const expiresAt = new Date((now + 7 * 86_400) * 1000).toISOString();
  const grant = await ok(backend.POST("/v1/users/{userId}/grants", { ...ada, body: { productId, expiresAt, reason: "Sorry." } }));
  assert.deepEqual([grant.source, grant.isActive, grant.reason], ["manual", true, "Sorry."]);
  assert.equal(await may(), true);
  await ok(
    backend.DELETE("/v1/users/{userId}/grants/{entitlementId}", {
      params: { path: { userId: "ada", entitlementId: grant.entitlementId } },
    }),
  );
  assert.equal(await may(), false);
  const { items } = await ok(backend.GET("/v1/events", { params: { query: { userId: "ada" } } }));
  assert.deepEqual(
    items.map(({ eventId, result }) => [eventId, result]),
    [["rc-1", "applied"]],
  );
  assert.deepEqual((await ok(backend.GET("/v1/events", { params: { query: { result: "rejected" } } }))).items.length, 1);
  assert.equal((await ok(backend.POST("/v1/events/{eventId}/replay", { params: { path: { eventId: "rc-1" } } }))).result, "stale");

  await settle(world, backend);

  // The backend exports and erases a user.
  const exported = String(await ok(backend.GET("/v1/users/{userId}/export", { ...ada, parseAs: "text" })));
  assert.ok(exported.includes('"type":"event"'));
  assert.deepEqual(await ok(backend.DELETE("/v1/users/{userId}", ada)), { deleted: true });

  await administer(world, "billing");
  await readReference(world, "billing");
}

/** Creates a product with the id that both providers use, and another one that is deleted again. */
async function catalogue(backend: Caller, operator: Caller): Promise<string> {
  const body = {
    providerProductId: "pro.monthly",
    name: "Pro",
    kind: "subscription",
    features: ["export"],
    grants: [{ name: "credits", quantity: 100 }],
  } as const;
  const { productId } = await ok(
    operator.POST("/v1/products", { body: { ...body, features: [...body.features], grants: [...body.grants] } }),
  );
  await refused(operator.POST("/v1/products", { body: { ...body, features: null, grants: null } }), "CONFLICT");
  const here = { path: { productId } };
  await refused(backend.PATCH("/v1/products/{productId}", { params: here, body: { name: "Free" } }), "FORBIDDEN");
  const read = await backend.GET("/v1/products/{productId}", { params: here });
  const changed = await ok(
    operator.PATCH("/v1/products/{productId}", {
      params: { ...here, header: { "If-Match": read.response.headers.get("ETag")! } },
      body: { name: "Pro, monthly" },
    }),
  );
  assert.deepEqual([changed.name, changed.version], ["Pro, monthly", 2]);
  const spare = await ok(operator.POST("/v1/products", { body: { providerProductId: "coins", name: "Coins", kind: "consumable" } }));
  assert.equal((await ok(backend.GET("/v1/products"))).items.length, 2);
  await ok(operator.DELETE("/v1/products/{productId}", { params: { path: { productId: spare.productId } } }));
  return productId;
}

/** Grace subscribes by card. The signature covers the time and the raw bytes. */
async function card(provider: Caller, backend: Caller): Promise<void> {
  const body = subscribed("evt_1", "grace");
  // A signature is valid for 300 s, and earlier stories may have taken longer.
  const at = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", secrets.paymentsSigningSecrets[0]!)
    .update(`${at}.${JSON.stringify(body)}`)
    .digest("hex");
  const header = { "Stripe-Signature": `t=${at},v1=${signature}` };
  assert.equal((await ok(provider.POST("/webhooks/payments", { body, headers: header }))).result, "applied");
  await refused(provider.POST("/webhooks/payments", { body: subscribed("evt_2", "grace"), headers: header }), "UNAUTHORIZED");
  const { entitlements } = await ok(backend.GET("/v1/entitlements", { params: { query: { userId: "grace" } } }));
  assert.deepEqual(
    entitlements.map(({ source, status, features }) => [source, status, features]),
    [["payments", "active", ["export"]]],
  );
}

async function settle(world: World, backend: Caller): Promise<void> {
  const { items } = await ok(backend.GET("/v1/audit", { params: { query: { action: "entitlements.synced" } } }));
  assert.deepEqual(
    items.map(({ subjectId }) => subjectId),
    ["ada"],
  );
  const operator = world.client<paths>("billing", world.env["MASTER_KEY"]);
  const { prefix } = await ok(operator.POST("/v1/keys", { body: { environment: "sandbox" } }));
  assert.ok((await ok(operator.GET("/v1/keys"))).items.some((record) => record.prefix === prefix));
  await ok(operator.DELETE("/v1/keys/{prefix}", { params: { path: { prefix } } }));
  await ok(
    operator.POST("/v1/keys/{environment}/rotate", { params: { path: { environment: "sandbox" } }, body: { gracePeriodSeconds: 3600 } }),
  );
  await ok(operator.PATCH("/v1/settings", { body: { purchasesApiKey: null } }));
}
