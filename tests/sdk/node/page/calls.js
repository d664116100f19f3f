// The operations that browsers use, called from a page of another origin than the services'. The test calls the functions of
// `globalThis.calls`.
import { ApiError, Auth, Billing, ConnectionError, Feedback, Notify, Session, ValidationError } from "@tetrad/client";

function expect(holds, what) {
  if (!holds) throw new Error(`not as expected: ${what}`);
}

/** The error of a call that must be refused with that code. */
async function refused(call, code) {
  const error = await Promise.resolve(call).then(
    () => undefined,
    (reason) => reason,
  );
  expect(error instanceof ApiError && error.code === code, `${error} instead of ${code}`);
  return error;
}

async function collected(items) {
  const all = [];
  for await (const item of items) all.push(item);
  return all;
}

const toJSON = (credential) => credential.toJSON();
const create = async (options) =>
  toJSON(await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }));
const get = async (options) =>
  toJSON(await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }));

async function auth({ url, email, password }) {
  const anybody = new Auth({ baseUrl: url });
  const session = new Session({ auth: anybody, storage: "memory" });
  expect(session.start(await anybody.register({ email, password })), "register returns tokens");
  expect(session.user.email === email && session.user.role === "user", "the claims of the user");
  const user = new Auth({ baseUrl: url, tokenProvider: session.tokenProvider });
  const me = await user.getMe();
  expect(me.userId === session.user.sub, "getMe");

  await refused(anybody.login({ email, password: "not the password" }), "INVALID_CREDENTIALS");
  const other = await anybody.login({ email, password });
  const refreshed = await anybody.refresh({ refreshToken: other.refreshToken });
  expect(refreshed.accessToken !== other.accessToken, "refresh");
  const sessions = await collected(user.listSessions({ limit: 1 }));
  expect(sessions.length === 2 && sessions.filter(({ current }) => current).length === 1, "listSessions, page by page");
  await user.endSession(sessions.find(({ current }) => !current).sessionId);
  await anybody.login({ email, password });
  await user.endOtherSessions();
  expect((await user.listSessions()).items.length === 1, "endOtherSessions");
  expect((await user.listActivity()).items.length > 0, "listActivity");
  expect((await user.getFactors()).factors.length === 0, "getFactors");
  expect((await user.listDevices()).items.length === 0, "listDevices");
  expect((await user.listIdentities()).items.length === 0, "listIdentities");
  expect((await collected(user.exportMe())).length > 0, "exportMe");
  await anybody.requestVerification({ email });
  await anybody.requestPasswordReset({ email });

  const passkey = await user.registerPasskey({ name: "Laptop", credential: await create(await user.createPasskeyOptions()) });
  expect((await user.listPasskeys()).items[0].passkeyId === passkey.passkeyId, "listPasskeys");
  const challenged = await refused(anybody.login({ email, password }), "mfa_required");
  expect(challenged.body.available_methods.includes("passkey"), "the members of a refusal");
  const { mfa_token } = challenged.body;
  const second = await get(await anybody.createPasskeyChallenge({ mfa_token }));
  await anybody.verifyChallenge({ mfa_token, method: "passkey", credential: second });
  session.start(await anybody.loginWithPasskey({ credential: await get(await anybody.createPasskeyChallenge({})) }));
  expect(session.user.acr === "aal2", "loginWithPasskey");
  expect(session.start(await user.reauthenticate({ credential: await get(await user.createPasskeyChallenge({})) })), "reauthenticate");
  await user.removePasskey(passkey.passkeyId);
  expect((await user.listPasskeys()).items.length === 0, "removePasskey");

  const newPassword = `${password} and a cup`;
  await user.changePassword({ currentPassword: password, newPassword });
  const again = await anybody.login({ email, password: newPassword });
  await anybody.logout({ refreshToken: again.refreshToken });
  await refused(anybody.refresh({ refreshToken: again.refreshToken }), "UNAUTHORIZED");
  session.start(await anybody.login({ email, password: newPassword }));
  expect((await user.deleteMe()).deleted, "deleteMe");
  await session.end();
  expect(session.user === null, "the session has ended");
}

