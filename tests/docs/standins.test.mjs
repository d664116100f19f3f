// Tests scripts/standins.mjs, which simulates DNS, the purchase provider and the card provider in a local run. Run this file in the
// root folder of the checkout.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import test, { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

const program = "scripts/standins.mjs";
const folder = mkdtempSync(path.join(tmpdir(), "standins-"));
const records = path.join(folder, "records.jsonl");
const subscribers = path.join(folder, "subscribers");
const objects = path.join(folder, "objects");
mkdirSync(subscribers);
mkdirSync(objects);
const children = [];
after(() => {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true });
});

/** Starts one service on a free port: `{port, ended(), log()}`. */
async function start(service, source) {
  const child = spawn(process.execPath, [program, service, source, "0"], { stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  let log = "";
  child.stderr.on("data", (data) => { log += data; });
  const [line] = await once(createInterface(child.stdout), "line");
  const [, port] = /^listening on 127\.0\.0\.1:(\d+)$/.exec(line) ?? [];
  assert.ok(port, line);
  return { port: Number(port), ended: () => child.exitCode !== null || child.signalCode !== null, log: () => log };
}
const purchases = await start("purchases", subscribers);
const payments = await start("payments", objects);
const dns = await start("dns", records);

/** `target` is sent as it is: `fetch` would normalise it. */
async function request(target, method = "GET", { port } = purchases) {
  const sent = http.request({ host: "127.0.0.1", port, path: target, method });
  sent.end();
  const [response] = await once(sent, "response");
  let text = "";
  for await (const part of response) text += part;
  return { status: response.statusCode, body: text ? JSON.parse(text) : undefined };
}
const subscriber = (user) => request(`/v1/subscribers/${user}`);

test("a user without a file has bought nothing", async () => {
  for (const user of ["ada", "b".repeat(251), "c".repeat(5_000), encodeURIComponent("é".repeat(200))]) {
    const { status, body } = await subscriber(user);
    assert.equal(status, 200, user);
    assert.deepEqual([body.subscriber.entitlements, body.subscriber.subscriptions, body.subscriber.non_subscriptions], [{}, {}, {}]);
  }
});

test("the file of a user is read for each request", async () => {
  for (const name of ["first", "second"]) {
    writeFileSync(path.join(subscribers, "user 1.json"), JSON.stringify({ name }));
    assert.deepEqual(await subscriber("user%201"), { status: 200, body: { name } });
  }
});

test("bad ids, routes and methods are refused", async () => {
  writeFileSync(path.join(folder, "outside.json"), "{}");
  for (const target of ["/", "/v1/subscribers", "/v1/subscribers/", "/v1/subscribers/ada/x", "/v1/subscribers/.", "/v1/subscribers/..",
    "/v1/subscribers/..%2Foutside", "/v1/subscribers/%00"]) assert.equal((await request(target)).status, 404, target);
  assert.equal((await request("/v1/subscribers/ada", "POST")).status, 404);
  for (const user of ["%ff", "%", "%zz"]) assert.equal((await subscriber(user)).status, 400, user);
});

test("a file that cannot be read is an error of the server, and is logged", async () => {
  mkdirSync(path.join(subscribers, "folder.json"));
  assert.equal((await subscriber("folder")).status, 500);
  for (let left = 100; !purchases.log() && left > 0; left--) await sleep(20); // the log arrives through a pipe
  assert.match(purchases.log(), /^purchases: EISDIR/m);
});

/** Stores an object of the card provider. */
const put = (object) => writeFileSync(path.join(objects, `${object.id}.json`), JSON.stringify(object));
const subscription = (id, created, userId, status = "active") => ({
  id,
  object: "subscription",
  created,
  status,
  customer: `cus_${userId}`,
  metadata: { userId },
  items: { object: "list", data: [{ id: `si_${id}` }] },
});
/** The ids and the cursor in a list of the card provider. */
async function listed(target) {
  const { status, body } = await request(target, "GET", payments);
  assert.equal(status, 200, target);
  assert.ok(["list", "search_result"].includes(body.object), target);
  return [body.data.map(({ id }) => id), body.has_more, ...(body.object === "list" ? [] : [body.next_page])];
}
async function refusedByPayments(target, status, code, method = "GET") {
  const { status: found, body } = await request(target, method, payments);
  assert.deepEqual([found, body.error.type, body.error.code], [status, "invalid_request_error", code], target);
}

test("subscriptions are listed newest first, in pages, and read again for each request", async () => {
  assert.deepEqual(await listed("/v1/subscriptions?status=all"), [[], false]);
  put(subscription("sub_1", 1, "ada"));
  put(subscription("sub_2", 2, "Ada", "canceled"));
  put(subscription("sub_3", 3, "bob"));
  assert.deepEqual(await listed("/v1/subscriptions?status=all&limit=2"), [["sub_3", "sub_2"], true]);
  assert.deepEqual(await listed("/v1/subscriptions?status=all&limit=2&starting_after=sub_2"), [["sub_1"], false]);
  assert.deepEqual(await listed("/v1/subscriptions"), [["sub_3", "sub_1"], false]);
  assert.deepEqual(await listed("/v1/subscriptions?status=canceled"), [["sub_2"], false]);
  assert.deepEqual(await listed("/v1/subscriptions?status=all&created%5Bgte%5D=2&customer=cus_bob"), [["sub_3"], false]);
  await refusedByPayments("/v1/subscriptions?starting_after=sub_4", 400, "resource_missing");
});

test("subscriptions are found by their user, without regard to case", async () => {
  put(subscription("sub_4", 4, `o'Neil \\`));
  const search = (user, more = "") => listed(`/v1/subscriptions/search?query=${encodeURIComponent(`metadata['userId']:'${user}'`)}${more}`);
  assert.deepEqual(await search("ADA", "&limit=1"), [["sub_2"], true, "sub_2"]);
  assert.deepEqual(await search("ADA", "&limit=1&page=sub_2"), [["sub_1"], false, null]);
  assert.deepEqual(await search("o\\'Neil \\\\"), [["sub_4"], false, null]);
  assert.deepEqual(await search("carol"), [[], false, null]);
  await refusedByPayments("/v1/subscriptions/search?query=status:'active'", 400, undefined);
});

test("a subscription, its items and the payments of an invoice are read by their ids", async () => {
  const { body } = await request("/v1/subscriptions/sub_1", "GET", payments);
  assert.deepEqual(body, subscription("sub_1", 1, "ada"));
  assert.deepEqual(await listed("/v1/subscription_items?subscription=sub_1"), [["si_sub_1"], false]);
  const payment = { type: "payment_intent", payment_intent: "pi_1" };
  put({ id: "inpay_1", object: "invoice_payment", created: 1, invoice: "in_1", payment });
  const by = (intent) => listed(`/v1/invoice_payments?payment%5Btype%5D=payment_intent&payment%5Bpayment_intent%5D=${intent}`);
  assert.deepEqual(await by("pi_1"), [["inpay_1"], false]);
  assert.deepEqual(await by("pi_2"), [[], false]);
  await refusedByPayments("/v1/subscriptions/sub_9", 404, "resource_missing");
  await refusedByPayments("/v1/subscription_items?subscription=sub_9", 400, "resource_missing");
  for (const target of ["/", "/v1/charges", "/v1/subscriptions/%ff", "/v1/subscriptions/sub_1/x"])
    await refusedByPayments(target, 404, undefined);
  await refusedByPayments("/v1/subscriptions/sub_1", 404, undefined, "POST");
  assert.equal(payments.log(), "");
});

const resolver = new Resolver({ timeout: 2_000, tries: 1 });
resolver.setServers([`127.0.0.1:${dns.port}`]);

test("TXT records are read for each query", async () => {
  await assert.rejects(resolver.resolveTxt("mail.example.com"), { code: "ENOTFOUND" });
  const add = (record) => appendFileSync(records, `${JSON.stringify(record)}\n`);
  add({ name: "Mail.example.com.", type: "TXT", value: "short" });
  add({ name: "mail.example.com", type: "TXT", value: "x".repeat(300) });
  add({ name: "mail.example.com", type: "MX", value: "no" });
  const found = await resolver.resolveTxt("MAIL.example.com");
  assert.deepEqual(found.sort((a, b) => a.length - b.length), [["short"], ["x".repeat(255), "x".repeat(45)]]);
  await assert.rejects(resolver.resolveTxt("other.example.com"), { code: "ENOTFOUND" });
  await assert.rejects(resolver.resolve4("mail.example.com"), { code: "ENOTIMP" });
});

test("a malformed query or record gets no response, and later queries do", async () => {
  const socket = createSocket("udp4");
  for (const query of ["", "x", "\0".repeat(12), `${"\0".repeat(12)}\xff`, `${"\0".repeat(12)}\x05a`])
    await new Promise((sent) => socket.send(Buffer.from(query, "latin1"), dns.port, "127.0.0.1", sent));
  socket.close();
  writeFileSync(records, "no JSON\n");
  const hasty = new Resolver({ timeout: 200, tries: 1 });
  hasty.setServers([`127.0.0.1:${dns.port}`]);
  await assert.rejects(hasty.resolveTxt("mail.example.com"), { code: "ETIMEOUT" });
  writeFileSync(records, '{"name": "mail.example.com", "type": "TXT", "value": "again"}\n');
  assert.deepEqual(await resolver.resolveTxt("mail.example.com"), [["again"]]);
});

test("a port in use or a missing argument ends the program with a message", () => {
  const rows = [
    [["purchases", subscribers, String(purchases.port)], 1, /EADDRINUSE/],
    [["dns", records, String(dns.port)], 1, /EADDRINUSE/],
    [["dns", records], 2, /usage/],
    [["mail", records, "0"], 2, /usage/],
  ];
  for (const [words, status, message] of rows) {
    const run = spawnSync(process.execPath, [program, ...words], { encoding: "utf8", timeout: 10_000 });
    assert.equal(run.status, status, words.join(" "));
    assert.match(run.stderr, message);
  }
});

test("no request has ended a program", () => {
  assert.ok(!purchases.ended(), purchases.log());
  assert.ok(!payments.ended(), payments.log());
  assert.ok(!dns.ended(), dns.log());
});
