import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyWebhook, WebhookVerificationError } from "@tetrad/client";
import { Webhook } from "standardwebhooks";

const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const other = "whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=";
const now = new Date("2026-01-31T09:00:00Z");
const body = JSON.stringify({ type: "user.deleted", timestamp: "2026-01-31T08:59:59.000Z", data: { userId: "Grüße 🙂" } });

/** A request as a service sends it. */
const signed = (secrets = [secret], time = now, text = body) => ({
  "webhook-id": "msg_1",
  "webhook-timestamp": String(Math.floor(time.getTime() / 1000)),
  "webhook-signature": secrets.map((one) => new Webhook(one).sign("msg_1", time, text)).join(" "),
});
const refused = (reason) => (error) => error instanceof WebhookVerificationError && error.reason === reason;

test("a genuine request gives its event with its id", async () => {
  const event = { ...JSON.parse(body), id: "msg_1" };
  assert.deepEqual(await verifyWebhook({ body, headers: signed(), secret, now }), event);
  const bytes = new TextEncoder().encode(body);
  assert.deepEqual(await verifyWebhook({ body: bytes, headers: new Headers(signed()), secret, now }), event);
  assert.deepEqual(await verifyWebhook({ body: Buffer.from(body), headers: signed(), secret, now }), event);
});

test("during a rotation each of two secrets is enough, on either side", async () => {
  for (const [sent, known] of [[[secret, other], secret], [[secret, other], other], [[secret], [other, secret]], [[other], [other, secret]]])
    assert.equal((await verifyWebhook({ body, headers: signed(sent), secret: known, now })).id, "msg_1");
});

test("a request with another secret, body, id or time is refused", async () => {
  await assert.rejects(verifyWebhook({ body, headers: signed([other]), secret, now }), refused("wrong_signature"));
  await assert.rejects(verifyWebhook({ body: `${body} `, headers: signed(), secret, now }), refused("wrong_signature"));
  const headers = signed();
  await assert.rejects(verifyWebhook({ body, headers: { ...headers, "webhook-id": "msg_2" }, secret, now }), refused("wrong_signature"));
  const later = String(Number(headers["webhook-timestamp"]) + 1);
  await assert.rejects(verifyWebhook({ body, headers: { ...headers, "webhook-timestamp": later }, secret, now }), refused("wrong_signature"));
});

test("signatures of another version, or in another form, do not count", async () => {
  const headers = signed();
  const signature = headers["webhook-signature"];
  for (const wrong of [signature.replace("v1,", "v1a,"), signature.slice(3), "v1,", "v1,%%%", `v1,${"A".repeat(20)}`])
    await assert.rejects(verifyWebhook({ body, headers: { ...headers, "webhook-signature": wrong }, secret, now }), refused("wrong_signature"));
  const mixed = `v1a,abc v1,%%% ${signature}`;
  assert.equal((await verifyWebhook({ body, headers: { ...headers, "webhook-signature": mixed }, secret, now })).id, "msg_1");
});

test("the time may differ by the tolerance, in both directions", async () => {
  const at = (seconds) => new Date(now.getTime() + seconds * 1000);
  const verify = (seconds, more = {}) => verifyWebhook({ body, headers: signed([secret], at(seconds)), secret, now, ...more });
  for (const seconds of [-300, 300]) assert.equal((await verify(seconds)).id, "msg_1");
  await assert.rejects(verify(-301), refused("too_old"));
  await assert.rejects(verify(301), refused("too_new"));
  await assert.rejects(verify(-11, { toleranceSeconds: 10 }), refused("too_old"));
  await assert.rejects(verifyWebhook({ body, headers: signed(), secret }), refused("too_old"));
});

test("missing and malformed headers are refused", async () => {
  for (const name of Object.keys(signed()))
    await assert.rejects(verifyWebhook({ body, headers: { ...signed(), [name]: undefined }, secret, now }), refused("missing_header"));
  for (const wrong of ["soon", "-1", "1e9"])
    await assert.rejects(verifyWebhook({ body, headers: { ...signed(), "webhook-timestamp": wrong }, secret, now }), refused("invalid_timestamp"));
});

test("a signed body that is not JSON is refused", async () => {
  await assert.rejects(verifyWebhook({ body: "{", headers: signed([secret], now, "{"), secret, now }), refused("invalid_body"));
});

test("a secret in another form is an error of the program", async () => {
  for (const wrong of ["", "abc", "whsec_", "whsec_%%%"]) await assert.rejects(verifyWebhook({ body, headers: signed(), secret: wrong, now }), TypeError);
});
