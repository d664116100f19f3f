// The story of feedback: users of a product and its support.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { tokenTo } from "./auth_mfa.js";
import type { paths as AuthPaths } from "./clients/auth-mfa.js";
import type { components, paths } from "./clients/feedback.js";
import { administer, listen, readReference } from "./shared.js";
import { eventually, ok, refused, type World } from "./world.js";

type Thread = components["schemas"]["Feedback"];

const png = Buffer.from("\x89PNG\r\n\x1a\n....", "latin1");

/** The access token of a new user. */
async function someone(world: World): Promise<string> {
  const auth = world.client<AuthPaths>("auth-mfa");
  const email = `user-${Math.random().toString(36).slice(2)}@example.com`;
  return (await ok(auth.POST("/v1/auth/register", { body: { email, password: "a violet teapot" } }))).accessToken!;
}

export async function feedback(world: World): Promise<void> {
  const operator = world.client<paths>("feedback", world.env["MASTER_KEY"]);
  const user = world.client<paths>("feedback", await someone(world));

  // The operator mints a key.
  const { key, prefix } = await ok(operator.POST("/v1/keys", { body: { environment: "sandbox" } }));
  const backend = world.client<paths>("feedback", key);
  const bug = await ok(
    backend.POST("/v1/feedbacks", {
      body: { category: "bug", title: "Export does nothing", body: "A click on Export has no effect.", priority: "high", tags: ["export"] },
    }),
  );
  assert.equal(bug.status, "open");

  // A user sends a feature request twice with one Idempotency-Key: one thread is created.
  const asked = {
    params: { header: { "Idempotency-Key": "story-1" } },
    body: { category: "feature", title: "Dark mode", body: "My eyes hurt at night." },
  } as const;
  const first = await user.POST("/v1/feedbacks", asked);
  const again = await user.POST("/v1/feedbacks", asked);
  assert.equal(again.response.headers.get("Idempotent-Replayed"), "true");
  assert.deepEqual(again.data, first.data);
  const thread: Thread = await ok(Promise.resolve(first));
  assert.match(first.response.headers.get("RateLimit") ?? "", /^"default";r=\d+;t=\d+$/);
  const here = { path: { feedbackId: thread.feedbackId } };

  await attach(world, user, thread);
  const heard = await listen(world, "feedback", key, "feedback.updated");

  // Support replies, adds an internal note, and changes the status.
  await ok(backend.POST("/v1/feedbacks/{feedbackId}/replies", { params: here, body: { body: "Thank you, it is planned." } }));
  await ok(
    backend.POST("/v1/feedbacks/{feedbackId}/replies", { params: here, body: { body: "Third request this week.", internal: true } }),
  );
  const read = await backend.GET("/v1/feedbacks/{feedbackId}", { params: here });
  const changes = { status: "in-progress", assigneeEmail: "grace@example.com" } as const;
  await ok(
    backend.PATCH("/v1/feedbacks/{feedbackId}", {
      params: { ...here, header: { "If-Match": read.response.headers.get("ETag")! } },
      body: changes,
    }),
  );
  await refused(
    backend.PATCH("/v1/feedbacks/{feedbackId}", { params: { ...here, header: { "If-Match": '"0"' } }, body: changes }),
    "PRECONDITION_FAILED",
  );
  assert.equal((await heard<Thread>(thread.feedbackId)).status, "in-progress");

  // The user sees the reply but not the note. Pages follow the cursor until it is null.
  const bodies: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await ok(
      user.GET("/v1/feedbacks/{feedbackId}/replies", { params: { ...here, query: { limit: 1, ...(cursor ? { cursor } : {}) } } }),
    );
    bodies.push(...page.items.map(({ body }) => body));
    cursor = page.cursor;
  }
  assert.deepEqual(bodies, ["It looks like this.", "Thank you, it is planned."]);
  assert.equal((await ok(user.GET("/v1/feedbacks/{feedbackId}", { params: here }))).replyCount, 2);
  assert.equal((await ok(backend.GET("/v1/feedbacks/{feedbackId}", { params: here }))).replyCount, 3);
  const { items: moves } = await ok(user.GET("/v1/feedbacks/{feedbackId}/history", { params: here }));
  assert.deepEqual(
    moves.map(({ from, to }) => [from, to]),
    [
      ["open", "in-progress"],
      [null, "open"],
    ],
  );
  await refused(user.GET("/v1/feedbacks/{feedbackId}", { params: { path: { feedbackId: bug.feedbackId } } }), "NOT_FOUND");
  await refused(user.PATCH("/v1/feedbacks/{feedbackId}", { params: here, body: { status: "closed" } }), "FORBIDDEN");

  await report(backend, user);
  await triage(backend, user, thread);
  await settle(backend);
  await administer(world, "feedback");
  await readReference(world, "feedback");
  await openBoard(world, backend, thread);
  await vote(world, backend, user, thread);
  await unsubscribe(world, backend);
  await leave(backend, user, thread);
  await ok(backend.DELETE("/v1/feedbacks/{feedbackId}", { params: { path: { feedbackId: bug.feedbackId } } }));
  assert.equal(
    (await ok(backend.GET("/v1/feedbacks/{feedbackId}", { params: { path: { feedbackId: bug.feedbackId } } }))).status,
    "closed",
  );

  // All faults of a request are listed at once. A replaced key stops working.
  const wrong = await refused(
    backend.POST("/v1/feedbacks", { body: { category: "rant" as "bug", title: "", body: "x" } }),
    "VALIDATION_ERROR",
  );
  assert.deepEqual(
    wrong.errors?.map(({ pointer }) => pointer),
    ["/category", "/title"],
  );
  const { key: next } = await ok(
    operator.POST("/v1/keys/{environment}/rotate", { params: { path: { environment: "sandbox" } }, body: { gracePeriodSeconds: 0 } }),
  );
  await eventually(async () => ((await backend.GET("/v1/settings")).response.status === 401 ? true : undefined));
  await ok(world.client<paths>("feedback", next).GET("/v1/settings"));
  const { items: keys } = await ok(operator.GET("/v1/keys", { params: { query: { environment: "sandbox" } } }));
  assert.ok(keys.every((record) => record.prefix !== prefix));
  await ok(operator.DELETE("/v1/keys/{prefix}", { params: { path: { prefix: next.slice(0, 12) } } }));
  await refused(world.client<paths>("feedback", "fbk_nonsense").GET("/v1/feedbacks"), "UNAUTHORIZED");
}

