// The story of auth-mfa: sign-in with a second factor, emails, and the work of the owner, the backend and the operator.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import otplib from "otplib";
import { Browser, locationOf } from "./browser.js";
import type { Auth, AuthComponents } from "@tetrad/client";
import type { paths } from "./clients/auth-mfa.js";
import { Passkey } from "./passkey.js";
import { administer, listen, readReference } from "./shared.js";
import { collected, errorOf, eventually, ok, refused, rejected, type World } from "./world.js";

type User = AuthComponents["schemas"]["User"];
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
async function newAccount(world: World, name: string): Promise<Credentials & { user: User; caller: Auth }> {
  const account = { email: `${name}-${any()}@example.com`, password };
  const { user, accessToken } = await world.auth().register(account);
  return { ...account, user, caller: world.auth(accessToken!) };
}

/** A caller that has just signed in with a password. */
async function signedIn(world: World, body: Credentials): Promise<Auth> {
  return world.auth((await world.auth().login(body)).accessToken);
}

export async function authMfa(world: World): Promise<void> {
  const anybody = world.auth();
  const grace = { email: `grace-${any()}@example.com`, password };

  // A user registers and is signed in at once: there is no second factor yet.
  const registered = await anybody.register(grace);
  await refused(anybody.register(grace), "CONFLICT");
  const user = world.auth(registered.accessToken);
  assert.equal((await user.getMe()).email, grace.email);

  // The user enrols a phone and gets ten recovery codes.
  const phone = phoneNumber();
  assert.equal((await user.setUpSms({ phone })).phone, phone);
  const { recoveryCodes } = await user.confirmSms({ code: await codeTo(world, phone, 1) });
  assert.equal(recoveryCodes.length, 10);

  // Now a password alone gets 403, and a code is sent.
  const challenged = await refused(anybody.login(grace), "mfa_required");
  assert.deepEqual(challenged.body.available_methods, ["sms", "recovery_code"]);
  const mfa_token = challenged.body.mfa_token!;

  // The user enters a wrong code, requests another one, and enters it. This browser becomes trusted.
  const wrong = await refused(anybody.verifyChallenge({ mfa_token, method: "sms", code: "nonono" }), "MFA_INVALID_CODE");
  assert.equal(wrong.body.attemptsRemaining, 4);
  const sent = await anybody.sendChallenge({ mfa_token, challenge_type: "oob", oob_channel: "sms" });
  assert.equal(sent.sendsRemaining, 1);
  const verified = await anybody
    .verifyChallenge({ mfa_token, method: "sms", code: await codeTo(world, phone, 3), trustDevice: true })
    .withResponse();
  const { refreshToken } = verified.data;
  const cookie = verified.response.headers.get("set-cookie")!.split(";")[0]!;
  await refused(anybody.verifyChallenge({ mfa_token, method: "sms", code: "000000" }), "MFA_CHALLENGE_EXPIRED");

  // The trusted browser needs no code. Another browser uses a recovery code.
  assert.equal((await anybody.login(grace, { headers: { Cookie: cookie } })).user.email, grace.email);
  const elsewhere = await refused(anybody.login(grace), "mfa_required");
  await anybody.verifyChallenge({ mfa_token: elsewhere.body.mfa_token!, method: "recovery_code", code: recoveryCodes[0]! });

  // Tokens are refreshed, the public keys are read, sessions are listed and ended.
  const renewed = await anybody.refresh({ refreshToken });
  const caller = world.auth(renewed.accessToken);
  assert.deepEqual(
    (await ok(world.client<paths>("auth-mfa").GET("/.well-known/jwks.json"))).keys.map(({ alg }) => alg),
    ["ES256", "RS256"],
  );
  assert.equal((await ok(world.client<paths>("auth-mfa").GET("/.well-known/openid-configuration"))).issuer, world.base("auth-mfa"));
  assert.deepEqual(await caller.getFactors(), { factors: ["sms"], phone: `+1********${phone.slice(-2)}`, recoveryCodesLeft: 9 });
  const { items: sessions } = await caller.listSessions();
  assert.equal(sessions.length, 4);
  await caller.endSession(sessions.find(({ current }) => !current)!.sessionId);
  await caller.endOtherSessions();
  assert.deepEqual(
    (await caller.listSessions()).items.map(({ current }) => current),
    [true],
  );

  await authenticator(caller, grace.email, recoveryCodes[1]!);
  await devices(caller);
  await caller.changePassword({ currentPassword: password, newPassword });
  await refused(anybody.login(grace), "INVALID_CREDENTIALS");
  await refused(user.getMe(), "UNAUTHORIZED");
  await anybody.logout({ refreshToken: renewed.refreshToken });

  await emails(world);
  await reauthentication(world);
  await passkeys(world);
  const owner = await manage(world);
  await members(world, owner);
  await branding(world, owner);
  await external(world, owner);
  await page(world, anybody);
  await externalPages(world, owner);
  await authorization(world, owner);
  await optOuts(world);
  await policies(world, owner);
  await administer(world, "auth-mfa");
  await readReference(world, "auth-mfa");
}

