import assert from "node:assert/strict";
import { test } from "node:test";
import { allowedFor, isAccountId, isRunning, nameOfAgent, pollInterval, progressOf, queryOf, readFilter, readSignIn, stateOf, tagLines, type Erasure } from "../src/areas/users/model.ts";

const user = { userId: "u", role: "user" };
const otherOwner = { userId: "o", role: "owner" };
const actions = (member: typeof user, me: { sub: string; role: string }): string[] => Object.entries(allowedFor(member, me)).filter(([, on]) => on).map(([name]) => name);

test("an owner may change all others, and an admin may only reset and erase users who are no owners", () => {
  const all = ["changeRole", "changeStatus", "endSessions", "resetFactors", "erase"];
  assert.deepEqual(actions(user, { sub: "me", role: "owner" }), all);
  assert.deepEqual(actions(otherOwner, { sub: "me", role: "owner" }), all);
  assert.deepEqual(actions(user, { sub: "me", role: "admin" }), ["resetFactors", "erase"]);
  assert.deepEqual(actions(otherOwner, { sub: "me", role: "admin" }), []);
  assert.deepEqual(actions(user, { sub: "me", role: "user" }), []);
});

test("the own account has no actions", () => {
  assert.deepEqual(actions(otherOwner, { sub: "o", role: "owner" }), ["own"]);
  assert.deepEqual(actions({ userId: "a", role: "admin" }, { sub: "a", role: "admin" }), ["own"]);
});

test("unknown values of the address are left out of the query", () => {
  assert.deepEqual(queryOf(readFilter(new URLSearchParams("q=%20ada%20&role=admin&status=nonsense"))), { q: "ada", role: "admin" });
  assert.deepEqual(queryOf(readFilter(new URLSearchParams(""))), {});
  assert.ok(isAccountId(" 019c12d9-f580-7f18-9847-b17e0b9dbd0d "));
  assert.ok(!isAccountId("crm:42"));
});

async function* linesOf(...lines: Record<string, unknown>[]): AsyncGenerator<Record<string, unknown>> {
  yield* lines;
}
const session = (sessionId: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({ type: "session", sessionId, lastUsedAt: "2026-01-01T00:00:00.000Z", expiresAt: "2026-03-01T00:00:00.000Z", endedAt: null, ...more });

test("only sessions that are open now are shown, and ended ones count for the last use", async () => {
  const found = await readSignIn(
    linesOf(
      { type: "account", phoneVerified: false, totp: true, recoveryCodesLeft: 7 },
      { type: "passkey", name: "Key" },
      session("open"),
      session("ended", { endedAt: "2026-01-03T00:00:00.000Z", lastUsedAt: "2026-01-02T00:00:00.000Z" }),
      session("expired", { expiresAt: "2026-01-05T00:00:00.000Z" }),
      { type: "trusted_device", expiresAt: "2026-03-01T00:00:00.000Z" },
      { type: "trusted_device", expiresAt: "2026-01-05T00:00:00.000Z" },
      { type: "future_type", anything: 1 },
      { type: "activity" },
      session("after the activities"),
    ),
    Date.parse("2026-02-01T00:00:00.000Z"),
  );
  assert.deepEqual(found.sessions.map(({ sessionId }) => sessionId), ["open"]);
  assert.equal(found.lastActive, "2026-01-02T00:00:00.000Z");
  assert.deepEqual([found.sms, found.totp, found.recoveryCodesLeft, found.passkeys.length, found.trustedDevices], [false, true, 7, 1, 1]);
});

test("a user agent is shown as browser and system, and an unknown one as it is", () => {
  assert.equal(nameOfAgent("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36 Edg/126.0"), "Edge · Windows");
  assert.equal(nameOfAgent("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile Safari/604.1"), "Safari · iOS");
  assert.equal(nameOfAgent("<b>bot</b>"), "<b>bot</b>");
  assert.equal(nameOfAgent("x".repeat(255)), `${"x".repeat(40)}…`);
  assert.equal(nameOfAgent(""), "");
});

test("the lines of an export get the name of their service, and keep their numbers as they are", () => {
  assert.equal(tagLines('{"type":"a","n":9007199254740993}\n{}\n{ }\n', "feedback"), '{"service":"feedback","type":"a","n":9007199254740993}\n{"service":"feedback"}\n{"service":"feedback" }\n');
  assert.equal(tagLines("", "auth"), "");
});

const erasure = (completedAt: string | null, ...statuses: ("pending" | "done" | "failed")[]): Erasure => ({
  erasureId: "e",
  userId: "u",
  requestedAt: "2026-01-01T00:00:00.000Z",
  completedAt,
  targets: statuses.map((status, index) => ({ service: (["feedback", "notify", "billing"] as const)[index]!, status, attempts: 1, lastError: null, doneAt: null })),
});
const start = Date.parse("2026-01-01T00:00:00.000Z");

test("an erasure is read again until it is complete, or until a service has failed and none is pending", () => {
  assert.ok(isRunning(erasure(null, "done", "done", "done")));
  assert.ok(isRunning(erasure(null, "failed", "pending", "done")));
  assert.ok(!isRunning(erasure(null, "failed", "done", "done")));
  assert.ok(!isRunning(erasure("2026-01-01T00:00:01.000Z", "done", "done", "done")));
  assert.equal(stateOf(erasure(null, "failed", "pending", "done")), "failed");
  assert.deepEqual(progressOf(erasure(null, "done", "pending", "failed")), { done: 2, all: 4 });
  assert.equal(pollInterval(erasure(null, "pending"), start + 1000), 2000);
  assert.equal(pollInterval(erasure(null, "pending"), start + 600_000), 15_000);
  assert.equal(pollInterval(erasure(null, "failed"), start), false);
});