async function feedback({ url, token, userId }) {
  const anybody = new Feedback({ baseUrl: url });
  const user = new Feedback({ baseUrl: url, tokenProvider: () => token });
  const size = 3_000_000;
  const file = new Blob(["line\n".repeat(size / 5)], { type: "text/plain" });
  const progress = [];
  const attachment = await user.uploadAttachment({ filename: "log.txt" }, file, {
    onProgress: (sent, total) => progress.push([sent, total]),
  });
  expect(attachment.status === "uploaded", "uploadAttachment");
  expect(progress.length > 1 && progress.at(-1)[0] === size && progress.every(([, total]) => total === size), `progress ${progress}`);
  expect(
    progress.every(([sent], i) => i === 0 || sent >= progress[i - 1][0]),
    "the progress grows",
  );
  const stopped = user.uploadAttachment({ filename: "log.txt" }, file, { onProgress: () => {}, signal: AbortSignal.abort() });
  expect((await stopped.catch((error) => error)).name === "AbortError", "an aborted upload");

  const thread = await user.createFeedback({
    category: "feature",
    title: "Printing from a browser",
    body: "Please.",
    attachmentIds: [attachment.attachmentId],
  });
  const { data, response } = await user.getFeedback(thread.feedbackId).withResponse();
  expect(data.attachmentIds[0] === attachment.attachmentId, "getFeedback");
  expect(
    response.headers.get("ETag") && response.headers.get("X-Request-Id") && response.headers.get("RateLimit"),
    "headers that CORS exposes",
  );
  const file2 = await fetch((await user.getAttachment(attachment.attachmentId)).downloadUrl);
  expect((await file2.blob()).size === size, "the download");
  await user.createFeedback({ category: "bug", title: "A private report", body: "Only mine." });
  const own = await collected(user.listFeedbacks({ limit: 1 }));
  expect(own.length === 2 && own.every((one) => one.userId === userId), "listFeedbacks, page by page");
  const reply = await user.postReply(thread.feedbackId, { body: "One more thing." });
  await user.updateReply(thread.feedbackId, reply.replyId, { body: "One more thing!" });
  expect((await user.listReplies(thread.feedbackId)).items[0].body === "One more thing!", "listReplies");
  await user.deleteReply(thread.feedbackId, reply.replyId);
  expect((await user.vote(thread.feedbackId)).voteCount === 1, "vote");
  expect((await user.listSimilar({ title: "Printing from a browser" })).items[0].feedbackId === thread.feedbackId, "listSimilar");
  const shown = (await anybody.listBoardThreads({ q: "Printing from a browser" })).items;
  expect(shown.length === 1 && shown[0].voted === undefined, "listBoardThreads without a user");
  expect((await user.getBoardThread(thread.feedbackId)).voted, "getBoardThread");
  expect((await user.withdrawVote(thread.feedbackId)).voteCount === 0, "withdrawVote");
  expect(
    (await collected(user.exportUser(userId))).some(({ type }) => type === "attachment"),
    "exportUser",
  );
  const invalid = await refused(user.createFeedback({ category: "bug", title: "", body: "x" }), "VALIDATION_ERROR");
  expect(invalid instanceof ValidationError && invalid.errors[0].pointer === "/title", "ValidationError");
  await refused(anybody.listFeedbacks(), "UNAUTHORIZED");
  await refused(user.getSettings(), "FORBIDDEN");
}

async function notify({ url, token, userId, publishableKey }) {
  const app = new Notify({ baseUrl: url, apiKey: publishableKey });
  const user = new Notify({ baseUrl: url, tokenProvider: () => token });
  const device = await app.registerDevice({ userId, token: "browser-token", platform: "web" });
  expect(device.userId === userId, "registerDevice");
  expect((await user.getWebPushKey()).publicKey.length > 80, "getWebPushKey");
  expect(
    (await collected(user.exportUser(userId))).some(({ type }) => type === "device"),
    "exportUser",
  );
  expect((await app.unregisterDevice("browser-token")).deleted, "unregisterDevice");
  await refused(user.listDevices({ userId }), "FORBIDDEN");
}

async function billing({ url, token, userId }) {
  const user = new Billing({ baseUrl: url, tokenProvider: () => token });
  expect((await user.getMyEntitlements()).entitlements[0].features.includes("export"), "getMyEntitlements");
  expect((await user.checkMyFeature("export")).granted, "checkMyFeature");
  expect(!(await user.checkMyFeature("sync")).granted, "a feature that the user does not have");
  expect((await collected(user.exportUser(userId))).length > 0, "exportUser");
}

/** A page of an origin that the tenant does not allow gets no response. */
async function foreign({ url }) {
  const error = await new Feedback({ baseUrl: url, retries: 0 }).listBoardThreads().catch((reason) => reason);
  expect(error instanceof ConnectionError, `${error}`);
}

globalThis.calls = { auth, feedback, notify, billing, foreign };