/** Enrols an authenticator app in addition to the phone and removes both. `code` is a recovery code. */
async function authenticator(caller: Auth, email: string, code: string): Promise<void> {
  const { secret, otpauthUrl } = await caller.setUpTotp();
  assert.ok(otpauthUrl.includes(encodeURIComponent(email)));
  assert.deepEqual(await caller.confirmTotp({ code: otplib.authenticator.generate(secret) }), {
    recoveryCodes: [],
  });
  await refused(caller.disableSms({ code: "000000" }), "MFA_INVALID_CODE");
  await caller.disableSms({ code });
  const { recoveryCodes } = await caller.replaceRecoveryCodes({ code: codeAhead(secret) });
  await caller.disableTotp({ code: recoveryCodes[0]! });
  assert.deepEqual((await caller.getFactors()).factors, []);
}

/** The code of the next 30 seconds, which is accepted too. The current code has been used already. */
function codeAhead(secret: string): string {
  return otplib.authenticator.clone({ epoch: Date.now() + 30_000 }).generate(secret);
}

async function devices(caller: Auth): Promise<void> {
  assert.deepEqual((await caller.listDevices()).items, []); // removing the factors also removed the trusted devices
  await caller.forgetDevices();
  await refused(caller.forgetDevice("01890000-0000-7000-8000-000000000006"), "NOT_FOUND");
}

/** A user verifies the email, resets a forgotten password, changes the email and undoes the change. */
async function emails(world: World): Promise<void> {
  const anybody = world.auth();
  const { email, user, caller } = await newAccount(world, "edsger");
  assert.deepEqual([user.emailVerified, user.status], [false, "active"]);
  await tokenTo(world, email, "verify-email");
  await anybody.requestVerification({ email });
  await tokenTo(world, email, "verify-email");
  await anybody.requestVerification({ email: `nobody-${any()}@example.com` });
  await caller.requestVerification({});
  const token = await tokenTo(world, email, "verify-email");
  assert.deepEqual(await anybody.verifyEmail({ token }), { emailVerified: true });
  await refused(anybody.verifyEmail({ token }), "TOKEN_EXPIRED");
  assert.equal((await caller.getMe()).emailVerified, true);

  await anybody.requestPasswordReset({ email });
  const reset = await tokenTo(world, email, "reset");
  await refused(anybody.resetPassword({ token: reset, newPassword: "password1" }), "VALIDATION_ERROR");
  assert.deepEqual(await anybody.resetPassword({ token: reset, newPassword }), { reset: true });
  await refused(caller.getMe(), "UNAUTHORIZED");
  await refused(anybody.login({ email, password }), "INVALID_CREDENTIALS");

  const moving = await signedIn(world, { email, password: newPassword });
  const newEmail = `dijkstra-${any()}@example.com`;
  await moving.changeEmail({ newEmail });
  const confirm = await tokenTo(world, newEmail, "confirm-email");
  assert.deepEqual(await anybody.confirmEmail({ token: confirm }), { email: newEmail });
  await refused(anybody.register({ email, password }), "CONFLICT"); // for 72 hours
  const revert = await tokenTo(world, email, "revert-email");
  assert.deepEqual(await anybody.revertEmail({ token: revert }), { email });
  await refused(moving.getMe(), "UNAUTHORIZED");
}

