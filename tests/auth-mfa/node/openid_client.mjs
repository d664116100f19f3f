// Tests the OpenID provider with openid-client, a certified relying party. argv[2]: see relying_party.mjs. openid-client checks
// `state`, `nonce`, `iss`, `at_hash`, `auth_time`, signatures and times by itself, and throws if one of them is wrong.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, jwtVerify } from "jose";
import { generators } from "openid-client";
import { PlainBrowser, request } from "./plain_browser.mjs";
import {
  allScopes,
  authorize,
  formReceiver,
  input,
  issuer,
  newClient,
  redirectUri,
  refused,
  signIn,
  signOut,
  signedOutUri,
} from "./relying_party.mjs";

const { user, strongUser } = input;
const newKeys = async (alg) => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const more = { alg, kid: `key of ${alg}`, use: "sig" };
  return {
    keys: { keys: [{ ...(await exportJWK(privateKey)), ...more }] },
    jwks: { keys: [{ ...(await exportJWK(publicKey)), ...more }] },
  };
};
const isActive = async (client, token) => (await client.introspect(token)).active;
const containsAll = (list, wanted) => wanted.forEach((one) => assert.ok(list?.includes(one), `${one} is not in ${list}`));

function checkDiscovery() {
  const { metadata } = issuer;
  assert.equal(metadata.issuer, input.origin);
  const own = ["authorization", "token", "userinfo", "revocation", "introspection", "end_session", "pushed_authorization_request"];
  for (const name of own) assert.ok(metadata[`${name}_endpoint`].startsWith(`${input.origin}/oauth/`), name);
  assert.deepEqual(metadata.response_types_supported, ["code"]);
  assert.deepEqual(metadata.code_challenge_methods_supported, ["S256"]);
  assert.deepEqual(metadata.subject_types_supported, ["public"]);
  assert.equal(metadata.authorization_response_iss_parameter_supported, true);
  assert.equal(metadata.backchannel_logout_supported, true);
  assert.equal(metadata.backchannel_logout_session_supported, true);
  containsAll(metadata.id_token_signing_alg_values_supported, ["RS256", "ES256"]);
  containsAll(metadata.grant_types_supported, ["authorization_code", "refresh_token"]);
  containsAll(metadata.scopes_supported, allScopes.split(" "));
  containsAll(metadata.token_endpoint_auth_methods_supported, [
    "client_secret_basic",
    "client_secret_post",
    "private_key_jwt",
    "none",
  ]);
  containsAll(metadata.claims_supported, ["sub", "email", "email_verified", "auth_time", "acr", "amr"]);
}

/** Everything that a client of this kind does with its tokens. */
async function useTokens(method, idTokenSigningAlg, { keys, jwks } = {}) {
  const client = await newClient(method, { idTokenSigningAlg, keys, ...(jwks && { jwks }) });
  const tokens = await signIn(client, new PlainBrowser(), user);
  const claims = tokens.claims();
  assert.equal(decodeProtectedHeader(tokens.id_token).alg, idTokenSigningAlg);
  assert.deepEqual([claims.sub, claims.aud, claims.acr], [user.userId, client.metadata.client_id, "aal1"]);
  assert.ok(claims.at_hash && claims.sid && claims.auth_time <= claims.iat);
  containsAll(claims.amr, ["pwd"]);
  assert.equal(tokens.token_type, "Bearer");
  assert.deepEqual(tokens.scope.split(" ").sort(), allScopes.split(" ").sort());

  const info = await client.userinfo(tokens); // checks that `sub` is that of the id token
  assert.equal(info.email, user.email);
  assert.equal(typeof info.email_verified, "boolean");

  const renewed = await client.refresh(tokens);
  assert.notEqual(renewed.refresh_token, tokens.refresh_token);
  assert.equal(renewed.claims().auth_time, claims.auth_time);
  assert.equal(renewed.claims().sid, claims.sid);
  if (method !== "none") {
    const seen = await client.introspect(renewed.access_token);
    assert.deepEqual([seen.active, seen.client_id, seen.sub], [true, client.metadata.client_id, user.userId]);
  }
  await client.revoke(renewed.refresh_token, "refresh_token");
  await refused(client.refresh(renewed), "invalid_grant");
  if (method !== "none") assert.equal(await isActive(client, renewed.refresh_token), false);
  await client.revoke("unknown"); // is no error (RFC 7009, 2.2)
}

