// The story of auth-mfa: sign-in with a second factor, emails, and the work of the owner, the backend and the operator.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import otplib from "otplib";
import { Browser, locationOf } from "./browser.js";
import type { components, paths } from "./clients/auth-mfa.js";
import { Passkey } from "./passkey.js";
import { administer, listen, readReference } from "./shared.js";
import { eventually, ok, refused, type World } from "./world.js";

type Caller = ReturnType<typeof World.prototype.client<paths>>;
type User = components["schemas"]["User"];
type Credentials = { email: string; password: string };

const password = "a violet teapot";
const newPassword = "another violet teapot";
const any = (): string => Math.random().toString(36).slice(2);
const phoneNumber = (): string => `+1415555${String(Math.floor(Math.random() * 9000) + 1000)}`;

/** Options for a request with a form. */
const form = <const Fields extends Record<string, string>>(body: Fields, headers: Record<string, string> = {}) => ({
  body,
  bodySerializer: () => new URLSearchParams(body),
  headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
});

/** Waits until a number has received this many messages. Returns the code in the last one. */
const codeTo = (world: World, phone: string, messages: number): Promise<string> =>
  eventually(() => {
    const sent = readFileSync(world.env["SMS_OUTBOX"]!, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { to: string; body: string });
    const bodies = sent.filter(({ to }) => to === phone).map(({ body }) => body);
    return bodies.length < messages ? undefined : /\d{6}/.exec(bodies.at(-1)!)![0];
  });

const read = new Set<string>();

/** Waits for an email to the address whose link leads to a hosted page. Returns the token in it, which no earlier call returned. */
export const tokenTo = (world: World, email: string, page: string): Promise<string> =>
  eventually(() => {
    const folder = world.env["AUTH_EMAIL_OUTBOX"]!;
    const tokens = readdirSync(folder)
      .filter((name) => name.endsWith(".eml"))
      .map((name) => readFileSync(path.join(folder, name), "utf8").replace(/=\r?\n/g, "")) // joins lines of quoted-printable text
      .filter((text) => new RegExp(`^To: .*${email}`, "im").test(text) && text.includes(`/${page}?token=`))
      .flatMap((text) => text.match(/^[\w-]{43}(?=\r?$)/gm)?.find((line) => new RegExp(`\\?token=(3D)?${line}`).test(text)) ?? [])
      .filter((token) => !read.has(token));
    for (const token of tokens) read.add(token);
    return tokens[0];
  });

/** A new account. `caller` sends requests with the access token of its registration. */
async function newAccount(world: World, name: string): Promise<Credentials & { user: User; caller: Caller }> {
  const account = { email: `${name}-${any()}@example.com`, password };
  const { user, accessToken } = await ok(world.client<paths>("auth-mfa").POST("/v1/auth/register", { body: account }));
  return { ...account, user, caller: world.client<paths>("auth-mfa", accessToken!) };
}

/** A caller that has just signed in with a password. */
async function signedIn(world: World, body: Credentials): Promise<Caller> {
  return world.client<paths>("auth-mfa", (await ok(world.client<paths>("auth-mfa").POST("/v1/auth/login", { body }))).accessToken);
}