/** A user with a second factor, who signed in without it, reauthenticates before enrolling another one. */
async function reauthentication(world: World): Promise<void> {
  const { caller } = await newAccount(world, "barbara");
  const phone = phoneNumber();
  await caller.setUpSms({ phone });
  await caller.confirmSms({ code: await codeTo(world, phone, 1) });
  const stale = await refused(caller.setUpTotp(), "REAUTHENTICATION_REQUIRED");
  assert.deepEqual(stale.body.available_methods, ["sms", "recovery_code"]);

  await refused(caller.reauthenticate({ password: "not my password" }), "INVALID_CREDENTIALS");
  await caller.reauthenticate({ password });
  const sent = await caller.sendReauthenticationCode({});
  assert.equal(sent.phone, `+1********${phone.slice(-2)}`);
  await refused(caller.reauthenticate({ method: "sms", code: "nonono" }), "MFA_INVALID_CODE");
  const { accessToken } = await caller.reauthenticate({ method: "sms", code: await codeTo(world, phone, 2) });
  const fresh = world.auth(accessToken);
  await fresh.setUpTotp();
  assert.equal((await fresh.replaceRecoveryCodes()).recoveryCodes.length, 10);
  const { items } = await fresh.listActivity();
  assert.ok(items.length > 0);
}

/** A user registers a passkey and signs in with it: alone, after the password, and again in an open session. */
async function passkeys(world: World): Promise<void> {
  const anybody = world.auth();
  const { caller, ...account } = await newAccount(world, "radia");
  const phone = new Passkey(world.base("auth-mfa"));
  const options = await caller.createPasskeyOptions();
  const registration = { name: "Phone", credential: phone.create(options) };
  const registered = await caller.registerPasskey(registration);
  assert.equal(registered.recoveryCodes.length, 10);
  await refused(caller.registerPasskey(registration), "MFA_CHALLENGE_EXPIRED");
  assert.deepEqual((await caller.getFactors()).factors, ["passkey"]);
  await refused(caller.createPasskeyOptions(), "REAUTHENTICATION_REQUIRED");

  const any = await anybody.createPasskeyChallenge({});
  assert.deepEqual(any.allowCredentials, []);
  const signIn = { credential: phone.get(any) };
  assert.equal((await anybody.loginWithPasskey(signIn)).user.email, account.email);
  await refused(anybody.loginWithPasskey(signIn), "MFA_CHALLENGE_EXPIRED");
  const unknown = new Passkey(world.base("auth-mfa")).get(await anybody.createPasskeyChallenge());
  unknown.response.userHandle = options.user.id;
  await refused(anybody.loginWithPasskey({ credential: unknown }), "INVALID_CREDENTIALS");

  const { email } = account;
  const challenged = await refused(anybody.login({ email, password }), "mfa_required");
  assert.deepEqual(challenged.body.available_methods, ["passkey", "recovery_code"]);
  const mfa_token = challenged.body.mfa_token!;
  const second = phone.get(await anybody.createPasskeyChallenge({ mfa_token }));
  await anybody.verifyChallenge({ mfa_token, method: "passkey", credential: second });

  const own = await caller.createPasskeyChallenge({});
  assert.equal(own.allowCredentials.length, 1);
  const { accessToken } = await caller.reauthenticate({ credential: phone.get(own) });
  const fresh = world.auth(accessToken);
  const { items } = await fresh.listPasskeys();
  assert.deepEqual(
    items.map(({ name, passkeyId }) => [name, passkeyId]),
    [["Phone", registered.passkeyId]],
  );
  await fresh.removePasskey(registered.passkeyId);
  await refused(fresh.removePasskey(registered.passkeyId), "NOT_FOUND");
  assert.deepEqual(await ok(world.client<paths>("auth-mfa").GET("/.well-known/webauthn")), { origins: [] });
}

