import assert from "node:assert/strict";
import { test } from "node:test";
import { actorOf, auditQueryOf, changesOf, mayManageKeys, nameOfWebhook, pollInterval, readAuditFilter, readOrigin, settingsAccess, withinPeriod, type AuditEntry } from "../src/areas/developers/model.ts";
import { curlOf, nodeOf, receiverOf, sampleIds } from "../src/areas/developers/samples.ts";

test("only owners manage keys and settings of accounts, and billing's settings are changed in production", () => {
  assert.ok(mayManageKeys("auth", "owner") && !mayManageKeys("auth", "admin"));
  assert.ok(mayManageKeys("notify", "admin") && mayManageKeys("billing", "admin") && !mayManageKeys("billing", "user"));
  assert.equal(settingsAccess("auth", "admin", "production"), "none");
  assert.equal(settingsAccess("auth", "owner", "sandbox"), "write");
  assert.equal(settingsAccess("billing", "owner", "sandbox"), "read");
  assert.equal(settingsAccess("billing", "admin", "production"), "write");
  assert.equal(settingsAccess("feedback", "user", "production"), "none");
});

test("an origin is read as browsers send it", () => {
  assert.deepEqual(readOrigin(" HTTPS://App.Example.com:443/ ", []), { origin: "https://app.example.com" });
  assert.deepEqual(readOrigin("http://localhost:5173", []), { origin: "http://localhost:5173" });
  assert.deepEqual(readOrigin("https://bücher.example", []), { origin: "https://xn--bcher-kva.example" });
});

test("a text that is no origin gets the reason", () => {
  const fault = (text: string, known: string[] = []): unknown => (readOrigin(text, known) as { fault?: string }).fault;
  assert.equal(fault("app.example.com"), "scheme");
  assert.equal(fault("javascript:alert(1)"), "scheme");
  assert.equal(fault("null"), "scheme");
  assert.equal(fault("https://*.example.com"), "wildcard");
  assert.equal(fault("https://app.example.com/path"), "path");
  assert.equal(fault("https://app.example.com?x"), "path");
  assert.equal(fault("https://user@app.example.com"), "format");
  assert.equal(fault("https://a b.example"), "format");
  assert.equal(fault("https://example.com."), "format");
  assert.equal(fault("https://A.example", ["https://a.example"]), "known");
  assert.equal(fault("https://new.example", Array.from({ length: 20 }, (_, index) => `https://${index}.example`)), "limit");
  assert.deepEqual(readOrigin("https://app.example.com/path", []), { fault: "path", origin: "https://app.example.com" });
});

test("a webhook without a description has the name of its host", () => {
  assert.equal(nameOfWebhook({ description: "<b>Backend</b>", url: "https://example.com/hooks" }), "<b>Backend</b>");
  assert.equal(nameOfWebhook({ description: null, url: "https://example.com:8443/hooks?a=b" }), "example.com:8443");
  assert.equal(nameOfWebhook({ description: null, url: "no url" }), "no url");
});

test("deliveries that are due soon are followed closely", () => {
  const now = Date.parse("2026-01-01T00:00:00.000Z");
  const pending = (nextAttemptAt: string | null): { status: "pending"; nextAttemptAt: string | null } => ({ status: "pending", nextAttemptAt });
  assert.equal(pollInterval([], now), 15_000);
  assert.equal(pollInterval([{ status: "failed", nextAttemptAt: null }], now), 15_000);
  assert.equal(pollInterval([pending("2026-01-01T05:00:00.000Z")], now), 15_000);
  assert.equal(pollInterval([pending("2026-01-01T05:00:00.000Z"), pending("2026-01-01T00:00:30.000Z")], now), 2_000);
  assert.equal(pollInterval([pending(null)], now), 2_000);
});

test("actors of the audit log have a kind", () => {
  assert.deepEqual(actorOf("master"), { kind: "operator", name: "" });
  assert.deepEqual(actorOf("key:ntf_Xk3vR9aQ"), { kind: "key", name: "ntf_Xk3vR9aQ" });
  assert.deepEqual(actorOf("system:notify.domains"), { kind: "worker", name: "notify.domains" });
  assert.deepEqual(actorOf("deleted:1"), { kind: "erased", name: "1" });
  assert.deepEqual(actorOf("crm:42"), { kind: "user", name: "crm:42" });
  assert.deepEqual(actorOf("key:a\nb"), { kind: "key", name: "a\nb" });
});

test("only fields that differ are changes", () => {
  const changes = (before: AuditEntry["before"], after: AuditEntry["after"]): unknown => changesOf({ before, after });
  assert.deepEqual(changes({ url: "a", events: ["x"], enabled: true }, { url: "b", events: ["x"], enabled: true }), [{ name: "url", before: "a", after: "b" }]);
  assert.deepEqual(changes(null, { name: null }), [{ name: "name", before: undefined, after: null }]);
  assert.deepEqual(changes({ toString: 1 }, {}), [{ name: "toString", before: 1, after: undefined }]);
  assert.deepEqual(changes(null, null), []);
});

test("the filter of the audit log is in the address, and the list ends where the period begins", () => {
  const filter = readAuditFilter(new URLSearchParams("actor=%20master%20&action=key.mint&period=century"));
  assert.deepEqual(auditQueryOf(filter), { actor: "master", action: "key.mint" });
  assert.equal(filter.period, "");
  const page = { items: [{ createdAt: "2026-01-10T00:00:00.000Z" }, { createdAt: "2026-01-01T00:00:00.000Z" }], cursor: "next" };
  const now = Date.parse("2026-01-10T12:00:00.000Z");
  assert.deepEqual(withinPeriod(page, "day", now), { items: [page.items[0]], cursor: null });
  assert.equal(withinPeriod(page, "month", now), page);
  assert.equal(withinPeriod(page, "", now), page);
});

test("examples have the host of the tenant and no key", () => {
  const url = "https://acme-sandbox.notify.example.com";
  assert.equal(
    curlOf("notify", "send", url),
    `curl '${url}/v1/notifications/send' \\
  -H "Authorization: Bearer $NOTIFY_KEY" \\
  -H "Idempotency-Key: $(openssl rand -hex 16)" \\
  -H 'Content-Type: application/json' \\
  -d '{"templateName":"welcome","channel":"email","to":"ada@example.com","variables":{"name":"Ada"}}'`,
  );
  const node = nodeOf("notify", "send", url);
  assert.match(node, /new Notify\(\{\n {2}baseUrl: "https:\/\/acme-sandbox\.notify\.example\.com",\n {2}apiKey: process\.env\.NOTIFY_KEY,\n\}\)/);
  assert.match(node, /sendNotification\(\{ templateName: "welcome", channel: "email", to: "ada@example\.com", variables: \{ name: "Ada" \} \}\)/);
  assert.doesNotMatch(node, /localhost/);
  assert.match(nodeOf("auth", "members", "http://acme.auth.localhost:8102"), /fetch: localhostFetch/);
  assert.match(receiverOf("billing"), /event\.type === "entitlement\.changed"/);
  for (const [service, ids] of Object.entries(sampleIds)) for (const id of ids) assert.ok(curlOf(service as "auth", id, url).startsWith(`curl '${url}/v1/`));
});
