import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Auth, ConnectionError, Session } from "@tetrad/client";
import { broken, json, problem, serve } from "./server.mjs";

const user = { sub: "u1", email: "ada@example.com", role: "user", tenant: "acme" };
let tokens = 0;

/** An access token with these claims. Only its payload matters here. */
const accessToken = (claims = user) => {
  const payload = JSON.stringify({ ...claims, iat: 1, exp: 2, jti: String(++tokens) });
  return `e30.${Buffer.from(payload).toString("base64url")}.sig`;
};
const answer = (claims) => ({ accessToken: accessToken(claims), refreshToken: `r${++tokens}`, expiresIn: 900 });

/** A storage that several sessions share, like the tabs of a browser. */
function storage() {
  const values = new Map();
  return {
    values,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => values.set(key, value),
    removeItem: (key) => values.delete(key),
  };
}

/** auth-mfa whose `refresh` does this. `refreshed` and `ended` have the tokens that it got. */
function service(refresh) {
  const calls = { refreshed: [], ended: [] };
  const auth = {
    refresh: async ({ refreshToken }) => {
      calls.refreshed.push(refreshToken);
      return refresh(calls.refreshed.length);
    },
    logout: async ({ refreshToken }) => void calls.ended.push(refreshToken),
  };
  return { auth, ...calls };
}

/** A session whose token expires in this number of seconds. */
function signedIn(auth, seconds, store = storage()) {
  const session = new Session({ auth, storage: store });
  const first = { ...answer(), expiresIn: seconds };
  session.start(first);
  return { session, first, store };
}

test("a token is used until 30 seconds before its end", async () => {
  const next = answer();
  const { auth, refreshed } = service(() => next);
  const fresh = signedIn(auth, 60);
  assert.equal(await fresh.session.tokenProvider({}), fresh.first.accessToken);
  assert.deepEqual(refreshed, []);
  const old = signedIn(auth, 29);
  assert.equal(await old.session.tokenProvider({}), next.accessToken);
  assert.deepEqual(refreshed, [old.first.refreshToken]);
});

test("calls at the same time share one refresh", async () => {
  const next = answer();
  const { auth, refreshed } = service(() => new Promise((done) => setTimeout(done, 20, next)));
  const { session } = signedIn(auth, 0);
  const used = await Promise.all([1, 2, 3].map(() => session.tokenProvider({})));
  assert.deepEqual(used, [next.accessToken, next.accessToken, next.accessToken]);
  assert.equal(refreshed.length, 1);
  assert.equal(await session.tokenProvider({}), next.accessToken);
});

test("a rejected token is refreshed, unless there is a newer one", async () => {
  const next = answer();
  const { auth, refreshed } = service(() => next);
  const { session, first } = signedIn(auth, 900);
  assert.equal(await session.tokenProvider({ rejected: first.accessToken }), next.accessToken);
  assert.equal(await session.tokenProvider({ rejected: first.accessToken }), next.accessToken);
  assert.equal(refreshed.length, 1);
});

test("a refused refresh ends the session", async () => {
  const server = await serve([problem(401, "UNAUTHORIZED")]);
  const { session, store } = signedIn(new Auth(server), 0);
  const seen = [];
  session.subscribe(() => seen.push(session.user));
  assert.equal(await session.tokenProvider({}), undefined);
  assert.deepEqual(seen, [null]);
  assert.equal(store.values.size, 0);
  assert.equal(await session.tokenProvider({}), undefined);
  assert.equal(server.requests.length, 1);
});

test("an error that may pass is repeated for a while, and does not end the session", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  try {
    const { auth, refreshed } = service(() => Promise.reject(new ConnectionError("no network", false)));
    const { session } = signedIn(auth, 0);
    const used = session.tokenProvider({}).catch((error) => error);
    for (const delay of [500, 1_500]) {
      for (let i = 0; i < 20; ++i) await Promise.resolve();
      mock.timers.tick(delay);
    }
    assert.ok((await used) instanceof ConnectionError);
    assert.equal(refreshed.length, 3);
    assert.equal(session.user.email, user.email);
  } finally {
    mock.timers.reset();
  }
});