/** The owner registers a server as a client, changes it, replaces its secret and deletes it. */
async function clients(owner: Auth): Promise<void> {
  const body = { name: "Server", type: "confidential" as const, redirectUris: ["https://app.example.com/callback"] };
  const client = await owner.createClient(body, { idempotencyKey: "client-1" });
  const { secret, ...shown } = client;
  assert.deepEqual(await owner.getClient(client.clientId), shown);
  assert.deepEqual((await owner.listClients()).items, [shown]);
  const changed = await owner.updateClient(client.clientId, { idTokenSigningAlg: "ES256" });
  assert.equal(changed.idTokenSigningAlg, "ES256");
  const rotated = await owner.rotateClientSecret(client.clientId, { gracePeriodSeconds: 3600 });
  assert.notEqual(rotated.secret, secret);
  await owner.deleteClient(client.clientId);
  await refused(owner.getClient(client.clientId), "NOT_FOUND");
}

/** The operator creates an owner, who manages members and settings. */
async function manage(world: World): Promise<Auth> {
  const operator = world.auth(world.env["MASTER_KEY"]);
  const anybody = world.auth();
  const create = () =>
    operator.createOwner("demo", { email: "owner@example.com", password, environment: "sandbox" }, { idempotencyKey: "story-1" });
  const { userId } = await create();
  assert.equal((await create()).userId, userId);
  const owner = world.auth((await anybody.login({ email: "owner@example.com", password })).accessToken);

  const { caller: own, ...member } = await newAccount(world, "member");
  const phone = phoneNumber();
  await own.setUpSms({ phone });
  await own.confirmSms({ code: await codeTo(world, phone, 1) });
  const memberId = member.user.userId;
  const { items: members } = await owner.listMembers();
  assert.equal(members[0]!.phone, phone);
  await refused(owner.updateMember(memberId, { role: "admin" }), "EMAIL_NOT_VERIFIED");
  await anybody.verifyEmail({ token: await tokenTo(world, member.email, "verify-email") });
  assert.equal((await owner.updateMember(memberId, { role: "admin" })).role, "admin");
  await refused(owner.updateMember(userId, { role: "user" }), "CONFLICT");
  await refused(own.listMembers(), "FORBIDDEN"); // the token was issued before the change of role
  await owner.resetMember(memberId);

  await clients(owner);
  const provider = { issuer: world.issuer.url, audience: "demo", jwksUrl: `${world.issuer.url}/jwks` };
  const settings = await owner.updateSettings({ brand: "Demo & Sons", smsCountries: ["US"], identityProviders: [provider] });
  assert.deepEqual(await owner.getSettings(), settings);
  const { items } = await owner.listAudit({ action: "member.role" });
  assert.deepEqual(
    items.map(({ actor, subjectId }) => [actor, subjectId]),
    [[userId, member.user.userId]],
  );
  return owner;
}