export async function authMfa(world: World): Promise<void> {
  const anybody = world.client<paths>("auth-mfa");
  const grace = { email: `grace-${any()}@example.com`, password };

  // A user registers and is signed in at once: there is no second factor yet.
  const registered = await ok(anybody.POST("/v1/auth/register", { body: grace }));
  await refused(anybody.POST("/v1/auth/register", { body: grace }), "CONFLICT");
  const user = world.client<paths>("auth-mfa", registered.accessToken);
  assert.equal((await ok(user.GET("/v1/auth/me"))).email, grace.email);

  // The user enrols a phone and gets ten recovery codes.
  const phone = phoneNumber();
  assert.equal((await ok(user.POST("/v1/auth/mfa/sms/setup", { body: { phone } }))).phone, phone);
  const { recoveryCodes } = await ok(user.POST("/v1/auth/mfa/sms/confirm", { body: { code: await codeTo(world, phone, 1) } }));
  assert.equal(recoveryCodes.length, 10);

  // Now a password alone gets 403, and a code is sent.
  const challenged = await refused(anybody.POST("/v1/auth/login", { body: grace }), "mfa_required");
  assert.ok("mfa_token" in challenged);
  assert.deepEqual(challenged.available_methods, ["sms", "recovery_code"]);
  const { mfa_token } = challenged;

  // The user enters a wrong code, requests another one, and enters it. This browser becomes trusted.
  const wrong = await refused(
    anybody.POST("/v1/auth/mfa/verify", { body: { mfa_token, method: "sms", code: "nonono" } }),
    "MFA_INVALID_CODE",
  );
  assert.equal("attemptsRemaining" in wrong && wrong.attemptsRemaining, 4);
  const sent = await ok(anybody.POST("/v1/auth/mfa/challenge", { body: { mfa_token, challenge_type: "oob", oob_channel: "sms" } }));
  assert.equal(sent.sendsRemaining, 1);
  const verified = await anybody.POST("/v1/auth/mfa/verify", {
    body: { mfa_token, method: "sms", code: await codeTo(world, phone, 3), trustDevice: true },
  });
  const { refreshToken } = await ok(Promise.resolve(verified));
  const cookie = verified.response.headers.get("set-cookie")!.split(";")[0]!;
  await refused(anybody.POST("/v1/auth/mfa/verify", { body: { mfa_token, method: "sms", code: "000000" } }), "MFA_CHALLENGE_EXPIRED");

  // The trusted browser needs no code. Another browser uses a recovery code.
  assert.equal((await ok(anybody.POST("/v1/auth/login", { body: grace, headers: { Cookie: cookie } }))).user.email, grace.email);
  const elsewhere = await refused(anybody.POST("/v1/auth/login", { body: grace }), "mfa_required");
  assert.ok("mfa_token" in elsewhere);
  await ok(
    anybody.POST("/v1/auth/mfa/verify", { body: { mfa_token: elsewhere.mfa_token, method: "recovery_code", code: recoveryCodes[0]! } }),
  );

  // Tokens are refreshed, the public keys are read, sessions are listed and ended.
  const renewed = await ok(anybody.POST("/v1/auth/refresh", { body: { refreshToken } }));
  const caller = world.client<paths>("auth-mfa", renewed.accessToken);
  assert.deepEqual((await ok(anybody.GET("/.well-known/jwks.json"))).keys.map(({ alg }) => alg), ["ES256", "RS256"]);
  assert.equal((await ok(anybody.GET("/.well-known/openid-configuration"))).issuer, world.base("auth-mfa"));
  assert.deepEqual(await ok(caller.GET("/v1/auth/mfa")), { factors: ["sms"], phone: `+1********${phone.slice(-2)}`, recoveryCodesLeft: 9 });
  const { items: sessions } = await ok(caller.GET("/v1/auth/sessions"));
  assert.equal(sessions.length, 4);
  await ok(
    caller.DELETE("/v1/auth/sessions/{sessionId}", {
      params: { path: { sessionId: sessions.find(({ current }) => !current)!.sessionId } },
    }),
  );
  await ok(caller.DELETE("/v1/auth/sessions"));
  assert.deepEqual((await ok(caller.GET("/v1/auth/sessions"))).items.map(({ current }) => current), [true]);

  await authenticator(caller, grace.email, recoveryCodes[1]!);
  await devices(caller);
  await ok(caller.POST("/v1/auth/password", { body: { currentPassword: password, newPassword } }));
  await refused(anybody.POST("/v1/auth/login", { body: grace }), "INVALID_CREDENTIALS");
  await refused(user.GET("/v1/auth/me"), "UNAUTHORIZED");
  await ok(anybody.POST("/v1/auth/logout", { body: { refreshToken: renewed.refreshToken } }));

  await emails(world);
  await reauthentication(world);
  await passkeys(world);
  const owner = await manage(world);
  await members(world, owner);
  await branding(owner, anybody);
  await external(world, owner);
  await page(world, anybody);
  await externalPages(world, owner, anybody);
  await authorization(world, owner, anybody);
  await optOuts(world);
  await policies(world, owner);
  await administer(world, "auth-mfa");
  await readReference(world, "auth-mfa");
}

/** Enrols an authenticator app in addition to the phone and removes both. `code` is a recovery code. */
async function authenticator(caller: Caller, email: string, code: string): Promise<void> {
  const { secret, otpauthUrl } = await ok(caller.POST("/v1/auth/mfa/totp/setup"));
  assert.ok(otpauthUrl.includes(encodeURIComponent(email)));
  assert.deepEqual(await ok(caller.POST("/v1/auth/mfa/totp/confirm", { body: { code: otplib.authenticator.generate(secret) } })), {
    recoveryCodes: [],
  });
  await refused(caller.DELETE("/v1/auth/mfa/sms", { body: { code: "000000" } }), "MFA_INVALID_CODE");
  await ok(caller.DELETE("/v1/auth/mfa/sms", { body: { code } }));
  const { recoveryCodes } = await ok(caller.POST("/v1/auth/mfa/recovery-codes", { body: { code: codeAhead(secret) } }));
  await ok(caller.DELETE("/v1/auth/mfa/totp", { body: { code: recoveryCodes[0]! } }));
  assert.deepEqual((await ok(caller.GET("/v1/auth/mfa"))).factors, []);
}

/** The code of the next 30 seconds, which is accepted too. The current code has been used already. */
function codeAhead(secret: string): string {
  return otplib.authenticator.clone({ epoch: Date.now() + 30_000 }).generate(secret);
}

async function devices(caller: Caller): Promise<void> {
  assert.deepEqual((await ok(caller.GET("/v1/auth/mfa/devices"))).items, []); // removing the factors also removed the trusted devices
  await ok(caller.DELETE("/v1/auth/mfa/devices"));
  await refused(
    caller.DELETE("/v1/auth/mfa/devices/{deviceId}", { params: { path: { deviceId: "01890000-0000-7000-8000-000000000006" } } }),
    "NOT_FOUND",
  );
}

