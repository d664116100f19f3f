import assert from "node:assert/strict";
import { test } from "node:test";
import { ConnectionError, Feedback, Notify, TetradError } from "@tetrad/client";
import { json, problem, serve } from "./server.mjs";

const key = { apiKey: "fbk_1" };
const ids = (list) => list.map(({ feedbackId }) => feedbackId);
const page = (items, cursor) => json(200, { items: items.map((feedbackId) => ({ feedbackId })), cursor });
const threePages = () =>
  serve(({ url }) => {
    const cursor = new URL(url, "http://x").searchParams.get("cursor");
    return { null: page(["1", "2"], "a"), a: page([], "b"), b: page(["3"], null) }[cursor];
  });

test("a list is requested when it is used, and its first page only once", async () => {
  const server = await threePages();
  const list = new Feedback({ ...server, ...key }).listFeedbacks({ status: "open", limit: 2 });
  await new Promise((go) => setTimeout(go, 20));
  assert.equal(server.requests.length, 0);
  const first = await list;
  assert.deepEqual([ids(first.items), first.cursor], [["1", "2"], "a"]);
  assert.equal((await list.withResponse()).response.status, 200);
  assert.equal(server.requests.length, 1);
});

test("for await walks all pages with the same filters", async () => {
  const server = await threePages();
  const found = [];
  for await (const thread of new Feedback({ ...server, ...key }).listFeedbacks({ status: "open" })) found.push(thread);
  assert.deepEqual(ids(found), ["1", "2", "3"]);
  assert.deepEqual(server.requests.map(({ url }) => url), [
    "/v1/feedbacks?status=open",
    "/v1/feedbacks?status=open&cursor=a",
    "/v1/feedbacks?status=open&cursor=b",
  ]);
});

test("an iteration that ends early requests no further page", async () => {
  const server = await threePages();
  for await (const thread of new Feedback({ ...server, ...key }).listFeedbacks()) if (thread.feedbackId === "2") break;
  assert.equal(server.requests.length, 1);
});

test("byPage gives the pages", async () => {
  const server = await threePages();
  const sizes = [];
  for await (const { items } of new Feedback({ ...server, ...key }).listFeedbacks().byPage()) sizes.push(items.length);
  assert.deepEqual(sizes, [2, 0, 1]);
});

test("an error of a later page ends the iteration", async () => {
  const server = await serve([page(["1"], "a"), problem(404, "NOT_FOUND")]);
  const found = [];
  await assert.rejects(
    async () => {
      for await (const thread of new Feedback({ ...server, ...key }).listFeedbacks()) found.push(thread);
    },
    { name: "NotFoundError" },
  );
  assert.deepEqual(ids(found), ["1"]);
});

test("lists with other names of members work alike", async () => {
  const server = await serve([json(200, { notifications: [{ notificationId: "1" }], nextCursor: "a" }), json(200, { notifications: [], nextCursor: null })]);
  const found = [];
  for await (const { notificationId } of new Notify({ ...server, ...key }).listNotifications()) found.push(notificationId);
  assert.deepEqual(found, ["1"]);
  assert.equal(server.requests[1].url, "/v1/notifications?cursor=a");
});

/** Sends the chunks one by one. */
const streamed = (chunks, end) => async (_, response) => {
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  for (const chunk of chunks) {
    response.write(chunk);
    await new Promise((go) => setTimeout(go, 10));
  }
  end(response);
};
const complete = (response) => response.end();
const collect = async (lines) => {
  const found = [];
  for await (const line of lines) found.push(line);
  return found;
};

test("lines are parsed although chunks divide lines and characters", async () => {
  const bytes = Buffer.from('{"type":"reply","body":"Grüße 🙂"}\n{"type":"vote"}\n\n{"type":"last"}');
  const cuts = [0, 5, bytes.indexOf("ü") + 1, bytes.indexOf("🙂") + 2, bytes.indexOf("vote"), bytes.length - 3, bytes.length];
  const chunks = cuts.slice(1).map((cut, i) => bytes.subarray(cuts[i], cut));
  const server = await serve(() => streamed(chunks, complete));
  const lines = await collect(new Feedback({ ...server, ...key }).exportUser("u1"));
  assert.deepEqual(lines, [{ type: "reply", body: "Grüße 🙂" }, { type: "vote" }, { type: "last" }]);
});

test("an invalid line is an error with its number", async () => {
  const server = await serve(() => streamed(['{"type":"vote"}\n{"type":\n'], complete));
  await assert.rejects(collect(new Feedback({ ...server, ...key }).exportUser("u1")), (error) => {
    assert.ok(error instanceof TetradError && error.cause instanceof SyntaxError);
    return error.message === "Line 2 of the response is not JSON.";
  });
});

test("an export that breaks off is a ConnectionError", async () => {
  const server = await serve(() => streamed(['{"type":"vote"}\n'], (response) => response.destroy()));
  await assert.rejects(collect(new Feedback({ ...server, ...key }).exportUser("u1")), ConnectionError);
});

test("a signal ends an export, and its time limit does not", async () => {
  const server = await serve(() => streamed(['{"type":"vote"}\n'], (response) => setTimeout(() => response.write('{"type":"vote"}\n'), 200)));
  const controller = new AbortController();
  let count = 0;
  await assert.rejects(
    async () => {
      const lines = new Feedback({ ...server, ...key, timeoutMs: 100 }).exportUser("u1", { signal: controller.signal });
      for await (const _ of lines) if (++count === 2) controller.abort();
    },
    { name: "AbortError" },
  );
  assert.equal(count, 2);
});

test("an export is requested when it is used, and response() gives other formats", async () => {
  const server = await serve([{ status: 200, headers: { "content-type": "text/csv" }, body: "type\r\nfeedback\r\n" }]);
  const lines = new Feedback({ ...server, ...key }).exportFeedbacks({ format: "csv" });
  assert.equal(server.requests.length, 0);
  assert.equal(await (await lines.response()).text(), "type\r\nfeedback\r\n");
  assert.equal(server.requests[0].url, "/v1/feedbacks/export?format=csv");
});

test("a refused export throws the error", async () => {
  const server = await serve([problem(403, "FORBIDDEN")]);
  await assert.rejects(collect(new Feedback({ ...server, ...key }).exportFeedbacks()), { name: "PermissionError" });
});