/** The owner mints a key, with which a backend creates, reads, changes, disables and invites members. */
async function members(world: World, owner: Auth): Promise<void> {
  const anybody = world.auth();
  const { key, prefix } = await owner.mintKey({ environment: "sandbox" });
  assert.ok((await owner.listKeys()).items.some((record) => record.prefix === prefix));
  const backend = world.auth(key);
  const heard = await listen(world, "auth-mfa", key, "user.created");

  // The backend creates a member once, although it sends the request twice.
  const email = `alan-${any()}@example.com`;
  const create = () => backend.createMember({ email, password, emailVerified: true }, { idempotencyKey: `member-${email}` });
  const { userId } = await create();
  assert.equal((await create()).userId, userId);
  assert.equal((await heard<User>(userId)).email, email);
  await refused(backend.createMember({ email, password }), "CONFLICT");
  const boss = `boss-${any()}@example.com`;
  await refused(backend.createMember({ email: boss, role: "owner", emailVerified: true }), "FORBIDDEN");
  await refused(backend.createMember({ email: boss, role: "admin" }), "EMAIL_NOT_VERIFIED");

  // It imports an account whose password was hashed with bcrypt.
  const imported = { email: `konrad-${any()}@example.com`, password: "an amber lantern" };
  const passwordHash = "$2b$10$N9qo8uLOickgx2ZMRZoMyenBVVWCiwhDWfswxxPGHT/dqJHI1xoue";
  await backend.createMember({ email: imported.email, passwordHash });
  await signedIn(world, imported);

  // It reads and changes the member, unless another request has changed the member since.
  const found = await backend.listMembers({ q: email.slice(1), role: "user", status: "active" });
  assert.deepEqual(
    found.items.map((user) => user.userId),
    [userId],
  );
  assert.equal((await backend.listMembers({ email })).items.length, 1);
  const tag = (await backend.getMember(userId).withResponse()).response.headers.get("ETag")!;
  assert.equal((await backend.updateMember(userId, { role: "admin" }, { ifMatch: tag })).role, "admin");
  await refused(backend.updateMember(userId, { role: "admin" }, { ifMatch: tag }), "PRECONDITION_FAILED");

  // It ends the member's sessions, and disables and enables the account.
  const caller = await signedIn(world, { email, password });
  await backend.endMemberSessions(userId);
  await refused(caller.getMe(), "UNAUTHORIZED");
  const status = async (value: "active" | "disabled"): Promise<string> => (await backend.updateMember(userId, { status: value })).status;
  assert.equal(await status("disabled"), "disabled");
  await refused(anybody.login({ email, password }), "ACCOUNT_DISABLED");
  assert.equal(await status("active"), "active");
  await signedIn(world, { email, password });
  const { items: activity } = await backend.listMemberActivity(userId);
  assert.ok(activity.some(({ result }) => result === "success") && activity.some(({ result }) => result === "account_disabled"));

  // It exports and deletes the account. A user deletes the own account.
  const [exported] = await collected(backend.exportMember(userId));
  assert.equal(exported!["email"], email);
  const { erasureId } = await backend.deleteMember(userId);
  await refused(backend.deleteMember(userId), "NOT_FOUND");
  const erasure = await eventually(async () => {
    const shown = await backend.getErasure(erasureId);
    return shown.completedAt === null ? undefined : shown;
  });
  assert.equal(erasure.userId, userId);
  assert.deepEqual(
    erasure.targets.map(({ service, status }) => [service, status]),
    [
      ["feedback", "done"],
      ["notify", "done"],
      ["billing", "done"],
    ],
  );
  const leaving = await signedIn(world, imported);
  assert.ok((await (await leaving.exportMe().response()).text()).includes(imported.email));
  const left = await leaving.deleteMe();
  await refused(leaving.getMe(), "UNAUTHORIZED");
  const { items: erasures } = await backend.listErasures();
  assert.equal(erasures[0]?.erasureId, left.erasureId);

  // It invites a colleague, who chooses a password.
  const invited = { email: `kay-${any()}@example.com`, password };
  const guest = await backend.createMember({ email: invited.email, role: "admin", invite: true });
  assert.deepEqual([guest.status, guest.emailVerified], ["invited", false]);
  const token = await tokenTo(world, invited.email, "invite");
  const { user } = await anybody.acceptInvitation({ token, password });
  assert.deepEqual([user.userId, user.status, user.emailVerified, user.role], [guest.userId, "active", true, "admin"]);
  await refused(anybody.acceptInvitation({ token, password }), "TOKEN_EXPIRED");
  await refused((await signedIn(world, invited)).mintKey({ environment: "sandbox" }), "FORBIDDEN");

  const rotated = await owner.rotateKey("sandbox");
  await owner.revokeKey(rotated.prefix);
}