/** Tokens that were used twice, and tokens of other clients. */
async function checkReuse() {
  const client = await newClient();
  const other = await newClient("client_secret_post");
  const browser = new PlainBrowser();
  const first = await signIn(client, browser, user);
  await refused(other.refresh(first.refresh_token), "invalid_grant");
  const second = await client.refresh(first);
  const third = await client.refresh(second);
  await refused(client.refresh(first), "invalid_grant"); // ends the session
  await refused(client.refresh(third), "invalid_grant");

  const { checks, params } = await authorize(client, browser, user);
  const taken = { ...checks, state: params.state };
  await refused(other.callback(redirectUri, params, taken), "invalid_grant");
  const tokens = await client.callback(redirectUri, params, taken);
  await refused(client.callback(redirectUri, params, taken), "invalid_grant"); // ends the session
  await refused(client.refresh(tokens), "invalid_grant");
  assert.equal(await isActive(client, tokens.access_token), false);

  const next = await authorize(client, browser, user);
  const wrong = { ...next.checks, code_verifier: generators.codeVerifier() };
  await refused(client.callback(redirectUri, next.params, wrong), "invalid_grant");
}

async function checkClientAuthentication() {
  const browser = new PlainBrowser();
  for (const method of ["client_secret_basic", "client_secret_post"]) {
    const client = await newClient(method);
    const { checks, params } = await authorize(client, browser, user);
    const impostor = new issuer.Client({ ...client.metadata, client_secret: "wrong" });
    await refused(impostor.callback(redirectUri, params, checks), "invalid_client");
  }
  const [own, foreign] = [await newKeys("ES256"), await newKeys("ES256")];
  const client = await newClient("private_key_jwt", { keys: own.keys, jwks: own.jwks });
  const { checks, params } = await authorize(client, browser, user);
  const impostor = new issuer.Client(client.metadata, foreign.keys);
  await refused(impostor.callback(redirectUri, params, checks), "invalid_client");
  await client.callback(redirectUri, params, checks);
}

/** The parameters that a pushed request replaces. */
const nothing = Object.fromEntries(
  ["redirect_uri", "response_type", "scope", "state", "nonce", "code_challenge", "code_challenge_method"].map((name) => [name]),
);

async function checkPushedRequests(keys) {
  for (const method of ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]) {
    const client = await newClient(method, method === "private_key_jwt" ? keys : {});
    const verifier = generators.codeVerifier();
    const [state, nonce] = [generators.state(), generators.nonce()];
    const pushed = await client.pushedAuthorizationRequest({
      redirect_uri: redirectUri,
      scope: "openid",
      state,
      nonce,
      code_challenge: generators.codeChallenge(verifier),
      code_challenge_method: "S256",
    });
    assert.ok(pushed.expires_in > 0);
    const { params } = await authorize(client, new PlainBrowser(), user, { ...nothing, request_uri: pushed.request_uri });
    const tokens = await client.callback(redirectUri, params, { code_verifier: verifier, state, nonce, response_type: "code" });
    assert.equal(tokens.scope, "openid");
    assert.equal(tokens.refresh_token, undefined); // without offline_access
    assert.equal(tokens.claims().email, undefined);
  }
}

/** The error of an authorization that ends without a code. */
async function errorOf(client, browser, changes) {
  const { checks, params } = await authorize(client, browser, user, changes);
  assert.equal(params.iss, issuer.issuer);
  const failure = await client.callback(redirectUri, params, checks).catch((error) => error);
  assert.equal(failure.name, "OPError", String(failure));
  return failure.error;
}

/** `prompt`, `max_age`, `acr_values` and `id_token_hint`. */
async function checkRequirements() {
  const client = await newClient();
  const browser = new PlainBrowser();
  assert.equal(await errorOf(client, browser, { prompt: "none" }), "login_required");
  const first = await signIn(client, browser, user);
  const silent = await signIn(client, browser, user, { prompt: "none", id_token_hint: first.id_token });
  assert.equal(silent.claims().auth_time, first.claims().auth_time);
  assert.equal((await signIn(client, browser, user, { max_age: 3600 })).claims().auth_time, first.claims().auth_time);
  const silentAal2 = { prompt: "none", acr_values: "aal2" };
  assert.equal(await errorOf(client, browser, silentAal2), "unmet_authentication_requirements");

  await sleep(4_000); // the clock of the service is moved once a second
  assert.equal(await errorOf(client, browser, { prompt: "none", max_age: 1 }), "login_required");
  const aged = await signIn(client, browser, user, { max_age: 1 });
  assert.ok(aged.claims().auth_time > first.claims().auth_time);
  await sleep(3_000);
  const again = await signIn(client, browser, user, { prompt: "login" });
  assert.ok(again.claims().auth_time > aged.claims().auth_time);

  const strong = await signIn(client, new PlainBrowser(), strongUser, { acr_values: "aal2" });
  assert.equal(strong.claims().acr, "aal2");
  const { id_token: hint } = strong;
  assert.equal(await errorOf(client, browser, { prompt: "none", id_token_hint: hint }), "login_required");
}

