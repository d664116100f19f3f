// The story of feedback: users of a product and its support.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Feedback, FeedbackComponents } from "@tetrad/client";
import { tokenTo } from "./auth_mfa.js";
import { administer, listen, readReference } from "./shared.js";
import { collected, errorOf, eventually, refused, type World } from "./world.js";

type Thread = FeedbackComponents["schemas"]["Feedback"];

const png = Buffer.from("\x89PNG\r\n\x1a\n....", "latin1");

/** The access token of a new user. */
async function someone(world: World): Promise<string> {
  const auth = world.auth();
  const email = `user-${Math.random().toString(36).slice(2)}@example.com`;
  return (await auth.register({ email, password: "a violet teapot" })).accessToken!;
}

export async function feedback(world: World): Promise<void> {
  const operator = world.feedback(world.env["MASTER_KEY"]);
  const user = world.feedback(await someone(world));

  // The operator mints a key.
  const { key, prefix } = await operator.mintKey({ environment: "sandbox" });
  const backend = world.feedback(key);
  const bug = await backend.createFeedback({
    category: "bug",
    title: "Export does nothing",
    body: "A click on Export has no effect.",
    priority: "high",
    tags: ["export"],
  });
  assert.equal(bug.status, "open");

  // A user sends a feature request twice with one Idempotency-Key: one thread is created.
  const asked = { category: "feature", title: "Dark mode", body: "My eyes hurt at night." } as const;
  const first = await user.createFeedback(asked, { idempotencyKey: "story-1" }).withResponse();
  const again = await user.createFeedback(asked, { idempotencyKey: "story-1" }).withResponse();
  assert.equal(again.response.headers.get("Idempotent-Replayed"), "true");
  assert.deepEqual(again.data, first.data);
  const thread: Thread = first.data;
  assert.match(first.response.headers.get("RateLimit") ?? "", /^"default";r=\d+;t=\d+$/);

  await attach(world, user, thread);
  const heard = await listen(world, "feedback", key, "feedback.updated");

  // Support replies, adds an internal note, and changes the status.
  await backend.postReply(thread.feedbackId, { body: "Thank you, it is planned." });
  await backend.postReply(thread.feedbackId, { body: "Third request this week.", internal: true });
  const read = await backend.getFeedback(thread.feedbackId).withResponse();
  const changes = { status: "in-progress", assigneeEmail: "grace@example.com" } as const;
  await backend.updateFeedback(thread.feedbackId, changes, { ifMatch: read.response.headers.get("ETag")! });
  await refused(backend.updateFeedback(thread.feedbackId, changes, { ifMatch: '"0"' }), "PRECONDITION_FAILED");
  assert.equal((await heard<Thread>(thread.feedbackId)).status, "in-progress");

  // The user sees the reply but not the note. Pages follow the cursor until it is null.
  const replies = await collected(user.listReplies(thread.feedbackId, { limit: 1 }));
  assert.deepEqual(
    replies.map(({ body }) => body),
    ["It looks like this.", "Thank you, it is planned."],
  );
  assert.equal((await user.getFeedback(thread.feedbackId)).replyCount, 2);
  assert.equal((await backend.getFeedback(thread.feedbackId)).replyCount, 3);
  const { items: moves } = await user.listHistory(thread.feedbackId);
  assert.deepEqual(
    moves.map(({ from, to }) => [from, to]),
    [
      ["open", "in-progress"],
      [null, "open"],
    ],
  );
  await refused(user.getFeedback(bug.feedbackId), "NOT_FOUND");
  await refused(user.updateFeedback(thread.feedbackId, { status: "closed" }), "FORBIDDEN");

  await report(backend, user);
  await triage(backend, user, thread);
  await settle(backend);
  await administer(world, "feedback");
  await readReference(world, "feedback");
  await openBoard(world, backend, thread);
  await vote(world, backend, user, thread);
  await unsubscribe(world, backend);
  await leave(backend, user, thread);
  await backend.deleteFeedback(bug.feedbackId);
  assert.equal((await backend.getFeedback(bug.feedbackId)).status, "closed");

  // All faults of a request are listed at once. A replaced key stops working.
  const wrong = await refused(backend.createFeedback({ category: "rant" as "bug", title: "", body: "x" }), "VALIDATION_ERROR");
  assert.deepEqual(
    wrong.errors?.map(({ pointer }) => pointer),
    ["/category", "/title"],
  );
  const { key: next } = await operator.rotateKey("sandbox", { gracePeriodSeconds: 0 });
  await eventually(async () => (await errorOf(backend.getSettings()))?.is("UNAUTHORIZED") || undefined);
  await world.feedback(next).getSettings();
  const { items: keys } = await operator.listKeys({ environment: "sandbox" });
  assert.ok(keys.every((record) => record.prefix !== prefix));
  await operator.revokeKey(next.slice(0, 12));
  await refused(world.feedback("fbk_nonsense").listFeedbacks(), "UNAUTHORIZED");
}