/** A user verifies the email, resets a forgotten password, changes the email and undoes the change. */
async function emails(world: World): Promise<void> {
  const anybody = world.client<paths>("auth-mfa");
  const { email, user, caller } = await newAccount(world, "edsger");
  assert.deepEqual([user.emailVerified, user.status], [false, "active"]);
  await tokenTo(world, email, "verify-email");
  await ok(anybody.POST("/v1/auth/email/verification", { body: { email } }));
  await tokenTo(world, email, "verify-email");
  await ok(anybody.POST("/v1/auth/email/verification", { body: { email: `nobody-${any()}@example.com` } }));
  await ok(caller.POST("/v1/auth/email/verification", { body: {} }));
  const token = await tokenTo(world, email, "verify-email");
  assert.deepEqual(await ok(anybody.POST("/v1/auth/email/verify", { body: { token } })), { emailVerified: true });
  await refused(anybody.POST("/v1/auth/email/verify", { body: { token } }), "TOKEN_EXPIRED");
  assert.equal((await ok(caller.GET("/v1/auth/me"))).emailVerified, true);

  await ok(anybody.POST("/v1/auth/password/forgot", { body: { email } }));
  const reset = await tokenTo(world, email, "reset");
  await refused(anybody.POST("/v1/auth/password/reset", { body: { token: reset, newPassword: "password1" } }), "VALIDATION_ERROR");
  assert.deepEqual(await ok(anybody.POST("/v1/auth/password/reset", { body: { token: reset, newPassword } })), { reset: true });
  await refused(caller.GET("/v1/auth/me"), "UNAUTHORIZED");
  await refused(anybody.POST("/v1/auth/login", { body: { email, password } }), "INVALID_CREDENTIALS");

  const moving = await signedIn(world, { email, password: newPassword });
  const newEmail = `dijkstra-${any()}@example.com`;
  await ok(moving.POST("/v1/auth/email", { body: { newEmail } }));
  const confirm = await tokenTo(world, newEmail, "confirm-email");
  assert.deepEqual(await ok(anybody.POST("/v1/auth/email/confirm", { body: { token: confirm } })), { email: newEmail });
  await refused(anybody.POST("/v1/auth/register", { body: { email, password } }), "CONFLICT"); // for 72 hours
  const revert = await tokenTo(world, email, "revert-email");
  assert.deepEqual(await ok(anybody.POST("/v1/auth/email/revert", { body: { token: revert } })), { email });
  await refused(moving.GET("/v1/auth/me"), "UNAUTHORIZED");
}

/** A user with a second factor, who signed in without it, reauthenticates before enrolling another one. */
async function reauthentication(world: World): Promise<void> {
  const { caller } = await newAccount(world, "barbara");
  const phone = phoneNumber();
  await ok(caller.POST("/v1/auth/mfa/sms/setup", { body: { phone } }));
  await ok(caller.POST("/v1/auth/mfa/sms/confirm", { body: { code: await codeTo(world, phone, 1) } }));
  const stale = await refused(caller.POST("/v1/auth/mfa/totp/setup"), "REAUTHENTICATION_REQUIRED");
  assert.deepEqual("available_methods" in stale && stale.available_methods, ["sms", "recovery_code"]);

  await refused(caller.POST("/v1/auth/reauthenticate", { body: { password: "not my password" } }), "INVALID_CREDENTIALS");
  await ok(caller.POST("/v1/auth/reauthenticate", { body: { password } }));
  const sent = await ok(caller.POST("/v1/auth/reauthenticate/challenge", { body: {} }));
  assert.equal(sent.phone, `+1********${phone.slice(-2)}`);
  await refused(caller.POST("/v1/auth/reauthenticate", { body: { method: "sms", code: "nonono" } }), "MFA_INVALID_CODE");
  const { accessToken } = await ok(
    caller.POST("/v1/auth/reauthenticate", { body: { method: "sms", code: await codeTo(world, phone, 2) } }),
  );
  const fresh = world.client<paths>("auth-mfa", accessToken);
  await ok(fresh.POST("/v1/auth/mfa/totp/setup"));
  assert.equal((await ok(fresh.POST("/v1/auth/mfa/recovery-codes"))).recoveryCodes.length, 10);
  const { items } = await ok(fresh.GET("/v1/auth/activity"));
  assert.ok(items.length > 0);
}

/** A user registers a passkey and signs in with it: alone, after the password, and again in an open session. */
async function passkeys(world: World): Promise<void> {
  const anybody = world.client<paths>("auth-mfa");
  const { caller, ...account } = await newAccount(world, "radia");
  const phone = new Passkey(world.base("auth-mfa"));
  const options = await ok(caller.POST("/v1/auth/passkeys/options"));
  const registration = { name: "Phone", credential: phone.create(options) };
  const registered = await ok(caller.POST("/v1/auth/passkeys", { body: registration }));
  assert.equal(registered.recoveryCodes.length, 10);
  await refused(caller.POST("/v1/auth/passkeys", { body: registration }), "MFA_CHALLENGE_EXPIRED");
  assert.deepEqual((await ok(caller.GET("/v1/auth/mfa"))).factors, ["passkey"]);
  await refused(caller.POST("/v1/auth/passkeys/options"), "REAUTHENTICATION_REQUIRED");

  const any = await ok(anybody.POST("/v1/auth/passkeys/challenge", { body: {} }));
  assert.deepEqual(any.allowCredentials, []);
  const signIn = { credential: phone.get(any) };
  assert.equal((await ok(anybody.POST("/v1/auth/login/passkey", { body: signIn }))).user.email, account.email);
  await refused(anybody.POST("/v1/auth/login/passkey", { body: signIn }), "MFA_CHALLENGE_EXPIRED");
  const unknown = new Passkey(world.base("auth-mfa")).get(await ok(anybody.POST("/v1/auth/passkeys/challenge")));
  unknown.response.userHandle = options.user.id;
  await refused(anybody.POST("/v1/auth/login/passkey", { body: { credential: unknown } }), "INVALID_CREDENTIALS");

  const { email } = account;
  const challenged = await refused(anybody.POST("/v1/auth/login", { body: { email, password } }), "mfa_required");
  assert.ok("mfa_token" in challenged);
  assert.deepEqual(challenged.available_methods, ["passkey", "recovery_code"]);
  const { mfa_token } = challenged;
  const second = phone.get(await ok(anybody.POST("/v1/auth/passkeys/challenge", { body: { mfa_token } })));
  await ok(anybody.POST("/v1/auth/mfa/verify", { body: { mfa_token, method: "passkey", credential: second } }));

  const own = await ok(caller.POST("/v1/auth/passkeys/challenge", { body: {} }));
  assert.equal(own.allowCredentials.length, 1);
  const { accessToken } = await ok(caller.POST("/v1/auth/reauthenticate", { body: { credential: phone.get(own) } }));
  const fresh = world.client<paths>("auth-mfa", accessToken);
  const { items } = await ok(fresh.GET("/v1/auth/passkeys"));
  assert.deepEqual(
    items.map(({ name, passkeyId }) => [name, passkeyId]),
    [["Phone", registered.passkeyId]],
  );
  const one = { params: { path: { passkeyId: registered.passkeyId } } };
  await ok(fresh.DELETE("/v1/auth/passkeys/{passkeyId}", one));
  await refused(fresh.DELETE("/v1/auth/passkeys/{passkeyId}", one), "NOT_FOUND");
  assert.deepEqual(await ok(anybody.GET("/.well-known/webauthn")), { origins: [] });
}

