// Tests scripts/standins.mjs, which simulates DNS and the purchase provider in a local run. Run this file in the root folder of the checkout.
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
mkdirSync(subscribers);
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
const dns = await start("dns", records);

/** `target` is sent as it is: `fetch` would normalise it. */
async function request(target, method = "GET") {
  const sent = http.request({ host: "127.0.0.1", port: purchases.port, path: target, method });
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
  assert.ok(!dns.ended(), dns.log());
});