async function checkRequestErrors() {
  const client = await newClient();
  const browser = new PlainBrowser();
  assert.equal(await errorOf(client, browser, { code_challenge_method: "plain" }), "invalid_request");
  assert.equal(await errorOf(client, browser, { prompt: "none login" }), "invalid_request");
  assert.equal(await errorOf(client, browser, { request: "e30.e30." }), "request_not_supported");
  for (const changes of [{ redirect_uri: `${redirectUri}/` }, { client_id: "unknown" }]) {
    const page = await browser.open(client.authorizationUrl({ scope: "openid", ...changes }), { until: "https://" });
    assert.equal(page.status, 400); // a page, and no redirect
  }
}

/** Logout by a relying party, and the tokens of back-channel logout, which jose checks. */
async function checkLogout() {
  const receiver = await formReceiver();
  const withUri = (path) => newClient("client_secret_basic", { backchannelLogoutUri: `http://127.0.0.1:${receiver.port}${path}` });
  const clients = { "/one": await withUri("/one"), "/two": await withUri("/two") };
  const browser = new PlainBrowser();
  const idTokens = {};
  for (const [path, client] of Object.entries(clients))
    idTokens[path] = await signIn(client, browser, user, { scope: "openid" });
  const state = generators.state();
  const hint = { id_token_hint: idTokens["/one"].id_token, post_logout_redirect_uri: signedOutUri, state };
  assert.equal(await signOut(clients["/one"], browser, hint), `${signedOutUri}?state=${state}`);
  assert.equal(await errorOf(clients["/one"], browser, { prompt: "none" }), "login_required");

  for (let tries = 0; receiver.forms.length < 2 && tries < 600; ++tries) await sleep(100);
  assert.deepEqual(receiver.forms.map(({ path }) => path).sort(), ["/one", "/two"]);
  const keys = createRemoteJWKSet(new URL("/.well-known/jwks.json", input.service));
  for (const { path, type, fields } of receiver.forms) {
    assert.equal(type, "application/x-www-form-urlencoded");
    const options = {
      issuer: issuer.issuer,
      audience: clients[path].metadata.client_id,
      typ: "logout+jwt",
      algorithms: ["RS256"],
      requiredClaims: ["iat", "exp", "jti"],
      clockTolerance: 60,
    };
    const { payload } = await jwtVerify(fields.logout_token, keys, options);
    const { sid } = decodeJwt(idTokens[path].id_token);
    assert.deepEqual([payload.sub, payload.sid, payload.nonce], [user.userId, sid, undefined]);
    assert.deepEqual(payload.events, { "http://schemas.openid.net/event/backchannel-logout": {} });
    assert.equal(await isActive(clients[path], idTokens[path].access_token), false);
  }
  const page = await browser.open(clients["/one"].endSessionUrl({ ...hint, post_logout_redirect_uri: redirectUri }), {
    until: redirectUri,
  });
  assert.equal(page.status, 400); // the URI is not one for logouts
}

checkDiscovery();
await useTokens("none", "RS256");
await useTokens("client_secret_basic", "RS256");
await useTokens("client_secret_post", "ES256");
const keys = await newKeys("RS256");
await useTokens("private_key_jwt", "ES256", keys);
await useTokens("private_key_jwt", "RS256", await newKeys("ES256"));
await checkReuse();
await checkClientAuthentication();
await checkPushedRequests(keys);
await checkRequirements();
await checkRequestErrors();
await checkLogout();

// Tokens of a client do not open routes of the account.
const client = await newClient("none");
const { access_token: token } = await signIn(client, new PlainBrowser(), user);
const me = await request(`${input.origin}/v1/auth/me`, { headers: { authorization: `Bearer ${token}` } });
assert.equal(me.status, 403);
console.log("done");
