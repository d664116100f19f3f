import assert from "node:assert/strict";
import { test } from "node:test";
import { Feedback } from "@tetrad/client";
import { localhostFetch } from "@tetrad/client/localhost";
import { json, serve, silence } from "./server.mjs";

test("localhostFetch reaches names below .localhost", async () => {
  const server = await serve([json(200, { ok: true })]);
  const { port } = new URL(server.baseUrl);
  const baseUrl = `http://{tenant}.feedback.localhost:${port}`;
  const feedback = new Feedback({ baseUrl, tenant: "demo-sandbox", apiKey: "fbk_1", fetch: localhostFetch });
  assert.deepEqual(await feedback.createFeedback({ category: "bug", title: "Grüße", body: "b" }), { ok: true });
  const { headers, body } = server.requests[0];
  assert.deepEqual([headers.host, JSON.parse(body).title], [`demo-sandbox.feedback.localhost:${port}`, "Grüße"]);
  await feedback.getSettings();
});

test("localhostFetch passes other names on, and can be aborted", async () => {
  const server = await serve((_, number) => (number === 1 ? json(200, {}) : silence));
  assert.equal((await localhostFetch(new Request(server.baseUrl))).status, 200);
  const controller = new AbortController();
  const url = server.baseUrl.replace("127.0.0.1", "demo.localhost");
  const call = localhostFetch(new Request(url, { signal: controller.signal }));
  setTimeout(() => controller.abort(), 20);
  await assert.rejects(call, { name: "AbortError" });
});