type Caller = ReturnType<typeof World.prototype.client<paths>>;

/** The team opens the board with its name, colour and logo, and readers look at all of its pages. */
async function openBoard(world: World, backend: Caller, thread: Thread): Promise<void> {
  const image = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==", "base64");
  const params = { path: { feedbackId: thread.feedbackId } };
  await ok(backend.PATCH("/v1/feedbacks/{feedbackId}", { params, body: { visibility: "public" } }));
  const set = { publicBoard: true, boardName: "Teapots", boardColor: "#7C3AED" };
  assert.equal((await ok(backend.PATCH("/v1/settings", { body: set }))).boardColor, "#7c3aed");
  const put = (bytes: Buffer) =>
    backend.PUT("/v1/settings/logo", { body: bytes, bodySerializer: () => bytes, headers: { "Content-Type": "image/png" } });
  assert.equal((await ok(put(image))).sizeBytes, image.length);
  await refused(put(image.subarray(1)), "VALIDATION_ERROR");
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
  await ok(backend.DELETE("/v1/settings/logo"));
}

/** Users vote on the board, and support merges a duplicate. */
async function vote(world: World, backend: Caller, user: Caller, thread: Thread): Promise<void> {
  const other = world.client<paths>("feedback", await someone(world));
  const here = { path: { feedbackId: thread.feedbackId } };
  await ok(user.PUT("/v1/feedbacks/{feedbackId}/vote", { params: here }));
  assert.deepEqual(await ok(other.PUT("/v1/feedbacks/{feedbackId}/vote", { params: here })), { voteCount: 2, voted: true });
  assert.equal((await ok(other.DELETE("/v1/feedbacks/{feedbackId}/vote", { params: here }))).voteCount, 1);

  const { items: similar } = await ok(other.GET("/v1/feedbacks/similar", { params: { query: { title: "A dark mode, please" } } }));
  assert.deepEqual(similar.map(({ feedbackId }) => feedbackId), [thread.feedbackId]);

  const twin = await ok(backend.POST("/v1/feedbacks", { body: { category: "feature", title: "Night colours", body: "As in the title." } }));
  const there = { path: { feedbackId: twin.feedbackId, userId: "a customer" } };
  assert.equal((await ok(backend.PUT("/v1/feedbacks/{feedbackId}/votes/{userId}", { params: there }))).voteCount, 1);
  await ok(backend.DELETE("/v1/feedbacks/{feedbackId}/votes/{userId}", { params: there }));
  await ok(backend.PUT("/v1/feedbacks/{feedbackId}/votes/{userId}", { params: there }));
  const merged = await ok(backend.POST("/v1/feedbacks/{feedbackId}/merge", { params: there, body: { into: thread.feedbackId } }));
  assert.equal(merged.voteCount, 2);
  await refused(backend.POST("/v1/feedbacks/{feedbackId}/merge", { params: there, body: { into: thread.feedbackId } }), "CONFLICT");
  const { items: voters } = await ok(backend.GET("/v1/feedbacks/{feedbackId}/votes", { params: here }));
  assert.equal(voters.length, 2);

  const { items: listed } = await ok(
    other.GET("/board/threads", {
      params: { query: { sort: "votes", status: "open,in-progress" } },
    }),
  );
  assert.equal(listed[0]!.feedbackId, thread.feedbackId);
  assert.equal(listed[0]!.voted, false);
  const post = await ok(world.client<paths>("feedback").GET("/board/threads/{feedbackId}", { params: here }));
  assert.equal(post.replies.length, post.replyCount);
}