/** The owner registers a server as a client, changes it, replaces its secret and deletes it. */
async function clients(owner: Caller): Promise<void> {
  const body = { name: "Server", type: "confidential" as const, redirectUris: ["https://app.example.com/callback"] };
  const client = await ok(owner.POST("/v1/clients", { params: { header: { "Idempotency-Key": "client-1" } }, body }));
  const one = { params: { path: { clientId: client.clientId } } };
  const { secret, ...shown } = client;
  assert.deepEqual(await ok(owner.GET("/v1/clients/{clientId}", one)), shown);
  assert.deepEqual((await ok(owner.GET("/v1/clients"))).items, [shown]);
  const changed = await ok(owner.PATCH("/v1/clients/{clientId}", { ...one, body: { idTokenSigningAlg: "ES256" } }));
  assert.equal(changed.idTokenSigningAlg, "ES256");
  const rotated = await ok(owner.POST("/v1/clients/{clientId}/secret", { ...one, body: { gracePeriodSeconds: 3600 } }));
  assert.notEqual(rotated.secret, secret);
  await ok(owner.DELETE("/v1/clients/{clientId}", one));
  await refused(owner.GET("/v1/clients/{clientId}", one), "NOT_FOUND");
}

/** The operator creates an owner, who manages members and settings. */
async function manage(world: World): Promise<Caller> {
  const operator = world.client<paths>("auth-mfa", world.env["MASTER_KEY"]);
  const anybody = world.client<paths>("auth-mfa");
  const made = {
    params: { path: { slug: "demo" }, header: { "Idempotency-Key": "story-1" } },
    body: { email: "owner@example.com", password, environment: "sandbox" },
  } as const;
  const { userId } = await ok(operator.POST("/v1/admin/tenants/{slug}/owners", made));
  assert.equal((await ok(operator.POST("/v1/admin/tenants/{slug}/owners", made))).userId, userId);
  const owner = world.client<paths>(
    "auth-mfa",
    (await ok(anybody.POST("/v1/auth/login", { body: { email: "owner@example.com", password } }))).accessToken,
  );

  const { caller: own, ...member } = await newAccount(world, "member");
  const phone = phoneNumber();
  await ok(own.POST("/v1/auth/mfa/sms/setup", { body: { phone } }));
  await ok(own.POST("/v1/auth/mfa/sms/confirm", { body: { code: await codeTo(world, phone, 1) } }));
  const path = { userId: member.user.userId };
  const { items: members } = await ok(owner.GET("/v1/members"));
  assert.equal(members[0]!.phone, phone);
  await refused(owner.PATCH("/v1/members/{userId}", { params: { path }, body: { role: "admin" } }), "EMAIL_NOT_VERIFIED");
  await ok(anybody.POST("/v1/auth/email/verify", { body: { token: await tokenTo(world, member.email, "verify-email") } }));
  assert.equal((await ok(owner.PATCH("/v1/members/{userId}", { params: { path }, body: { role: "admin" } }))).role, "admin");
  await refused(owner.PATCH("/v1/members/{userId}", { params: { path: { userId } }, body: { role: "user" } }), "CONFLICT");
  await refused(own.GET("/v1/members"), "FORBIDDEN"); // the token was issued before the change of role
  await ok(owner.DELETE("/v1/members/{userId}/mfa", { params: { path } }));

  await clients(owner);
  const provider = { issuer: world.issuer.url, audience: "demo", jwksUrl: `${world.issuer.url}/jwks` };
  const settings = await ok(
    owner.PATCH("/v1/settings", { body: { brand: "Demo & Sons", smsCountries: ["US"], identityProviders: [provider] } }),
  );
  assert.deepEqual(await ok(owner.GET("/v1/settings")), settings);
  const { items } = await ok(owner.GET("/v1/audit", { params: { query: { action: "member.role" } } }));
  assert.deepEqual(
    items.map(({ actor, subjectId }) => [actor, subjectId]),
    [[userId, member.user.userId]],
  );
  return owner;
}

