import assert from "node:assert/strict";
import { test } from "node:test";
import { Auth, AuthenticationError, Feedback } from "@tetrad/client";
import { json, problem, serve } from "./server.mjs";

const refused = problem(401, "UNAUTHORIZED");
const bearers = ({ requests }) => requests.map(({ headers }) => headers.authorization);

/** A provider that returns the tokens in order, and its calls. */
function provider(...tokens) {
  const hints = [];
  return { hints, tokenProvider: (hint) => tokens[hints.push(hint) - 1] };
}

test("an API key is sent as bearer, and a 401 is not repeated", async () => {
  const server = await serve([refused]);
  await assert.rejects(new Feedback({ ...server, apiKey: "fbk_1" }).getSettings(), AuthenticationError);
  assert.deepEqual(bearers(server), ["Bearer fbk_1"]);
});

test("after a 401 the provider is asked once more, and each method is repeated once", async () => {
  const server = await serve([refused, json(200, {})]);
  const { hints, tokenProvider } = provider("old", Promise.resolve("new"));
  await new Feedback({ ...server, tokenProvider }).mergeFeedback("f1", { into: "f2" });
  assert.deepEqual(hints, [{}, { rejected: "old" }]);
  assert.deepEqual(bearers(server), ["Bearer old", "Bearer new"]);
});

test("a second 401 is thrown", async () => {
  const server = await serve([refused]);
  const { hints, tokenProvider } = provider("old", "new", "newer");
  await assert.rejects(new Feedback({ ...server, tokenProvider }).getSettings(), AuthenticationError);
  assert.equal(hints.length, 2);
  assert.equal(server.requests.length, 2);
});

test("without another token the request is not repeated", async () => {
  for (const second of ["old", undefined]) {
    const server = await serve([refused]);
    const { tokenProvider } = provider("old", second);
    await assert.rejects(new Feedback({ ...server, tokenProvider }).getSettings(), AuthenticationError);
    assert.equal(server.requests.length, 1);
  }
});

test("without a token the request has no credential", async () => {
  const server = await serve([json(200, { items: [], cursor: null })]);
  await new Feedback({ ...server, tokenProvider: () => undefined }).listBoardThreads();
  await new Feedback(server).listBoardThreads();
  assert.deepEqual(bearers(server), [undefined, undefined]);
});

test("an error of the provider is thrown", async () => {
  const server = await serve([json(200, {})]);
  const tokenProvider = () => Promise.reject(new Error("offline"));
  await assert.rejects(new Feedback({ ...server, tokenProvider }).getSettings(), { message: "offline" });
  assert.equal(server.requests.length, 0);
});

test("operations that take no credential do not ask for one", async () => {
  const server = await serve([json(200, {})]);
  const { hints, tokenProvider } = provider("token");
  await new Auth({ ...server, tokenProvider }).refresh({ refreshToken: "r" });
  assert.deepEqual([hints.length, bearers(server)], [0, [undefined]]);
});

test("an Authorization header of a call replaces the credential", async () => {
  const server = await serve([json(200, {})]);
  await new Auth({ ...server, apiKey: "aut_1" }).setUpTotp({ headers: { Authorization: "Bearer enrolment" } });
  assert.deepEqual(bearers(server), ["Bearer enrolment"]);
});