/** The owner closes registration, and requires verified emails and second factors. */
async function policies(world: World, owner: Auth): Promise<void> {
  const anybody = world.auth();
  const appUrl = "https://app.example.com/reset";
  await refused(owner.updateSettings({ resetUrl: appUrl }), "VALIDATION_ERROR");
  const links = { allowedOrigins: ["https://app.example.com"], resetUrl: appUrl, verifyUrl: appUrl, inviteUrl: appUrl };
  assert.equal((await owner.updateSettings(links)).resetUrl, appUrl);

  /** Registers new accounts until the result is as expected: other threads get new settings a moment later. */
  const registering = <T>(look: (call: ReturnType<Auth["register"]>, account: Credentials) => Promise<T | undefined>): Promise<T> =>
    eventually(() => {
      const account = { email: `new-${any()}@example.com`, password };
      return look(anybody.register(account), account);
    });

  await owner.updateSettings({ signUp: "closed", resetUrl: null, verifyUrl: null, inviteUrl: null });
  await registering(async (call) => (await errorOf(call))?.is("SIGN_UP_CLOSED") || undefined);

  await owner.updateSettings({ signUp: null, emailVerification: "required" });
  const unverified = await registering(async (call, account) => {
    const registered = await call.catch(() => undefined); // the registration may still be closed
    return registered === undefined || registered.accessToken ? undefined : account;
  });
  await refused(anybody.login(unverified), "EMAIL_NOT_VERIFIED");

  await owner.updateSettings({ emailVerification: null, mfaPolicy: "required", securityEmails: false });
  const token = await registering(async (call) => (await errorOf(call))?.body.enrollment_token);
  const enrolling = world.auth(token);
  await refused(enrolling.getMe(), "UNAUTHORIZED");
  const { secret } = await enrolling.setUpTotp();
  const { recoveryCodes, accessToken } = await enrolling.confirmTotp({ code: otplib.authenticator.generate(secret) });
  assert.equal(recoveryCodes.length, 10);
  await world.auth(accessToken!).getMe();
  await owner.updateSettings({ mfaPolicy: null, securityEmails: null, allowedOrigins: null });
}

/** A user of the tenant's identity provider signs in; the first sign-in creates the account. Another user links an identity. */
async function external(world: World, owner: Auth): Promise<void> {
  const anybody = world.auth();
  const email = `linus-${any()}@example.com`;
  const idToken = (more: object = {}): string => world.issuer.idToken({ aud: "demo", sub: email, email, email_verified: true, ...more });
  const signIn = () => anybody.signInExternally({ idToken: idToken() }).withResponse();
  const first = await eventually(() => signIn().catch(() => undefined)); // other threads get new settings a moment later
  assert.equal(first.response.status, 201);
  const again = { idToken: idToken({ nonce: "n-1" }), nonce: "n-1" };
  const { user, accessToken } = await anybody.signInExternally(again);
  assert.equal(user.email, email);
  await refused(anybody.signInExternally(again), "INVALID_CREDENTIALS"); // an id token is accepted once
  await refused(anybody.signInExternally({ ...again, idToken: idToken({ nonce: "n-2" }) }), "INVALID_CREDENTIALS");
  await refused(anybody.signInExternally({ idToken: "e30.e30.c2ln" }), "INVALID_CREDENTIALS");
  const linus = world.auth(accessToken);
  await refused(linus.setUpTotp(), "MFA_PASSWORD_REQUIRED");
  const later = Math.floor(Date.now() / 1000) + 1; // after the sign-in
  await linus.reauthenticate({ idToken: idToken({ iat: later }) });
  const identity = async (caller: Auth) => (await caller.listIdentities()).items[0]!;
  await refused(linus.unlinkIdentity((await identity(linus)).identityId), "CONFLICT");

  // A user with a password links an identity and removes it.
  const { caller } = await newAccount(world, "ken");
  const linked = await caller.linkIdentity({ idToken: idToken({ sub: "ken" }) });
  assert.deepEqual([linked.issuer, linked.subject], [world.issuer.url, "ken"]);
  assert.deepEqual(await identity(caller), linked);
  await refused(caller.linkIdentity({ idToken: idToken() }), "CONFLICT");
  await anybody.signInExternally({ idToken: idToken({ sub: "ken" }) });
  await caller.unlinkIdentity(linked.identityId);
  await owner.updateSettings({ identityProviders: null });
}