test("a token that is near its end is used if it cannot be refreshed", async () => {
  const { auth } = service(() => Promise.reject(new TypeError("no network")));
  const { session, first } = signedIn(auth, 20);
  assert.equal(await session.tokenProvider({}), first.accessToken);
  await assert.rejects(session.tokenProvider({ rejected: first.accessToken }), TypeError);
});

test("a client may use the session that uses the client", async () => {
  const next = answer();
  const server = await serve(({ url }) => json(200, url === "/v1/auth/refresh" ? next : user));
  let session;
  const auth = new Auth({ ...server, tokenProvider: (hint) => session.tokenProvider(hint) });
  session = new Session({ auth, storage: "memory" });
  session.start({ ...answer(), expiresIn: 0 });
  await auth.getMe();
  assert.deepEqual(
    server.requests.map(({ url, headers }) => [url, headers.authorization]),
    [
      ["/v1/auth/refresh", undefined],
      ["/v1/auth/me", `Bearer ${next.accessToken}`],
    ],
  );
});

test("the user stays the same object until a claim changes, and the listeners are told", () => {
  const { auth } = service();
  const { session } = signedIn(auth, 900);
  const seen = [];
  const leave = session.subscribe(() => seen.push(session.user?.email ?? null));
  const before = session.user;
  assert.equal(before.sub, "u1");
  assert.equal("exp" in before, false);
  session.start(answer());
  assert.equal(session.user, before);
  session.start(answer({ ...user, email: "lovelace@example.com" }));
  assert.deepEqual(seen, ["lovelace@example.com"]);
  leave();
  session.start(answer());
  assert.equal(seen.length, 1);
});

test("a response without tokens signs nobody in, and one without refresh token keeps that of the session", async () => {
  const { auth, ended } = service();
  const session = new Session({ auth, storage: "memory" });
  assert.equal(session.start({}), false);
  assert.equal(session.user, null);
  assert.equal(session.start({ accessToken: accessToken(), expiresIn: 900 }), false);
  const first = answer();
  assert.equal(session.start(first), true);
  const token = accessToken({ ...user, acr: "aal2" });
  assert.equal(session.start({ accessToken: token, expiresIn: 900 }), true);
  assert.equal(await session.tokenProvider({}), token);
  assert.equal(session.user.acr, "aal2");
  await session.end();
  assert.deepEqual(ended, [first.refreshToken]);
});

test("the end of a session needs no network", async () => {
  const server = await serve([broken]);
  const { session } = signedIn(new Auth({ ...server, retries: 0 }), 900);
  await session.end();
  assert.equal(session.user, null);
  await session.end();
  assert.equal(server.requests.length, 1);
});

test("a refresh that returns after the sign-out does not sign in again", async () => {
  let finish;
  const { auth } = service(() => new Promise((done) => (finish = done)));
  const { session, store } = signedIn(auth, 0);
  const used = session.tokenProvider({});
  await new Promise(setImmediate);
  await session.end();
  finish(answer());
  assert.equal(await used, undefined);
  assert.equal(store.values.size, 0);
});

test("texts in the storage that are no tokens are ignored", () => {
  const store = storage();
  const session = new Session({ auth: service().auth, storage: store });
  for (const text of ["", "{", "null", "[]", '{"accessToken":1}', '{"accessToken":"x","refreshToken":"y","expiresAt":9}']) {
    store.values.set("tetrad:session", text);
    assert.equal(session.user, null, text);
  }
});

test("in Node.js the tokens are kept in memory, and options make the client", async () => {
  const server = await serve([json(200, { loggedOut: true })]);
  const session = new Session({ auth: { baseUrl: server.baseUrl } });
  session.start(answer());
  assert.equal(session.user.email, user.email);
  await session.end();
  assert.equal(server.requests[0].url, "/v1/auth/logout");
});