/** A user with a verified address gets an email about a reply, and then ends these emails. */
async function unsubscribe(world: World, backend: Caller): Promise<void> {
  const auth = world.client<AuthPaths>("auth-mfa");
  const account = { email: `reader-${Math.random().toString(36).slice(2)}@example.com`, password: "a violet teapot" };
  await ok(auth.POST("/v1/auth/register", { body: account }));
  await ok(auth.POST("/v1/auth/email/verify", { body: { token: await tokenTo(world, account.email, "verify-email") } }));
  const user = world.client<paths>("feedback", (await ok(auth.POST("/v1/auth/login", { body: account }))).accessToken);
  const { feedbackId } = await ok(user.POST("/v1/feedbacks", { body: { category: "general", title: "Hello", body: "A question." } }));
  await ok(backend.POST("/v1/feedbacks/{feedbackId}/replies", { params: { path: { feedbackId } }, body: { body: "An answer." } }));
  const folder = world.env["FEEDBACK_EMAIL_OUTBOX"]!;
  const link = await eventually(() => {
    const mails = readdirSync(folder).filter((name) => name.endsWith(".eml")).map((name) => readFileSync(path.join(folder, name), "utf8"));
    return /^List-Unsubscribe: <(.*)>\r?$/m.exec(mails.find((mail) => mail.includes(`To: ${account.email}`)) ?? "")?.[1];
  });
  const page = await world.send("feedback", "GET", link, {});
  const style = /href="(\/unsubscribe\.css[^"]*)"/.exec(page.body.toString())![1]!;
  assert.equal((await world.send("feedback", "GET", new URL(style, link).href, {})).status, 200);
  const form = { "content-type": "application/x-www-form-urlencoded" };
  assert.equal((await world.send("feedback", "POST", link, form, Buffer.from("List-Unsubscribe=One-Click"))).status, 200);
  assert.equal((await world.send("feedback", "POST", `${link}x`, form, Buffer.from("List-Unsubscribe=One-Click"))).status, 404);
}

/** The user attaches a picture: presign, PUT, reply with it. */
async function attach(world: World, user: Caller, thread: Thread): Promise<void> {
  const file = await ok(
    user.POST("/v1/attachments/presign", { body: { filename: "night.png", contentType: "image/png", sizeBytes: png.length } }),
  );
  await world.send("feedback", "PUT", file.uploadUrl, { "content-type": "image/png" }, png);
  const used = await world.send("feedback", "PUT", file.uploadUrl, { "content-type": "image/png" }, png);
  assert.equal(used.status, 409);
  const replied = await ok(
    user.POST("/v1/feedbacks/{feedbackId}/replies", {
      params: { path: { feedbackId: thread.feedbackId } },
      body: { body: "It looks like this.", attachmentIds: [file.attachmentId] },
    }),
  );
  assert.deepEqual(replied.attachmentIds, [file.attachmentId]);
  const shown = await ok(user.GET("/v1/attachments/{attachmentId}", { params: { path: { attachmentId: file.attachmentId } } }));
  assert.equal(shown.status, "attached");
  const { body } = await world.send("feedback", "GET", shown.downloadUrl!);
  assert.deepEqual(body, png);
}

async function report(backend: Caller, user: Caller): Promise<void> {
  const { items, cursor } = await ok(
    backend.GET("/v1/feedbacks", { params: { query: { limit: 1, sort: "lastReplyAt", createdAfter: "2020-01-01T00:00:00+01:00" } } }),
  );
  assert.equal(items.length, 1);
  assert.notEqual(cursor, null);
  assert.equal((await ok(user.GET("/v1/feedbacks"))).items.length, 1);
  assert.equal((await ok(backend.GET("/v1/feedbacks", { params: { query: { q: "eyes", tag: "none" } } }))).items.length, 0);
  const { total, byStatus } = await ok(backend.GET("/v1/feedbacks/stats"));
  assert.equal(total, 2);
  assert.equal(byStatus["in-progress"], 1);
  const exported = await ok(backend.GET("/v1/feedbacks/export", { parseAs: "text" }));
  assert.equal(String(exported).trim().split("\n").length, total);
  await refused(user.GET("/v1/feedbacks/stats"), "FORBIDDEN");
}