/** The owner gives the hosted pages a colour and a logo, and lets passkeys work on the app's own domain. */
async function branding(world: World, owner: Auth): Promise<void> {
  const pages = world.client<paths>("auth-mfa");
  const image = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==", "base64");
  const set = { accentColor: "#1D4ED8", passkeyRpId: "example.com", allowedOrigins: ["https://app.example.com"] };
  assert.equal((await owner.updateSettings(set)).accentColor, "#1d4ed8");
  await refused(owner.updateSettings({ allowedOrigins: null }), "VALIDATION_ERROR");
  const logo = await owner.putLogo(image, { contentType: "image/png" });
  assert.deepEqual([logo.width, logo.height, logo.sizeBytes], [1, 1, image.length]);
  await refused(owner.putLogo(image.subarray(1), { contentType: "image/png" }), "VALIDATION_ERROR");
  assert.deepEqual((await owner.getSettings()).logo, logo);
  assert.deepEqual(Buffer.from((await ok(pages.GET("/logo", { parseAs: "arrayBuffer" }))) as ArrayBuffer), image);
  await owner.deleteLogo();
  await rejected(pages.GET("/logo"), "NOT_FOUND");
  await owner.updateSettings({ accentColor: null, passkeyRpId: null, allowedOrigins: null });
}

