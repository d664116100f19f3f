// Steps that the stories of several services share: tenants, the API reference and webhooks.
import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import type { paths } from "./clients/feedback.js";
import { eventually, ok, refused, type Name, type World } from "./world.js";

type Shared = { [path in Extract<keyof paths, `/v1/admin/${string}` | `/v1/webhooks${string}` | `/docs${string}` | "/">]: paths[path] };

/** The operator creates, changes and erases a tenant. */
export async function administer(world: World, name: Name): Promise<void> {
  const operator = world.client<Shared>(name, world.env["MASTER_KEY"]);
  const tenant = { params: { path: { slug: "contract" } } };
  const made = await operator.PUT("/v1/admin/tenants/{slug}", {
    ...tenant,
    body: { displayName: "Contract", limits: { requestsPerMinute: 60 } },
  });
  assert.equal(made.response.status, 201);
  const changed = await ok(operator.PUT("/v1/admin/tenants/{slug}", { ...tenant, body: { displayName: "Contract", status: "suspended" } }));
  assert.equal(changed.limits["requestsPerMinute"], 60);
  assert.deepEqual(await ok(operator.GET("/v1/admin/tenants/{slug}", tenant)), changed);
  assert.deepEqual(
    (await ok(operator.GET("/v1/admin/tenants"))).items.map(({ slug }) => slug),
    ["contract", "demo"],
  );
  await eventually(async () => {
    const { response } = await operator.DELETE("/v1/admin/tenants/{slug}", { params: { ...tenant.params, query: { purge: "now" } } });
    return response.status === 503 ? undefined : true;
  });
  await refused(operator.GET("/v1/admin/tenants/{slug}", tenant), "TENANT_NOT_FOUND");
}

/** A browser loads the front page, the tutorial and the API reference. */
export async function readReference(world: World, name: Name): Promise<void> {
  const anybody = world.client<Shared>(name);
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
  const backend = world.client<Shared>(name, key);
  const webhook = await ok(backend.POST("/v1/webhooks", { body: { url: `${world.receiver.url}/${name}`, events: [type] } }));
  const path = { webhookId: webhook.webhookId };
  return async <Data>(mentioned: string): Promise<Data> => {
    const sent = await eventually(() => world.receiver.received.find(({ body }) => body.includes(mentioned)));
    const event = new Webhook(webhook.secret).verify(sent.body, sent.headers) as { type: string; data: Data };
    assert.equal(event.type, type);
    const delivery = await eventually(async () => {
      const { items } = await ok(backend.GET("/v1/webhooks/{webhookId}/deliveries", { params: { path, query: { status: "delivered" } } }));
      return items[0];
    });
    assert.equal(delivery.lastStatus, 204);
    const before = world.receiver.received.length;
    await ok(
      backend.POST("/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver", {
        params: { path: { ...path, deliveryId: delivery.deliveryId } },
      }),
    );
    await eventually(() => (world.receiver.received.length > before ? true : undefined));
    assert.notEqual((await ok(backend.POST("/v1/webhooks/{webhookId}/rotate-secret", { params: { path } }))).secret, webhook.secret);
    assert.equal((await ok(backend.PATCH("/v1/webhooks/{webhookId}", { params: { path }, body: { enabled: false } }))).enabled, false);
    assert.equal((await ok(backend.GET("/v1/webhooks/{webhookId}", { params: { path } }))).enabled, false);
    assert.deepEqual(
      (await ok(backend.GET("/v1/webhooks"))).items.map(({ webhookId }) => webhookId),
      [webhook.webhookId],
    );
    await ok(backend.DELETE("/v1/webhooks/{webhookId}", { params: { path } }));
    return event.data;
  };
}
