// Staff in the area Users. The steps depend on each other.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before } from "node:test";
import { card as cardOf, dialog, passTime, pick } from "./parts.mjs";
import { fill } from "./seed.mjs";
import { closeAll, openConsole, step } from "./session.mjs";
import { eventually, hostile, openStack } from "./stack.mjs";

let stack, place, data, desk, page;
before(async () => {
  stack = await openStack();
  place = (await stack.newTenant(`users-${Math.random().toString(36).slice(2, 8)}`)).production;
  data = await fill(place);
});
after(closeAll);

const emails = async () => (await page.locator(".table-body .row-link").allInnerTexts()).map((text) => text.trim());
const openProfile = (id) => desk.open(`/console/users/${encodeURIComponent(id)}`);
const card = (title) => cardOf(desk, title);
const act = (entry) => desk.pick("Actions", entry);
const confirm = (name) => desk.dialog().getByRole("button", { name, exact: true }).click();
const member = (id) => place.auth.getMember(id);
const identity = () => dialog(desk, "Confirm that it is you");
async function enterPassword() {
  await identity().getByRole("button", { name: "Use the password" }).click();
  await identity().getByLabel("Password").fill(place.members.owner.password);
  await identity().getByRole("button", { name: "Confirm", exact: true }).click();
  await identity().waitFor({ state: "detached" });
}
/** Waits for the end of an action. On a slow machine, the sign-in may be no longer recent; then the page asks for a credential. */
const finished = (look) =>
  eventually(async () => {
    if (await identity().isVisible()) await enterPassword();
    return look();
  });
const message = (text) => finished(() => desk.said(text));
/** Whether the account can sign in with its password, or has to present a second factor: the status of the response. */
const signIn = ({ email, password = "a violet teapot" }) => place.client("auth", null).login({ email, password }).then(() => 200, ({ status }) => status);

/** The emails to an address that auth-mfa has sent. */
const mailsTo = (address) => {
  const folder = stack.env.AUTH_EMAIL_OUTBOX;
  return readdirSync(folder).map((name) => readFileSync(path.join(folder, name), "utf8")).filter((mail) => new RegExp(`^To: .*${address}`, "mi").test(mail));
};

step("the list shows all accounts", async () => {
  desk = await openConsole(place.members.owner, "/console/users");
  page = desk.page;
  const shown = await emails();
  for (const { email } of [...Object.values(place.members), ...Object.values(data.users)]) assert.ok(shown.includes(email), email);
  await desk.look("users-list", { schemes: ["light", "dark"] });
});

step("users are found by email, identifier, role and status", async () => {
  const search = page.getByRole("searchbox");
  await search.fill("unverified@");
  await eventually(async () => (await emails()).join() === data.users.unverified.email);
  await search.fill(data.users.formula.userId.toUpperCase());
  await eventually(async () => (await emails()).join() === data.users.formula.email);
  await desk.button("Clear filters").click();
  await desk.choose(/Any role|Role/, "Admin");
  await eventually(async () => (await emails()).join() === place.members.admin.email);
  await desk.button("Clear filters").click();
  await desk.choose(/Any status|Status/, "Invited");
  await eventually(async () => (await emails()).join() === data.users.invited.email);
  assert.match(page.url(), /\?status=invited$/);
  await search.fill("nobody at all");
  await desk.heading("No user matches").waitFor();
  await desk.look("users-nothing");

  desk.allow(/^404 GET .*\/v1\/members\/00000000-/);
  await search.fill("00000000-0000-7000-8000-000000000000");
  await desk.heading("No account has this id").waitFor();
  await desk.look("users-unknown-id");
});

step("the keyboard moves through the list and opens a profile", async () => {
  await desk.open("/console/users?role=user");
  const all = await emails();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await eventually(async () => (await page.locator(".table-body [aria-current] .row-link").innerText()).trim() === all[1]);
  await page.keyboard.press("Enter");
  await eventually(async () => (await page.locator("h1").innerText()).trim() === all[1]);
});

