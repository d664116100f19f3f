// Steps that the stories of several services share: tenants, the API reference and webhooks.
import assert from "node:assert/strict";
import { verifyWebhook } from "@tetrad/client";
import type { paths } from "./clients/feedback.js";
import { errorOf, eventually, ok, refused, type Name, type World } from "./world.js";

type Reference = { [path in Extract<keyof paths, `/docs${string}` | "/">]: paths[path] };

/** The operator creates, changes and erases a tenant. */
export async function administer(world: World, name: Name): Promise<void> {
  const operator = world.area(name, world.env["MASTER_KEY"]);
  const made = await operator.putTenant("contract", { displayName: "Contract", limits: { requestsPerMinute: 60 } }).withResponse();
  assert.equal(made.response.status, 201);
  const changed = await operator.putTenant("contract", { displayName: "Contract", status: "suspended" });
  assert.equal(changed.limits["requestsPerMinute"], 60);
  assert.deepEqual(await operator.getTenant("contract"), changed);
  assert.deepEqual(
    (await operator.listTenants()).items.map(({ slug }) => slug),
    ["contract", "demo"],
  );
  await eventually(async () => (await errorOf(operator.deleteTenant("contract", { purge: "now" })))?.status !== 503 || undefined);
  await refused(operator.getTenant("contract"), "TENANT_NOT_FOUND");
}

/** A browser loads the front page, the tutorial and the API reference. */
export async function readReference(world: World, name: Name): Promise<void> {
  const anybody = world.client<Reference>(name);
  const front = String(await ok(anybody.GET("/", { parseAs: "text" })));
  assert.ok(front.includes('href="docs"') && front.includes('href="docs/tutorial"') && front.includes("/livez"));
  assert.ok(String(await ok(anybody.GET("/docs/tutorial", { parseAs: "text" }))).includes("<h1>Tutorial"));
  assert.ok(String(await ok(anybody.GET("/docs/pages.css", { parseAs: "text" }))).includes("prefers-color-scheme"));
  const page = String(await ok(anybody.GET("/docs", { parseAs: "text" })));
  assert.ok(page.includes('spec-url="docs/openapi.json"') && page.includes('src="docs/redoc.js"'));
  assert.ok(String(await ok(anybody.GET("/docs/redoc.js", { parseAs: "text" }))).includes("spec-url"));
  const { data, response } = await anybody.GET("/docs/openapi.json");
  assert.equal((data as { openapi: string }).openapi, "3.1.0");
  const tag = response.headers.get("ETag")!;
  const again = await world.send(name, "GET", `${world.base(name)}/docs/openapi.json`, { "If-None-Match": tag });
  assert.equal(again.status, 304);
}

/** Creates a webhook for events of one type. The returned function waits for an event that contains a text, verifies its signature,
    calls the other operations on the webhook, and returns the event's data. */
export async function listen(world: World, name: Name, key: string, type: string): Promise<<Data>(mentioned: string) => Promise<Data>> {
  const backend = world.area(name, key);
  const webhook = await backend.createWebhook({ url: `${world.receiver.url}/${name}`, events: [type as never] });
  return async <Data>(mentioned: string): Promise<Data> => {
    const sent = await eventually(() => world.receiver.received.find(({ body }) => body.includes(mentioned)));
    const event = await verifyWebhook({ ...sent, secret: webhook.secret });
    assert.equal(event.type, type);
    const delivery = await eventually(async () => {
      const { items } = await backend.listDeliveries(webhook.webhookId, { status: "delivered" });
      return items[0];
    });
    assert.equal(delivery.lastStatus, 204);
    const { payload } = await backend.getDelivery(webhook.webhookId, delivery.deliveryId);
    assert.deepEqual(payload, JSON.parse(sent.body));
    const before = world.receiver.received.length;
    await backend.redeliver(webhook.webhookId, delivery.deliveryId);
    await eventually(() => (world.receiver.received.length > before ? true : undefined));
    const fresh = await backend.rotateWebhookSecret(webhook.webhookId);
    assert.notEqual(fresh.secret, webhook.secret);
    const tested = await backend.testWebhook(webhook.webhookId);
    assert.equal(tested.status, "delivered");
    assert.equal(tested.responseCode, 204);
    const test = world.receiver.received.find(({ headers }) => headers["webhook-id"] === tested.messageId)!;
    for (const secret of [webhook.secret, fresh.secret]) // a day long, messages have signatures by both
      assert.deepEqual((await verifyWebhook({ ...test, secret })).data, { webhookId: webhook.webhookId });
    assert.equal((await backend.updateWebhook(webhook.webhookId, { enabled: false })).enabled, false);
    assert.equal((await backend.getWebhook(webhook.webhookId)).enabled, false);
    assert.deepEqual(
      (await backend.listWebhooks()).items.map(({ webhookId }) => webhookId),
      [webhook.webhookId],
    );
    await backend.deleteWebhook(webhook.webhookId);
    return event.data as Data;
  };
}