/** The team opens the board with its name, colour and logo, and readers look at all of its pages. */
async function openBoard(world: World, backend: Feedback, thread: Thread): Promise<void> {
  const image = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==", "base64");
  await backend.updateFeedback(thread.feedbackId, { visibility: "public" });
  const set = { publicBoard: true, boardName: "Teapots", boardColor: "#7C3AED" };
  assert.equal((await backend.updateSettings(set)).boardColor, "#7c3aed");
  assert.equal((await backend.putLogo(image, { contentType: "image/png" })).sizeBytes, image.length);
  await refused(backend.putLogo(image.subarray(1), { contentType: "image/png" }), "VALIDATION_ERROR");
  const read = async (route: string): Promise<string> => {
    const { status, body } = await world.send("feedback", "GET", `${world.base("feedback")}${route}`, {});
    assert.equal(status, 200, route);
    return body.toString("latin1");
  };
  const page = await eventually(async () => {
    const { body } = await world.send("feedback", "GET", `${world.base("feedback")}/board`, {});
    return body.toString().includes("Teapots") && body.toString().includes("/board/logo?") ? body.toString() : undefined;
  });
  assert.match(page, new RegExp(`href="/board/posts/${thread.feedbackId}"`));
  for (const route of ["roadmap", `posts/${thread.feedbackId}`, "new", "callback", "feed.atom", "logo"]) await read(`/board/${route}`);
  for (const file of page.matchAll(/"(\/board\/assets\/[^"]+)"/g)) await read(file[1]!);
  await backend.deleteLogo();
}

/** Users vote on the board, and support merges a duplicate. */
async function vote(world: World, backend: Feedback, user: Feedback, thread: Thread): Promise<void> {
  const other = world.feedback(await someone(world));
  await user.vote(thread.feedbackId);
  assert.deepEqual(await other.vote(thread.feedbackId), { voteCount: 2, voted: true });
  assert.equal((await other.withdrawVote(thread.feedbackId)).voteCount, 1);

  const { items: similar } = await other.listSimilar({ title: "A dark mode, please" });
  assert.deepEqual(
    similar.map(({ feedbackId }) => feedbackId),
    [thread.feedbackId],
  );

  const twin = await backend.createFeedback({ category: "feature", title: "Night colours", body: "As in the title." });
  assert.equal((await backend.voteForUser(twin.feedbackId, "a customer")).voteCount, 1);
  await backend.withdrawVoteOfUser(twin.feedbackId, "a customer");
  await backend.voteForUser(twin.feedbackId, "a customer");
  const merged = await backend.mergeFeedback(twin.feedbackId, { into: thread.feedbackId });
  assert.equal(merged.voteCount, 2);
  await refused(backend.mergeFeedback(twin.feedbackId, { into: thread.feedbackId }), "CONFLICT");
  const { items: voters } = await backend.listVotes(thread.feedbackId);
  assert.equal(voters.length, 2);

  const { items: listed } = await other.listBoardThreads({ sort: "votes", status: "open,in-progress" });
  assert.equal(listed[0]!.feedbackId, thread.feedbackId);
  assert.equal(listed[0]!.voted, false);
  const post = await world.feedback().getBoardThread(thread.feedbackId);
  assert.equal(post.replies.length, post.replyCount);
}

/** A user with a verified address gets an email about a reply, and then ends these emails. */
async function unsubscribe(world: World, backend: Feedback): Promise<void> {
  const auth = world.auth();
  const account = { email: `reader-${Math.random().toString(36).slice(2)}@example.com`, password: "a violet teapot" };
  await auth.register(account);
  await auth.verifyEmail({ token: await tokenTo(world, account.email, "verify-email") });
  const user = world.feedback((await auth.login(account)).accessToken);
  const { feedbackId } = await user.createFeedback({ category: "general", title: "Hello", body: "A question." });
  await backend.postReply(feedbackId, { body: "An answer." });
  const folder = world.env["FEEDBACK_EMAIL_OUTBOX"]!;
  const link = await eventually(() => {
    const mails = readdirSync(folder)
      .filter((name) => name.endsWith(".eml"))
      .map((name) => readFileSync(path.join(folder, name), "utf8"));
    return /^List-Unsubscribe: <(.*)>\r?$/m.exec(mails.find((mail) => mail.includes(`To: ${account.email}`)) ?? "")?.[1];
  });
  const page = await world.send("feedback", "GET", link, {});
  const style = /href="(\/unsubscribe\.css[^"]*)"/.exec(page.body.toString())![1]!;
  assert.equal((await world.send("feedback", "GET", new URL(style, link).href, {})).status, 200);
  const form = { "content-type": "application/x-www-form-urlencoded" };
  assert.equal((await world.send("feedback", "POST", link, form, Buffer.from("List-Unsubscribe=One-Click"))).status, 200);
  assert.equal((await world.send("feedback", "POST", `${link}x`, form, Buffer.from("List-Unsubscribe=One-Click"))).status, 404);
}