step("the list as CSV begins no cell with a formula", async () => {
  await desk.open("/console/users");
  const { name, content } = await desk.download(() => desk.button("Export CSV").click());
  assert.equal(name, "users.csv");
  const csv = content.toString();
  assert.ok(csv.includes(`'${data.users.formula.email}`), csv);
  assert.doesNotMatch(csv.replace("\ufeff", ""), /(^|,|\n)"?[=+@]/);
});

step("a profile has what each of the four services knows", async () => {
  await openProfile(place.members.user.userId);
  await card("Account").getByText(place.members.user.email).waitFor();
  await card("Feedback threads").getByText(place.mark).first().waitFor();
  await card("Latest notifications").getByText(`${hostile.html} mail`).waitFor();
  await card("Access and purchases").getByText(hostile.html).first().waitFor();
  await card("Push devices").getByText(place.mark).waitFor();
  await card("Sessions").getByText(hostile.html).first().waitFor();
  await card("Activity").getByText("Wrong password").waitFor();
  await desk.look("users-profile", { schemes: ["light", "dark"] });
});

step("a service that fails leaves out only its own part", async () => {
  const { userId } = place.members.user;
  await page.route("**/v1/users/*/entitlements*", (route) => route.fulfill({ status: 500, headers: { "Access-Control-Allow-Origin": place.origin, "Content-Type": "application/problem+json" }, body: JSON.stringify({ error: "INTERNAL_ERROR", requestId: "request-of-the-test" }) }));
  desk.allow(/^500 GET .*\/entitlements/);
  await openProfile(userId);
  await card("Access and purchases").getByText("request-of-the-test").waitFor();
  await card("Feedback threads").getByText(place.mark).first().waitFor();
  await page.unroute("**/v1/users/*/entitlements*");
  await card("Access and purchases").getByRole("button", { name: "Try again" }).click();
  await card("Access and purchases").getByText(hostile.html).first().waitFor();
});

step("an identifier of another system has data, but no account", async () => {
  await openProfile(hostile.html);
  await page.getByText("This environment has no account with this id").waitFor();
  await page.locator("h1").getByText(hostile.html).waitFor();
  await card("Push devices").getByText(place.mark).waitFor();
  await desk.look("users-no-account");
});

step("an owner invites a user, and the dialog shows what is wrong", async () => {
  await desk.open("/console/users");
  const email = `=invited+${Date.now()}@${place.mark}.example`;
  const invite = async (address) => {
    await desk.dialog().getByLabel("Email").fill(address);
    await confirm("Send invitation");
  };
  await desk.button("Invite user").click();
  desk.allow(/^(400|409) POST .*\/v1\/members$/);
  await invite("no address");
  await finished(() => desk.dialog().locator(".field-error").isVisible());
  await desk.look("users-invite-invalid");
  await invite(place.members.user.email);
  await finished(() => desk.dialog().getByText("The user was not invited").isVisible());
  await pick(desk.dialog(), /^Admin/);
  await invite(email);
  await message(`${email} was invited`);
  await eventually(() => mailsTo(email.replace(/[=+]/g, "\\$&")).length === 1);
  const [{ userId, role, status }] = (await place.auth.listMembers({ email })).items;
  assert.deepEqual([role, status], ["admin", "invited"]);

  await openProfile(userId);
  await page.getByText("The invitation is open").waitFor();
  await desk.look("users-invited");
  await desk.button("Send again").click();
  await confirm("Send invitation");
  await message("was invited again");
  await eventually(() => mailsTo(email.replace(/[=+]/g, "\\$&")).length === 2);
  await act("Withdraw invitation");
  await confirm("Withdraw invitation");
  await message("is withdrawn");
  assert.equal((await member(userId)).status, "disabled");
});

step("an owner disables an account and enables it again", async () => {
  const { unverified: user } = data.users;
  await openProfile(user.userId);
  await page.getByText("Email not verified").first().waitFor();
  await act("Disable account");
  await desk.dialog().getByText(user.email).waitFor();
  await desk.look("users-disable");
  await confirm("Disable account");
  await message(`${user.email} is disabled`);
  await page.getByText("This user cannot sign in").waitFor();
  await desk.look("users-disabled");
  assert.equal(await signIn(user), 403);
  await act("Enable account");
  await confirm("Enable account");
  await message(`${user.email} is enabled`);
  assert.equal(await signIn(user), 200);
});

step("an owner changes a role", async () => {
  const { formula: user } = data.users;
  await openProfile(user.userId);
  await act("Change role");
  await pick(desk.dialog(), /^Admin/);
  await desk.look("users-role");
  await confirm("Change role");
  await message(`${user.email} has the role Admin`);
  assert.equal((await member(user.userId)).role, "admin");
});

step("factors are reset, and sessions are ended", async () => {
  const colleague = await place.newMember("admin", `colleague@${place.mark}.example`);
  await openProfile(colleague.userId);
  await card("Second factors").getByText("set up", { exact: true }).first().waitFor();
  await act("Reset second factors");
  await desk.look("users-reset");
  await confirm("Reset factors");
  await message(`The factors of ${colleague.email} are removed`);
  await card("Second factors").getByText("No second factor is set up.").waitFor();
  await card("Sessions").getByText("The user is not signed in anywhere.").waitFor();
  assert.equal(await signIn(colleague), 200);

  await page.reload();
  await desk.settled();
  await card("Sessions").getByRole("button", { name: "End all" }).click();
  await confirm("End sessions");
  await message(`All sessions of ${colleague.email} have ended`);
  await card("Sessions").getByText("The user is not signed in anywhere.").waitFor();
});

step("actions that need a recent sign-in ask for a credential", async () => {
  const { disabled: user } = data.users;
  await openProfile(user.userId);
  await passTime(desk, 6);
  await act("Enable account");
  await confirm("Enable account");
  const prompt = identity();
  const code = prompt.getByLabel("Code of the authenticator app");
  await code.waitFor();
  await desk.look("users-step-up", { busy: true });
  desk.allow(/^40[01] POST .*\/v1\/auth\/reauthenticate$/);
  await code.fill("000000");
  await prompt.getByRole("button", { name: "Confirm", exact: true }).click();
  await prompt.getByText("The password or the code is wrong").waitFor();
  await prompt.getByRole("button", { name: "Close" }).click();
  await prompt.waitFor({ state: "detached" });
  assert.equal((await member(user.userId)).status, "disabled");

  await confirm("Enable account");
  await code.fill(await place.members.owner.code());
  await prompt.getByRole("button", { name: "Confirm", exact: true }).click();
  await prompt.waitFor({ state: "detached" });
  await message(`${user.email} is enabled`);
  assert.equal((await member(user.userId)).status, "active");
});

step("all data of a user are exported, after a password", async () => {
  await openProfile(place.members.user.userId);
  await passTime(desk, 6);
  await desk.button("Export data").click();
  await desk.look("users-export");
  const exported = desk.download(async () => {
    await desk.button("Export").click();
    await identity().waitFor();
    await enterPassword();
  });
  const { name, content } = await exported;
  assert.equal(name, `user-${place.members.user.userId}.ndjson`);
  const lines = content.toString().trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual([...new Set(lines.map(({ service }) => service))], ["auth", "feedback", "notify", "billing"]);
  assert.ok(lines.some(({ title }) => title === data.threads.html.title));
  await message("The export is downloaded");
});

step("a user is erased, with the progress of each service", async () => {
  const { userId, email } = place.members.user;
  await desk.open("/console/users");
  await openProfile(userId);
  await desk.button("Erase user").click();
  const erase = desk.dialog().getByRole("button", { name: "Erase permanently" });
  assert.equal(await erase.isDisabled(), true);
  await desk.look("users-erase");

  // A service that cannot be reached is asked again.
  await stack.halt("billing");
  await desk.dialog().getByRole("textbox").fill(email);
  await erase.click();
  await finished(() => /\/console\/users\/erasures\//.test(page.url()));
  const target = (name) => page.locator(".users-target", { hasText: name });
  for (const service of ["Accounts", "Feedback", "Notifications"]) await target(service).getByText("Erased", { exact: true }).waitFor();
  await target("Billing").getByText(/^Asked \d+ time/).waitFor();
  await page.getByText("3 of 4").waitFor();
  await desk.look("users-erasure-running");
  await stack.resume();
  await target("Billing").getByText("Erased", { exact: true }).waitFor({ timeout: 300_000 }); // the delay between the attempts grows
  await page.getByText("The user is erased").waitFor();
  await desk.look("users-erasure", { schemes: ["light", "dark"] });
  assert.equal(await place.auth.getMember(userId).then(() => 200, ({ status }) => status), 404);
  assert.deepEqual((await place.feedback.listFeedbacks({ userId, includeDeleted: true })).items, []);
  assert.deepEqual((await place.billing.getUserEntitlements(userId)).entitlements, []);

  await desk.link("All erasures").click();
  await page.getByRole("table").getByText(userId).waitFor();
  await desk.look("users-erasures");
});

step("the data of an identifier of another system are erased", async () => {
  await openProfile(hostile.html);
  await desk.button("Erase data").click();
  await pick(desk.dialog(), /^Keep them without the name/);
  await desk.dialog().getByRole("textbox").fill(hostile.html.slice(0, 24).trim());
  await desk.look("users-erase-data");
  await confirm("Erase permanently");
  await message("The data is erased in all services");
  assert.deepEqual((await place.notify.listDevices({ userId: hostile.html })).items, []);
});

step("an unknown erasure is not found", async () => {
  desk.allow(/^404 GET .*\/v1\/erasures\//);
  await desk.open("/console/users/erasures/00000000-0000-7000-8000-000000000000");
  await desk.heading("Erasure not found").waitFor();
  await desk.look("users-erasure-unknown");
});