/** A user signs in to an app of the tenant, whose server checks the tokens. Then the app signs the user out. */
async function authorization(world: World, owner: Auth): Promise<void> {
  const pages = world.client<paths>("auth-mfa");
  const [redirectUri, signedOutUri] = ["https://app.example.com/callback", "https://app.example.com/signed-out"];
  const newClient = (type: "public" | "confidential") =>
    owner.createClient(
      { name: "App", type, redirectUris: [redirectUri], postLogoutRedirectUris: [signedOutUri] },
      { idempotencyKey: `client-${type}` },
    );
  const { clientId: client_id } = await newClient("public");
  const server = await newClient("confidential");
  assert.deepEqual(
    await ok(pages.GET("/.well-known/oauth-authorization-server")),
    await ok(pages.GET("/.well-known/openid-configuration")),
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
    pages.POST(
      "/oauth/token",
      form({ grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier, client_id }),
    );
  const first = await ok(exchange(code));
  assert.equal(first.scope, request.scope);
  const claims = { sub: user.userId, email, email_verified: false };
  const app = (token: string) => world.client<paths>("auth-mfa", token);
  assert.deepEqual(await ok(app(first.access_token).GET("/oauth/userinfo")), claims);
  assert.deepEqual(await ok(pages.POST("/oauth/userinfo", form({ access_token: first.access_token }))), claims);
  await refused(world.auth(first.access_token).getMe(), "FORBIDDEN"); // a client's token is only for the user's claims
  const refresh = { grant_type: "refresh_token", refresh_token: first.refresh_token!, client_id } as const;
  const renewed = await ok(pages.POST("/oauth/token", form(refresh)));

  // The server checks the access token. The app revokes the refresh token, which ends the access token, too.
  const introspect = (token: string) => {
    const credential = Buffer.from(`${server.clientId}:${server.secret}`).toString("base64");
    return ok(pages.POST("/oauth/introspect", form({ token }, { Authorization: `Basic ${credential}` })));
  };
  const { active, sub, client_id: issuedTo } = await introspect(renewed.access_token);
  assert.deepEqual([active, sub, issuedTo], [true, user.userId, client_id]);
  await ok(pages.POST("/oauth/revoke", form({ token: renewed.refresh_token!, client_id })));
  assert.deepEqual(await introspect(renewed.access_token), { active: false });
  await rejected(app(renewed.access_token).GET("/oauth/userinfo"), "invalid_token");
  await rejected(exchange(code), "invalid_grant");

  // The user is still signed in in the browser. A form of the app and a pushed request return with a code at once.
  const posted = locationOf((await browser.caller.POST("/oauth/authorize", form(request))).response);
  assert.match(posted, /^\/oauth\/authorize\?client_id=/);
  const again = returned(locationOf(await browser.open(posted))).get("code")!;
  const { request_uri } = await ok(pages.POST("/oauth/par", form(request)));
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
async function externalPages(world: World, owner: Auth): Promise<void> {
  const pages = world.client<paths>("auth-mfa");
  const provider = world.issuer.setting("acme", "demo-pages");
  const body = { identityProviders: [{ ...provider, clientSecret: "a violet secret" }] };
  const { identityProviders } = await owner.updateSettings(body);
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
  const { items } = await owner.listMembers({ email });
  assert.equal(items.length, 1);

  // A browser that did not begin the sign-in cannot end it.
  const params = { query: { state: "x", code: "y" } };
  assert.equal((await pages.GET("/oauth/external/callback", { params })).response.status, 410);
  await owner.updateSettings({ identityProviders: null });
}

/** The hosted pages, and a browser that becomes trusted until its trust is removed. */
async function page(world: World, anybody: Auth): Promise<void> {
  const pages = world.client<paths>("auth-mfa");
  assert.ok(String(await ok(pages.GET("/enroll", { parseAs: "text" }))).includes("Demo &amp; Sons"));
  for (const page of ["/login", "/register"] as const)
    assert.ok(String(await ok(pages.GET(page, { parseAs: "text" }))).includes("Demo &amp; Sons"));
  for (const link of ["/reset", "/verify-email", "/invite", "/confirm-email", "/revert-email"] as const) {
    const html = await ok(pages.GET(link, { params: { query: { token: "abc" } }, parseAs: "text" }));
    assert.ok(String(html).includes("Demo &amp; Sons"));
  }
  for (const part of ["/pages.css", "/pages.js"] as const) assert.ok(String(await ok(pages.GET(part, { parseAs: "text" }))).length > 100);

  // The console is 404 if the services were built without it.
  const config = await pages.GET("/console/config.json");
  if (config.response.status === 200) {
    assert.equal(config.data?.tenant, "demo");
    const html = String(await ok(pages.GET("/console", { parseAs: "text" })));
    const file = /\/console\/assets\/([^"]+\.js)"/.exec(html)![1]!;
    await ok(pages.GET("/console/assets/{file}", { params: { path: { file } }, parseAs: "text" }));
  } else {
    assert.equal(config.response.status, 404);
    assert.equal((await pages.GET("/console", { parseAs: "text" })).response.status, 404);
    assert.equal((await pages.GET("/console/assets/{file}", { params: { path: { file: "none.js" } }, parseAs: "text" })).response.status, 404);
  }

  const ada = { email: `ada-${any()}@example.com`, password };
  const { accessToken } = await anybody.register(ada);
  const enrolling = world.auth(accessToken);
  const { secret } = await enrolling.setUpTotp();
  await enrolling.confirmTotp({ code: otplib.authenticator.generate(secret) });
  const challenged = await refused(anybody.login(ada), "mfa_required");
  const body = { mfa_token: challenged.body.mfa_token!, method: "totp", code: codeAhead(secret), trustDevice: true } as const;
  const trusting = world.auth((await anybody.verifyChallenge(body)).accessToken);
  const { items } = await trusting.listDevices();
  assert.equal(items.length, 1);
  await trusting.forgetDevice(items[0]!.deviceId);
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
  const anybody = world.auth();
  const { accessToken } = await anybody.register({ email: `tim-${any()}@example.com`, password });
  const setUp = await world.auth(accessToken).setUpSms({ phone });
  assert.equal(setUp.phone, phone); // the response does not show the opt-out
  const operator = world.auth(world.env["MASTER_KEY"]);
  await operator.clearOptOut(phone);
  await refused(operator.clearOptOut(phone), "NOT_FOUND");
}
