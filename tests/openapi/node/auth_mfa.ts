// The story of auth-mfa: sign-in with a second factor, and the work of the owner and the operator.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import otplib from "otplib";
import type { paths } from "./clients/auth-mfa.js";
import { administer, readReference } from "./shared.js";
import { eventually, ok, refused, type World } from "./world.js";

type Caller = ReturnType<typeof World.prototype.client<paths>>;

const password = "a violet teapot";
const any = (): string => Math.random().toString(36).slice(2);
const phoneNumber = (): string => `+1415555${String(Math.floor(Math.random() * 9000) + 1000)}`;

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
  assert.equal((await ok(anybody.GET("/.well-known/jwks.json"))).keys.length, 1);
  assert.equal((await ok(anybody.GET("/.well-known/openid-configuration"))).issuer, world.base("auth-mfa"));
  assert.deepEqual(await ok(caller.GET("/v1/auth/mfa")), { factors: ["sms"], phone: `+1********${phone.slice(-2)}`, recoveryCodesLeft: 9 });
  const { items: sessions } = await ok(caller.GET("/v1/auth/sessions"));
  assert.equal(sessions.length, 4);
  await ok(
    caller.DELETE("/v1/auth/sessions/{sessionId}", {
      params: { path: { sessionId: sessions.find(({ current }) => !current)!.sessionId } },
    }),
  );

  await authenticator(caller, grace.email, recoveryCodes[1]!);
  await devices(caller);
  await ok(caller.POST("/v1/auth/password", { body: { currentPassword: password, newPassword: "another violet teapot" } }));
  await refused(anybody.POST("/v1/auth/login", { body: grace }), "INVALID_CREDENTIALS");
  await refused(user.GET("/v1/auth/me"), "UNAUTHORIZED");
  await ok(anybody.POST("/v1/auth/logout", { body: { refreshToken: renewed.refreshToken } }));

  await external(world, await manage(world));
  await page(world, anybody);
  await optOuts(world);
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

  const member = await ok(anybody.POST("/v1/auth/register", { body: { email: `member-${any()}@example.com`, password } }));
  const phone = phoneNumber();
  const own = world.client<paths>("auth-mfa", member.accessToken);
  await ok(own.POST("/v1/auth/mfa/sms/setup", { body: { phone } }));
  await ok(own.POST("/v1/auth/mfa/sms/confirm", { body: { code: await codeTo(world, phone, 1) } }));
  const path = { userId: member.user.userId };
  const { items: members } = await ok(owner.GET("/v1/members"));
  assert.equal(members[0]!.phone, phone);
  assert.equal((await ok(owner.PATCH("/v1/members/{userId}", { params: { path }, body: { role: "admin" } }))).role, "admin");
  await refused(owner.PATCH("/v1/members/{userId}", { params: { path: { userId } }, body: { role: "user" } }), "CONFLICT");
  await refused(own.GET("/v1/members"), "FORBIDDEN"); // the token was issued before the change of role
  await ok(owner.DELETE("/v1/members/{userId}/mfa", { params: { path } }));

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

/** A user of the tenant's identity provider signs in; the first sign-in creates the account. */
async function external(world: World, owner: Caller): Promise<void> {
  const anybody = world.client<paths>("auth-mfa");
  const email = `linus-${any()}@example.com`;
  const idToken = (): string => world.issuer.idToken({ aud: "demo", sub: email, email, email_verified: true });
  const first = await eventually(async () => {
    const answer = await anybody.POST("/v1/auth/external", { body: { idToken: idToken() } });
    return answer.response.ok ? answer : undefined; // other threads get new settings a moment later
  });
  assert.equal(first.response.status, 201);
  const { user, accessToken } = await ok(anybody.POST("/v1/auth/external", { body: { idToken: idToken() } }));
  assert.equal(user.email, email);
  await refused(anybody.POST("/v1/auth/external", { body: { idToken: "e30.e30.c2ln" } }), "INVALID_CREDENTIALS");
  await refused(world.client<paths>("auth-mfa", accessToken).POST("/v1/auth/mfa/totp/setup"), "MFA_PASSWORD_REQUIRED");
  await ok(owner.PATCH("/v1/settings", { body: { identityProviders: null } }));
}

/** The hosted page, and a browser that becomes trusted until its trust is removed. */
async function page(world: World, anybody: Caller): Promise<void> {
  assert.ok(String(await ok(anybody.GET("/enroll", { parseAs: "text" }))).includes("Demo &amp; Sons"));
  for (const part of ["/enroll.css", "/enroll.js"] as const)
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
  await refused(world.client<paths>("auth-mfa", accessToken).POST("/v1/auth/mfa/sms/setup", { body: { phone } }), "MFA_SMS_UNDELIVERABLE");
  const operator = world.client<paths>("auth-mfa", world.env["MASTER_KEY"]);
  await ok(operator.DELETE("/v1/admin/sms/opt-outs/{phone}", { params: { path: { phone } } }));
  await refused(operator.DELETE("/v1/admin/sms/opt-outs/{phone}", { params: { path: { phone } } }), "NOT_FOUND");
}