/** The owner mints a key, with which a backend creates, reads, changes, disables and invites members. */
async function members(world: World, owner: Caller): Promise<void> {
  const anybody = world.client<paths>("auth-mfa");
  const { key, prefix } = await ok(owner.POST("/v1/keys", { body: { environment: "sandbox" } }));
  assert.ok((await ok(owner.GET("/v1/keys"))).items.some((record) => record.prefix === prefix));
  const backend = world.client<paths>("auth-mfa", key);
  const heard = await listen(world, "auth-mfa", key, "user.created");

  // The backend creates a member once, although it sends the request twice.
  const email = `alan-${any()}@example.com`;
  const made = { params: { header: { "Idempotency-Key": `member-${email}` } }, body: { email, password, emailVerified: true } };
  const { userId } = await ok(backend.POST("/v1/members", made));
  assert.equal((await ok(backend.POST("/v1/members", made))).userId, userId);
  assert.equal((await heard<User>(userId)).email, email);
  await refused(backend.POST("/v1/members", { body: { email, password } }), "CONFLICT");
  const boss = `boss-${any()}@example.com`;
  await refused(backend.POST("/v1/members", { body: { email: boss, role: "owner", emailVerified: true } }), "FORBIDDEN");
  await refused(backend.POST("/v1/members", { body: { email: boss, role: "admin" } }), "EMAIL_NOT_VERIFIED");

  // It imports an account whose password was hashed with bcrypt.
  const imported = { email: `konrad-${any()}@example.com`, password: "an amber lantern" };
  const passwordHash = "$2b$10$N9qo8uLOickgx2ZMRZoMyenBVVWCiwhDWfswxxPGHT/dqJHI1xoue";
  await ok(backend.POST("/v1/members", { body: { email: imported.email, passwordHash } }));
  await signedIn(world, imported);

  // It reads and changes the member, unless another request has changed the member since.
  const one = { path: { userId } };
  const found = await ok(backend.GET("/v1/members", { params: { query: { q: email.slice(1), role: "user", status: "active" } } }));
  assert.deepEqual(
    found.items.map((user) => user.userId),
    [userId],
  );
  assert.equal((await ok(backend.GET("/v1/members", { params: { query: { email } } }))).items.length, 1);
  const tag = (await backend.GET("/v1/members/{userId}", { params: one })).response.headers.get("ETag")!;
  const guarded = { params: { ...one, header: { "If-Match": tag } }, body: { role: "admin" } } as const;
  assert.equal((await ok(backend.PATCH("/v1/members/{userId}", guarded))).role, "admin");
  await refused(backend.PATCH("/v1/members/{userId}", guarded), "PRECONDITION_FAILED");

  // It ends the member's sessions, and disables and enables the account.
  const caller = await signedIn(world, { email, password });
  await ok(backend.DELETE("/v1/members/{userId}/sessions", { params: one }));
  await refused(caller.GET("/v1/auth/me"), "UNAUTHORIZED");
  const status = async (value: "active" | "disabled"): Promise<string> =>
    (await ok(backend.PATCH("/v1/members/{userId}", { params: one, body: { status: value } }))).status;
  assert.equal(await status("disabled"), "disabled");
  await refused(anybody.POST("/v1/auth/login", { body: { email, password } }), "ACCOUNT_DISABLED");
  assert.equal(await status("active"), "active");
  await signedIn(world, { email, password });
  const { items: activity } = await ok(backend.GET("/v1/members/{userId}/activity", { params: one }));
  assert.ok(activity.some(({ result }) => result === "success") && activity.some(({ result }) => result === "account_disabled"));

  // It exports and deletes the account. A user deletes the own account.
  const exported = await ok(backend.GET("/v1/members/{userId}/export", { params: one, parseAs: "text" }));
  assert.equal(JSON.parse(String(exported).split("\n")[0]!).email, email);
  const { erasureId } = await ok(backend.DELETE("/v1/members/{userId}", { params: one }));
  await refused(backend.DELETE("/v1/members/{userId}", { params: one }), "NOT_FOUND");
  const erasure = await eventually(async () => {
    const shown = await ok(backend.GET("/v1/erasures/{erasureId}", { params: { path: { erasureId } } }));
    return shown.completedAt === null ? undefined : shown;
  });
  assert.equal(erasure.userId, userId);
  assert.deepEqual(
    erasure.targets.map(({ service, status }) => [service, status]),
    [["feedback", "done"], ["notify", "done"], ["billing", "done"]],
  );
  const leaving = await signedIn(world, imported);
  assert.ok(String(await ok(leaving.GET("/v1/auth/me/export", { parseAs: "text" }))).includes(imported.email));
  const left = await ok(leaving.DELETE("/v1/auth/me"));
  await refused(leaving.GET("/v1/auth/me"), "UNAUTHORIZED");
  const { items: erasures } = await ok(backend.GET("/v1/erasures"));
  assert.equal(erasures[0]?.erasureId, left.erasureId);

  // It invites a colleague, who chooses a password.
  const invited = { email: `kay-${any()}@example.com`, password };
  const guest = await ok(backend.POST("/v1/members", { body: { email: invited.email, role: "admin", invite: true } }));
  assert.deepEqual([guest.status, guest.emailVerified], ["invited", false]);
  const token = await tokenTo(world, invited.email, "invite");
  const { user } = await ok(anybody.POST("/v1/auth/invitations/accept", { body: { token, password } }));
  assert.deepEqual([user.userId, user.status, user.emailVerified, user.role], [guest.userId, "active", true, "admin"]);
  await refused(anybody.POST("/v1/auth/invitations/accept", { body: { token, password } }), "TOKEN_EXPIRED");
  await refused((await signedIn(world, invited)).POST("/v1/keys", { body: { environment: "sandbox" } }), "FORBIDDEN");

  const rotated = await ok(owner.POST("/v1/keys/{environment}/rotate", { params: { path: { environment: "sandbox" } } }));
  await ok(owner.DELETE("/v1/keys/{prefix}", { params: { path: { prefix: rotated.prefix } } }));
}