/** Support changes many threads at once, corrects a reply, and exports everything as CSV. */
async function triage(backend: Caller, user: Caller, thread: Thread): Promise<void> {
  const unknown = "0190a5d2-0000-7000-8000-000000000001";
  const { results } = await ok(
    backend.POST("/v1/feedbacks/bulk", { body: { feedbackIds: [thread.feedbackId, unknown], set: { priority: "low" } } }),
  );
  assert.deepEqual(results.map(({ status }) => status), [200, 404]);
  assert.equal(results[0]!.feedback!.priority, "low");
  const here = { path: { feedbackId: thread.feedbackId } };
  const posted = await ok(backend.POST("/v1/feedbacks/{feedbackId}/replies", { params: here, body: { body: "It is plannd." } }));
  const reply = { path: { ...here.path, replyId: posted.replyId } };
  const edited = await ok(
    backend.PATCH("/v1/feedbacks/{feedbackId}/replies/{replyId}", { params: reply, body: { body: "It is planned." } }),
  );
  assert.notEqual(edited.editedAt, null);
  await refused(
    user.PATCH("/v1/feedbacks/{feedbackId}/replies/{replyId}", { params: reply, body: { body: "No." } }),
    "FORBIDDEN",
  );
  const { items } = await ok(backend.GET("/v1/feedbacks/{feedbackId}/replies/{replyId}/history", { params: reply }));
  assert.deepEqual(items.map(({ body }) => body), ["It is plannd."]);
  const csv = String(await ok(backend.GET("/v1/feedbacks/export", { params: { query: { format: "csv", include: "replies" } }, parseAs: "text" })));
  assert.match(csv, /^type,feedbackId,.*\r\n/);
  assert.deepEqual(await ok(backend.DELETE("/v1/feedbacks/{feedbackId}/replies/{replyId}", { params: reply })), { deleted: true });
  const { firstResponseSeconds } = await ok(backend.GET("/v1/feedbacks/stats", { params: { query: { createdAfter: "2020-01-01T00:00:00Z" } } }));
  assert.ok(firstResponseSeconds!.p50 <= firstResponseSeconds!.p90);
}

async function settle(backend: Caller): Promise<void> {
  const changed = await ok(backend.PATCH("/v1/settings", { body: { allowedOrigins: ["https://App.example.com:443"], notifyEmail: null } }));
  assert.deepEqual(changed.allowedOrigins, ["https://app.example.com"]);
  const { data, response } = await backend.GET("/v1/settings", { headers: { Origin: "https://app.example.com" } });
  assert.deepEqual(data, changed);
  assert.equal(response.headers.get("Access-Control-Allow-Origin"), "https://app.example.com");
  const { items } = await ok(backend.GET("/v1/audit", { params: { query: { limit: 100 } } }));
  assert.ok(items.some(({ action, actor }) => action === "settings.updated" && actor.startsWith("key:")));
  assert.ok(items.some(({ action, actor }) => action === "key.mint" && actor === "master"));
}

/** The user exports the own data, and support erases the user. */
async function leave(backend: Caller, user: Caller, thread: Thread): Promise<void> {
  const path = { userId: thread.userId! };
  const exported = String(await ok(user.GET("/v1/users/{userId}/export", { params: { path }, parseAs: "text" })));
  const lines = exported.trim().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    lines.map(({ type }) => type),
    ["feedback", "reply", "vote", "attachment"],
  );
  assert.equal(lines[0]!["feedbackId"], thread.feedbackId);
  await refused(user.GET("/v1/users/{userId}/export", { params: { path: { userId: "another" } } }), "NOT_FOUND");
  await refused(user.DELETE("/v1/users/{userId}", { params: { path } }), "FORBIDDEN");
  const here = { params: { path: { feedbackId: thread.feedbackId } } };
  await ok(backend.DELETE("/v1/users/{userId}", { params: { path, query: { mode: "anonymize" } } }));
  assert.match((await ok(backend.GET("/v1/feedbacks/{feedbackId}", here))).userId!, /^deleted:/);
  await refused(user.GET("/v1/feedbacks/{feedbackId}", here), "NOT_FOUND");
  assert.deepEqual(await ok(backend.DELETE("/v1/users/{userId}", { params: { path } })), { deleted: true });
}
