// The story of feedback: users of a product and its support.
import assert from "node:assert/strict";
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
  await settle(backend);
  await administer(world, "feedback");
  await readReference(world, "feedback");
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
    ["feedback", "reply", "attachment"],
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