/** The owner closes registration, and requires verified emails and second factors. */
async function policies(world: World, owner: Caller): Promise<void> {
  const anybody = world.client<paths>("auth-mfa");
  const appUrl = "https://app.example.com/reset";
  await refused(owner.PATCH("/v1/settings", { body: { resetUrl: appUrl } }), "VALIDATION_ERROR");
  const links = { allowedOrigins: ["https://app.example.com"], resetUrl: appUrl, verifyUrl: appUrl, inviteUrl: appUrl };
  assert.equal((await ok(owner.PATCH("/v1/settings", { body: links }))).resetUrl, appUrl);

  const register = (body: Credentials) => anybody.POST("/v1/auth/register", { body });
  /** Registers new accounts until the result is as expected: other threads get new settings a moment later. */
  const registering = <T>(look: (answer: Awaited<ReturnType<typeof register>>, account: Credentials) => T | undefined): Promise<T> =>
    eventually(async () => {
      const account = { email: `new-${any()}@example.com`, password };
      return look(await register(account), account);
    });

  await ok(owner.PATCH("/v1/settings", { body: { signUp: "closed", resetUrl: null, verifyUrl: null, inviteUrl: null } }));
  await registering(({ error }) => (error?.error === "SIGN_UP_CLOSED" ? true : undefined));

  await ok(owner.PATCH("/v1/settings", { body: { signUp: null, emailVerification: "required" } }));
  const unverified = await registering(({ data }, account) => (data && !data.accessToken ? account : undefined));
  await refused(anybody.POST("/v1/auth/login", { body: unverified }), "EMAIL_NOT_VERIFIED");

  await ok(owner.PATCH("/v1/settings", { body: { emailVerification: null, mfaPolicy: "required", securityEmails: false } }));
  const token = await registering(({ error }) => (error && "enrollment_token" in error ? error.enrollment_token : undefined));
  const enrolling = world.client<paths>("auth-mfa", token);
  await refused(enrolling.GET("/v1/auth/me"), "UNAUTHORIZED");
  const { secret } = await ok(enrolling.POST("/v1/auth/mfa/totp/setup"));
  const { recoveryCodes, accessToken } = await ok(
    enrolling.POST("/v1/auth/mfa/totp/confirm", { body: { code: otplib.authenticator.generate(secret) } }),
  );
  assert.equal(recoveryCodes.length, 10);
  await ok(world.client<paths>("auth-mfa", accessToken!).GET("/v1/auth/me"));
  await ok(owner.PATCH("/v1/settings", { body: { mfaPolicy: null, securityEmails: null, allowedOrigins: null } }));
}

/** A user of the tenant's identity provider signs in; the first sign-in creates the account. Another user links an identity. */
async function external(world: World, owner: Caller): Promise<void> {
  const anybody = world.client<paths>("auth-mfa");
  const email = `linus-${any()}@example.com`;
  const idToken = (more: object = {}): string => world.issuer.idToken({ aud: "demo", sub: email, email, email_verified: true, ...more });
  const first = await eventually(async () => {
    const answer = await anybody.POST("/v1/auth/external", { body: { idToken: idToken() } });
    return answer.response.ok ? answer : undefined; // other threads get new settings a moment later
  });
  assert.equal(first.response.status, 201);
  const again = { idToken: idToken({ nonce: "n-1" }), nonce: "n-1" };
  const { user, accessToken } = await ok(anybody.POST("/v1/auth/external", { body: again }));
  assert.equal(user.email, email);
  await refused(anybody.POST("/v1/auth/external", { body: again }), "INVALID_CREDENTIALS"); // an id token is accepted once
  await refused(anybody.POST("/v1/auth/external", { body: { ...again, idToken: idToken({ nonce: "n-2" }) } }), "INVALID_CREDENTIALS");
  await refused(anybody.POST("/v1/auth/external", { body: { idToken: "e30.e30.c2ln" } }), "INVALID_CREDENTIALS");
  const linus = world.client<paths>("auth-mfa", accessToken);
  await refused(linus.POST("/v1/auth/mfa/totp/setup"), "MFA_PASSWORD_REQUIRED");
  const later = Math.floor(Date.now() / 1000) + 1; // after the sign-in
  await ok(linus.POST("/v1/auth/reauthenticate", { body: { idToken: idToken({ iat: later }) } }));
  const identity = async (caller: Caller) => (await ok(caller.GET("/v1/auth/identities"))).items[0]!;
  const last = { params: { path: { identityId: (await identity(linus)).identityId } } };
  await refused(linus.DELETE("/v1/auth/identities/{identityId}", last), "CONFLICT");

  // A user with a password links an identity and removes it.
  const { caller } = await newAccount(world, "ken");
  const linked = await ok(caller.POST("/v1/auth/identities", { body: { idToken: idToken({ sub: "ken" }) } }));
  assert.deepEqual([linked.issuer, linked.subject], [world.issuer.url, "ken"]);
  assert.deepEqual(await identity(caller), linked);
  await refused(caller.POST("/v1/auth/identities", { body: { idToken: idToken() } }), "CONFLICT");
  await ok(anybody.POST("/v1/auth/external", { body: { idToken: idToken({ sub: "ken" }) } }));
  await ok(caller.DELETE("/v1/auth/identities/{identityId}", { params: { path: { identityId: linked.identityId } } }));
  await ok(owner.PATCH("/v1/settings", { body: { identityProviders: null } }));
}

