// The list and the votes behind `useFeedback` and `<tetrad-feedback>`, and the features behind `useFeatures`.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Board } from "../dist/esm/board.js";
import { Features } from "../dist/esm/features.js";

const thread = (feedbackId, voteCount = 0, voted = false) => ({ feedbackId, title: feedbackId, voteCount, voted });
const votes = ({ state }) => state.threads.map(({ feedbackId, voteCount, voted }) => [feedbackId, voteCount, voted]);
const settled = () => new Promise(setImmediate);

/** A client whose responses the test gives, in the order of the requests. */
function client() {
  const requests = [];
  const asked =
    (name) =>
    (...args) =>
      new Promise((resolve, reject) => requests.push({ name, args, resolve, reject }));
  const names = ["listBoardThreads", "vote", "withdrawVote", "createFeedback"];
  return { requests, ...Object.fromEntries(names.map((name) => [name, asked(name)])) };
}

/** A board with these threads. */
async function opened(...threads) {
  const service = client();
  const board = new Board(service);
  const open = board.open({ sort: "votes" });
  service.requests.shift().resolve({ items: threads, cursor: "next" });
  await open;
  return { board, requests: service.requests };
}

test("a vote is shown at once, then as the service counts it", async () => {
  const { board, requests } = await opened(thread("a", 3), thread("b", 1, true));
  const voted = board.vote("a", true);
  assert.deepEqual(votes(board), [
    ["a", 4, true],
    ["b", 1, true],
  ]);
  requests[0].resolve({ voteCount: 9, voted: true });
  assert.deepEqual(await voted, { voteCount: 9, voted: true });
  assert.deepEqual(votes(board)[0], ["a", 9, true]);
});

test("a refused vote is undone, and the state has the error", async () => {
  const { board, requests } = await opened(thread("a", 3));
  const refusal = new Error("merged");
  const voted = board.vote("a", true);
  requests[0].reject(refusal);
  await assert.rejects(voted, refusal);
  assert.deepEqual(votes(board), [["a", 3, false]]);
  assert.equal(board.state.error, refusal);
  assert.equal(board.state.status, "ready");
});

test("the last decision counts", async () => {
  const { board, requests } = await opened(thread("a", 3));
  const first = board.vote("a", true);
  const second = board.vote("a", false);
  assert.deepEqual(votes(board), [["a", 3, false]]);
  assert.equal(requests.length, 1);
  requests[0].resolve({ voteCount: 4, voted: true });
  await settled();
  assert.equal(requests[1].name, "withdrawVote");
  requests[1].resolve({ voteCount: 3, voted: false });
  assert.deepEqual(await first, await second);
  assert.deepEqual(votes(board), [["a", 3, false]]);
});

test("a page that was made before a vote does not replace it", async () => {
  const { board, requests } = await opened(thread("a", 3));
  const read = board.refresh();
  const voted = board.vote("a", true);
  requests[1].resolve({ voteCount: 4, voted: true });
  await voted;
  requests[0].resolve({ items: [thread("a", 3)], cursor: null });
  await read;
  assert.deepEqual(votes(board), [["a", 4, true]]);
  assert.equal(board.state.hasMore, false);
});

test("only the last query is shown, and a closed board does not change", async () => {
  const { board, requests } = await opened(thread("a"));
  const [first, second] = [board.open({ q: "x" }), board.open({ q: "y" })];
  assert.equal(requests[0].args[1].signal.aborted, true);
  requests[1].resolve({ items: [thread("y")], cursor: "next" });
  requests[0].resolve({ items: [thread("x")], cursor: null });
  await Promise.all([first, second]);
  assert.deepEqual(votes(board), [["y", 0, false]]);
  const more = board.loadMore();
  assert.equal(board.state.isLoadingMore, true);
  board.close();
  requests[2].resolve({ items: [thread("z")], cursor: null });
  await more;
  assert.deepEqual(votes(board), [["y", 0, false]]);
  assert.equal(board.state.isLoadingMore, false);
});

test("further pages leave out threads that are shown already, and a failed page can be repeated", async () => {
  const { board, requests } = await opened(thread("a"), thread("b"));
  const failed = board.loadMore();
  requests.shift().reject(new Error("offline"));
  await failed;
  assert.deepEqual([board.state.status, board.state.error.message, board.state.hasMore], ["ready", "offline", true]);
  const more = board.loadMore();
  assert.equal(requests[0].args[0].cursor, "next");
  requests.shift().resolve({ items: [thread("b"), thread("c")], cursor: null });
  await more;
  assert.deepEqual(
    board.state.threads.map(({ feedbackId }) => feedbackId),
    ["a", "b", "c"],
  );
  await board.loadMore();
  assert.equal(requests.length, 0);
});

test("features are read while there are listeners: at once, when an entitlement ends, and every five minutes", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_000 });
  try {
    const reads = [];
    let end = 60_000;
    const entitlement = (features, accessUntil, isActive = true) => ({
      features,
      isActive,
      accessUntil: accessUntil && new Date(accessUntil).toISOString(),
    });
    const billing = {
      getMyEntitlements: async () => {
        reads.push(Date.now());
        return {
          entitlements: [entitlement(["sync", "export"], null), entitlement(["export"], 1_000_000 + end), entitlement(["old"], 1, false)],
        };
      },
    };
    const features = new Features(billing);
    const leave = features.subscribe(() => {});
    for (let i = 0; i < 9; ++i) await Promise.resolve();
    assert.deepEqual(features.state, { features: ["export", "sync"], status: "ready", error: null });
    for (const step of [60_000, 300_000]) {
      end = 10_000_000;
      mock.timers.tick(step);
      for (let i = 0; i < 9; ++i) await Promise.resolve();
    }
    assert.deepEqual(reads, [1_000_000, 1_060_000, 1_360_000]);
    leave();
    mock.timers.tick(3_600_000);
    assert.equal(reads.length, 3);
  } finally {
    mock.timers.reset();
  }
});

test("features stay while the service cannot be asked, until they end", async () => {
  let fails = false;
  const soon = new Date(Date.now() + 30).toISOString();
  const billing = {
    getMyEntitlements: async () => {
      if (fails) throw new Error("offline");
      return {
        entitlements: [
          { features: ["export"], isActive: true, accessUntil: soon },
          { features: ["sync"], isActive: true, accessUntil: null },
        ],
      };
    },
  };
  const features = new Features(billing);
  const leave = features.subscribe(() => {});
  await settled();
  fails = true;
  while (Date.now() <= Date.parse(soon)) await new Promise((go) => setTimeout(go, 10));
  await features.refresh();
  assert.deepEqual(features.state.features, ["sync"]);
  assert.deepEqual([features.state.status, features.state.error.message], ["ready", "offline"]);
  leave();
});