/** The user attaches a picture: upload, reply with it. */
async function attach(world: World, user: Feedback, thread: Thread): Promise<void> {
  const file = await user.uploadAttachment({ filename: "night.png" }, new Blob([png], { type: "image/png" }));
  assert.equal(file.status, "uploaded");
  const replied = await user.postReply(thread.feedbackId, { body: "It looks like this.", attachmentIds: [file.attachmentId] });
  assert.deepEqual(replied.attachmentIds, [file.attachmentId]);
  const shown = await user.getAttachment(file.attachmentId);
  assert.equal(shown.status, "attached");
  const { body } = await world.send("feedback", "GET", shown.downloadUrl!);
  assert.deepEqual(body, png);
}

async function report(backend: Feedback, user: Feedback): Promise<void> {
  const { items, cursor } = await backend.listFeedbacks({ limit: 1, sort: "lastReplyAt", createdAfter: "2020-01-01T00:00:00+01:00" });
  assert.equal(items.length, 1);
  assert.notEqual(cursor, null);
  assert.equal((await user.listFeedbacks()).items.length, 1);
  assert.equal((await backend.listFeedbacks({ q: "eyes", tag: "none" })).items.length, 0);
  const { total, byStatus } = await backend.getStats();
  assert.equal(total, 2);
  assert.equal(byStatus["in-progress"], 1);
  assert.equal((await collected(backend.exportFeedbacks())).length, total);
  await refused(user.getStats(), "FORBIDDEN");
}

/** Support changes many threads at once, corrects a reply, and exports everything as CSV. */
async function triage(backend: Feedback, user: Feedback, thread: Thread): Promise<void> {
  const unknown = "0190a5d2-0000-7000-8000-000000000001";
  const { results } = await backend.updateFeedbacks({ feedbackIds: [thread.feedbackId, unknown], set: { priority: "low" } });
  assert.deepEqual(
    results.map(({ status }) => status),
    [200, 404],
  );
  assert.equal(results[0]!.feedback!.priority, "low");
  const posted = await backend.postReply(thread.feedbackId, { body: "It is plannd." });
  const edited = await backend.updateReply(thread.feedbackId, posted.replyId, { body: "It is planned." });
  assert.notEqual(edited.editedAt, null);
  await refused(user.updateReply(thread.feedbackId, posted.replyId, { body: "No." }), "FORBIDDEN");
  const { items } = await backend.listReplyHistory(thread.feedbackId, posted.replyId);
  assert.deepEqual(
    items.map(({ body }) => body),
    ["It is plannd."],
  );
  const csv = await (await backend.exportFeedbacks({ format: "csv", include: "replies" }).response()).text();
  assert.match(csv, /^type,feedbackId,.*\r\n/);
  assert.deepEqual(await backend.deleteReply(thread.feedbackId, posted.replyId), { deleted: true });
  const { firstResponseSeconds } = await backend.getStats({ createdAfter: "2020-01-01T00:00:00Z" });
  assert.ok(firstResponseSeconds!.p50 <= firstResponseSeconds!.p90);
}

async function settle(backend: Feedback): Promise<void> {
  const changed = await backend.updateSettings({ allowedOrigins: ["https://App.example.com:443"], notifyEmail: null });
  assert.deepEqual(changed.allowedOrigins, ["https://app.example.com"]);
  const { data, response } = await backend.getSettings({ headers: { Origin: "https://app.example.com" } }).withResponse();
  assert.deepEqual(data, changed);
  assert.equal(response.headers.get("Access-Control-Allow-Origin"), "https://app.example.com");
  const { items } = await backend.listAudit({ limit: 100 });
  assert.ok(items.some(({ action, actor }) => action === "settings.updated" && actor.startsWith("key:")));
  assert.ok(items.some(({ action, actor }) => action === "key.mint" && actor === "master"));
}

/** The user exports the own data, and support erases the user. */
async function leave(backend: Feedback, user: Feedback, thread: Thread): Promise<void> {
  const lines = await collected(user.exportUser(thread.userId!));
  assert.deepEqual(
    lines.map(({ type }) => type),
    ["feedback", "reply", "vote", "attachment"],
  );
  assert.equal(lines[0]!["feedbackId"], thread.feedbackId);
  await refused(user.exportUser("another").response(), "NOT_FOUND");
  await refused(user.eraseUser(thread.userId!), "FORBIDDEN");
  await backend.eraseUser(thread.userId!, { mode: "anonymize" });
  assert.match((await backend.getFeedback(thread.feedbackId)).userId!, /^deleted:/);
  await refused(user.getFeedback(thread.feedbackId), "NOT_FOUND");
  assert.deepEqual(await backend.eraseUser(thread.userId!), { deleted: true });
}