/** The owner gives the hosted pages a colour and a logo, and lets passkeys work on the app's own domain. */
async function branding(owner: Caller, anybody: Caller): Promise<void> {
  const image = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==", "base64");
  const set = { accentColor: "#1D4ED8", passkeyRpId: "example.com", allowedOrigins: ["https://app.example.com"] };
  assert.equal((await ok(owner.PATCH("/v1/settings", { body: set }))).accentColor, "#1d4ed8");
  await refused(owner.PATCH("/v1/settings", { body: { allowedOrigins: null } }), "VALIDATION_ERROR");
  const put = (bytes: Buffer, type: string) =>
    owner.PUT("/v1/settings/logo", { body: bytes, bodySerializer: () => bytes, headers: { "Content-Type": type } });
  const logo = await ok(put(image, "image/png"));
  assert.deepEqual([logo.width, logo.height, logo.sizeBytes], [1, 1, image.length]);
  await refused(put(image.subarray(1), "image/png"), "VALIDATION_ERROR");
  assert.deepEqual((await ok(owner.GET("/v1/settings"))).logo, logo);
  assert.deepEqual(Buffer.from((await ok(anybody.GET("/logo", { parseAs: "arrayBuffer" }))) as ArrayBuffer), image);
  await ok(owner.DELETE("/v1/settings/logo"));
  await refused(anybody.GET("/logo"), "NOT_FOUND");
  await ok(owner.PATCH("/v1/settings", { body: { accentColor: null, passkeyRpId: null, allowedOrigins: null } }));
}

/** A user signs in to an app of the tenant, whose server checks the tokens. Then the app signs the user out. */
async function authorization(world: World, owner: Caller, anybody: Caller): Promise<void> {
  const [redirectUri, signedOutUri] = ["https://app.example.com/callback", "https://app.example.com/signed-out"];
  const newClient = (type: "public" | "confidential") =>
    ok(
      owner.POST("/v1/clients", {
        params: { header: { "Idempotency-Key": `client-${type}` } },
        body: { name: "App", type, redirectUris: [redirectUri], postLogoutRedirectUris: [signedOutUri] },
      }),
    );
  const { clientId: client_id } = await newClient("public");
  const server = await newClient("confidential");
  assert.deepEqual(
    await ok(anybody.GET("/.well-known/oauth-authorization-server")),
    await ok(anybody.GET("/.well-known/openid-configuration")),
  );

  // The app sends the browser to the authorization endpoint. The user signs in, and the browser returns with a code.
  const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  const request = {
    client_id,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: "openid email offline_access",
    state: "x",
    nonce: "n-1",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  } as const;
  const { email, password, user } = await newAccount(world, "hedy");
  const browser = new Browser(world);
  const authorize = async (more: { prompt?: string } = {}): Promise<string> =>
    locationOf((await browser.caller.GET("/oauth/authorize", { params: { query: { ...request, ...more } } })).response);
  const returned = (location: string): URLSearchParams => {
    assert.ok(location.startsWith(`${redirectUri}?`), location);
    const { searchParams } = new URL(location);
    assert.deepEqual([searchParams.get("state"), searchParams.get("iss")], ["x", world.base("auth-mfa")]);
    return searchParams;
  };
  const login = await authorize();
  assert.match(login, /^\/login\?next=\/oauth\/continue\//);
  const code = returned(await browser.signIn(login, { email, password })).get("code")!;

  // The app exchanges the code and reads the user's claims.
  const exchange = (code: string) =>
    anybody.POST(
      "/oauth/token",
      form({ grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier, client_id }),
    );
  const first = await ok(exchange(code));
  assert.equal(first.scope, request.scope);
  const claims = { sub: user.userId, email, email_verified: false };
  const app = (token: string): Caller => world.client<paths>("auth-mfa", token);
  assert.deepEqual(await ok(app(first.access_token).GET("/oauth/userinfo")), claims);
  assert.deepEqual(await ok(anybody.POST("/oauth/userinfo", form({ access_token: first.access_token }))), claims);
  await refused(app(first.access_token).GET("/v1/auth/me"), "FORBIDDEN"); // a client's token is only for the user's claims
  const refresh = { grant_type: "refresh_token", refresh_token: first.refresh_token!, client_id } as const;
  const renewed = await ok(anybody.POST("/oauth/token", form(refresh)));

  // The server checks the access token. The app revokes the refresh token, which ends the access token, too.
  const introspect = (token: string) => {
    const credential = Buffer.from(`${server.clientId}:${server.secret}`).toString("base64");
    return ok(anybody.POST("/oauth/introspect", form({ token }, { Authorization: `Basic ${credential}` })));
  };
  const { active, sub, client_id: issuedTo } = await introspect(renewed.access_token);
  assert.deepEqual([active, sub, issuedTo], [true, user.userId, client_id]);
  await ok(anybody.POST("/oauth/revoke", form({ token: renewed.refresh_token!, client_id })));
  assert.deepEqual(await introspect(renewed.access_token), { active: false });
  await refused(app(renewed.access_token).GET("/oauth/userinfo"), "invalid_token");
  await refused(exchange(code), "invalid_grant");

  // The user is still signed in in the browser. A form of the app and a pushed request return with a code at once.
  const posted = locationOf((await browser.caller.POST("/oauth/authorize", form(request))).response);
  assert.match(posted, /^\/oauth\/authorize\?client_id=/);
  const again = returned(locationOf(await browser.open(posted))).get("code")!;
  const { request_uri } = await ok(anybody.POST("/oauth/par", form(request)));
  const pushed = await browser.caller.GET("/oauth/authorize", { params: { query: { client_id, request_uri } } });
  assert.ok(returned(locationOf(pushed.response)).has("code"));
  const { id_token } = await ok(exchange(again));

  // The app signs the user out.
  const logout = form({ id_token_hint: id_token!, post_logout_redirect_uri: signedOutUri, state: "y" });
  const ending = locationOf((await browser.caller.POST("/oauth/logout", logout)).response);
  assert.equal(locationOf(await browser.open(ending)), `${signedOutUri}?state=y`);
  assert.equal(returned(await authorize({ prompt: "none" })).get("error"), "login_required");
}

/** A user signs in on the hosted pages with the tenant's identity provider. */
async function externalPages(world: World, owner: Caller, anybody: Caller): Promise<void> {
  const provider = world.issuer.setting("acme", "demo-pages");
  const body = { identityProviders: [{ ...provider, clientSecret: "a violet secret" }] };
  const { identityProviders } = await ok(owner.PATCH("/v1/settings", { body }));
  assert.deepEqual(identityProviders, [{ ...provider, type: "oidc", audience: "demo-pages", hasClientSecret: true }]);
  const start = (name: string, { caller }: Browser) => caller.GET("/oauth/external/{name}", { params: { path: { name } } });
  assert.equal((await start("other", new Browser(world))).response.status, 404);

  const email = `margaret-${any()}@example.com`;
  await eventually(async () => {
    const browser = new Browser(world);
    const { response } = await start("acme", browser);
    if (response.status === 404) return undefined; // other threads get new settings a moment later
    const parameters = world.issuer.authorize(locationOf(response), { sub: email, email, email_verified: true });
    const posted = await browser.caller.POST("/oauth/external/callback", form(parameters));
    const ended = await browser.open(locationOf(posted.response));
    if (ended.status === 401) return undefined; // a thread without the new settings
    assert.equal(locationOf(ended), "/account");
    return true;
  });
  const { items } = await ok(owner.GET("/v1/members", { params: { query: { email } } }));
  assert.equal(items.length, 1);

  // A browser that did not begin the sign-in cannot end it.
  const params = { query: { state: "x", code: "y" } };
  assert.equal((await anybody.GET("/oauth/external/callback", { params })).response.status, 410);
  await ok(owner.PATCH("/v1/settings", { body: { identityProviders: null } }));
}

/** The hosted pages, and a browser that becomes trusted until its trust is removed. */
async function page(world: World, anybody: Caller): Promise<void> {
  assert.ok(String(await ok(anybody.GET("/enroll", { parseAs: "text" }))).includes("Demo &amp; Sons"));
  for (const page of ["/login", "/register"] as const)
    assert.ok(String(await ok(anybody.GET(page, { parseAs: "text" }))).includes("Demo &amp; Sons"));
  for (const link of ["/reset", "/verify-email", "/invite", "/confirm-email", "/revert-email"] as const) {
    const html = await ok(anybody.GET(link, { params: { query: { token: "abc" } }, parseAs: "text" }));
    assert.ok(String(html).includes("Demo &amp; Sons"));
  }
  for (const part of ["/pages.css", "/pages.js"] as const)
    assert.ok(String(await ok(anybody.GET(part, { parseAs: "text" }))).length > 100);

  const ada = { email: `ada-${any()}@example.com`, password };
  const { accessToken } = await ok(anybody.POST("/v1/auth/register", { body: ada }));
  const enrolling = world.client<paths>("auth-mfa", accessToken);
  const { secret } = await ok(enrolling.POST("/v1/auth/mfa/totp/setup"));
  await ok(enrolling.POST("/v1/auth/mfa/totp/confirm", { body: { code: otplib.authenticator.generate(secret) } }));
  const challenged = await refused(anybody.POST("/v1/auth/login", { body: ada }), "mfa_required");
  assert.ok("mfa_token" in challenged);
  const body = { mfa_token: challenged.mfa_token, method: "totp", code: codeAhead(secret), trustDevice: true } as const;
  const trusting = world.client<paths>("auth-mfa", (await ok(anybody.POST("/v1/auth/mfa/verify", { body }))).accessToken);
  const { items } = await ok(trusting.GET("/v1/auth/mfa/devices"));
  assert.equal(items.length, 1);
  await ok(trusting.DELETE("/v1/auth/mfa/devices/{deviceId}", { params: { path: { deviceId: items[0]!.deviceId } } }));
}

/** A number opts out with STOP, and the operator clears the opt-out. */
async function optOuts(world: World): Promise<void> {
  const phone = phoneNumber();
  const form = { From: phone, Body: "stop" };
  const url = `${world.base("auth-mfa")}/webhooks/sms/twilio`;
  const headers = { "content-type": "application/x-www-form-urlencoded", "x-twilio-signature": world.twilio.signature(url, form) };
  assert.equal((await world.send("auth-mfa", "POST", url, headers, new URLSearchParams(form).toString())).status, 200);
  assert.equal(
    (await world.send("auth-mfa", "POST", url, { ...headers, "x-twilio-signature": "" }, new URLSearchParams(form).toString())).status,
    401,
  );
  const anybody = world.client<paths>("auth-mfa");
  const { accessToken } = await ok(anybody.POST("/v1/auth/register", { body: { email: `tim-${any()}@example.com`, password } }));
  const setUp = await ok(world.client<paths>("auth-mfa", accessToken).POST("/v1/auth/mfa/sms/setup", { body: { phone } }));
  assert.equal(setUp.phone, phone); // the response does not show the opt-out
  const operator = world.client<paths>("auth-mfa", world.env["MASTER_KEY"]);
  await ok(operator.DELETE("/v1/admin/sms/opt-outs/{phone}", { params: { path: { phone } } }));
  await refused(operator.DELETE("/v1/admin/sms/opt-outs/{phone}", { params: { path: { phone } } }), "NOT_FOUND");
}
