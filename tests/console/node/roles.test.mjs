// What each role sees, and that neither tenants nor environments see data of each other.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { passTime } from "./parts.mjs";
import { addressesOf } from "./screens.mjs";
import { fill } from "./seed.mjs";
import { closeAll, fillInSignIn, narrow, openConsole, step, wide } from "./session.mjs";
import { openStack, serviceNames } from "./stack.mjs";

let acme, rival, places;
const data = new Map();
const desks = new Map();
before(async () => {
  ({ acme, rival } = await (await openStack()).newTenants("roles"));
  places = [acme.production, acme.sandbox, rival.production];
  for (const place of places) data.set(place, await fill(place));
});
after(closeAll);

const statusOf = (call) => Promise.resolve(call).then(() => 200, ({ status }) => status);
/** The names of the buttons that a page shows, and of the entries of its menu "Actions". */
async function actionsOf({ page, button }) {
  const found = await page.getByRole("main").getByRole("button").allInnerTexts();
  if ((await button("Actions").count()) > 0) {
    await button("Actions").click();
    found.push(...(await page.getByRole("menuitem").allInnerTexts()));
    await page.keyboard.press("Escape");
  }
  return found.map((text) => text.trim());
}

/** Actions that the API allows to owners only, by the names of their buttons and entries. */
const ownerActions = ["Invite user", "Change", "Change role", "Send again", "Send invitation again", "Withdraw invitation", "End all", "End all sessions", "Disable account", "Enable account"];

/** What pages show to an admin instead of a part for owners. */
const ownerNotices = ["Owners manage the keys of Accounts", "Only owners see and change these origins."];

step("a user without a staff role gets a notice and no data", async () => {
  const { user } = acme.production.members;
  const desk = await openConsole(user, "/console/users");
  await desk.heading("The console is for staff").waitFor();
  await desk.look("gate-not-staff", { bar: false, schemes: ["light", "dark"] });
  assert.deepEqual(desk.page.requested.filter((url) => new URL(url).pathname.startsWith("/v1/")), []);
  assert.equal(await desk.page.getByRole("navigation").count(), 0);

  const token = await user.token();
  const [feedback, auth, notify, billing] = serviceNames.map((service) => acme.production.client(service, token));
  const calls = {
    listMembers: () => auth.listMembers(),
    getMember: () => auth.getMember(acme.production.members.owner.userId),
    listErasures: () => auth.listErasures(),
    getSettings: () => auth.getSettings(),
    getStats: () => feedback.getStats(),
    exportFeedbacks: () => feedback.exportFeedbacks({ format: "csv" }).response(),
    updateSettings: () => feedback.updateSettings({ publicBoard: false }),
    eraseUser: () => feedback.eraseUser(user.userId),
    listNotifications: () => notify.listNotifications(),
    listTemplates: () => notify.listTemplates(),
    listDevices: () => notify.listDevices({ userId: user.userId }),
    listPlatforms: () => notify.listPlatforms(),
    listSubscribers: () => billing.listSubscribers(),
    listEvents: () => billing.listEvents(),
    getBillingSettings: () => billing.getSettings(),
    listKeys: () => billing.listKeys(),
  };
  for (const [name, call] of Object.entries(calls)) assert.equal(await statusOf(call()), 403, name);
  await desk.close();
});

step("staff without a second factor set one up first", async () => {
  const place = acme.production;
  const member = await place.newMember("admin", `new@${place.mark}.example`, { totp: false });
  const desk = await openConsole(member, "/console/users");
  const { page } = desk;
  await desk.heading("A second factor is needed").waitFor();
  await desk.look("gate-second-factor", { bar: false });
  assert.deepEqual(page.requested.filter((url) => new URL(url).pathname.startsWith("/v1/")), []);
  await desk.button("Continue").click();
  await page.locator('a[href^="/enroll/totp"]').click();
  await page.locator('form[action="/enroll/totp"] button[type="submit"]').click();
  member.secret = await page.locator("#secret").getAttribute("data-text");
  await page.locator('[name="code"]').fill(await member.code());
  await page.locator('form[action="/enroll/totp/code"] button[type="submit"]').click();
  await page.locator("#codes").waitFor();
  await page.getByRole("link", { name: "Continue" }).click();
  const confirmation = page.locator('form[action="/account/confirm"]', { has: page.locator('[name="code"]') });
  await confirmation.locator('[name="code"]').fill(await member.code());
  await confirmation.locator('button[type="submit"]').click();
  await desk.heading("Users").waitFor();
  assert.equal(new URL(page.url()).pathname, "/console/users");
  await desk.settled();
  await desk.close();
});

step("an admin sees no action of an owner on any page, and no request is refused", async () => {
  const place = acme.production;
  const seen = { owner: new Set(), admin: new Set() };
  for (const role of ["owner", "admin"]) {
    const desk = await openConsole(place.members[role]);
    desks.set(place.members[role], desk);
    for (const [, address] of addressesOf(data.get(place), place)) {
      await desk.open(address);
      for (const action of await actionsOf(desk)) seen[role].add(action);
      const text = await desk.text();
      for (const notice of ownerNotices) if (text.includes(notice)) seen[role].add(notice);
    }
    await desk.assertClean(role);
  }
  assert.deepEqual(ownerActions.filter((action) => !seen.owner.has(action)), [], "unknown names");
  assert.deepEqual(ownerActions.filter((action) => seen.admin.has(action)), []);
  assert.deepEqual(ownerNotices.map((notice) => [seen.owner.has(notice), seen.admin.has(notice)]), ownerNotices.map(() => [false, true]));

  const auth = place.client("auth", desks.get(place.members.admin).token);
  const { userId } = place.members.user;
  const calls = {
    createMember: () => auth.createMember({ email: `x@${place.mark}.example`, invite: true }),
    updateMember: () => auth.updateMember(userId, { status: "disabled" }),
    endMemberSessions: () => auth.endMemberSessions(userId),
    deleteOwner: () => auth.deleteMember(place.members.owner.userId),
    createClient: () => auth.createClient({ name: "x", type: "public", redirectUris: ["https://x.example/"] }),
    mintKey: () => auth.mintKey({ environment: "production" }),
    updateSettings: () => auth.updateSettings({ brand: "x" }),
  };
  for (const [name, call] of Object.entries(calls)) assert.equal(await statusOf(call()), 403, name);
});

step("every page shows the data of its own environment only, below the bar that names the environment", async () => {
  const secrets = (place) => [place.mark, ...Object.values(place.members).map(({ email }) => email), place.members.user.userId];
  for (const place of places) {
    const { owner } = place.members;
    const desk = desks.get(owner) ?? (await openConsole(owner));
    desks.set(owner, desk);
    const others = places.filter((one) => one !== place).flatMap(secrets);
    let own = 0;
    for (const [, address] of addressesOf(data.get(place), place)) {
      await desk.open(address);
      const text = await desk.page.locator("html").evaluate((element) => element.outerHTML);
      assert.deepEqual(others.filter((secret) => text.includes(secret)), [], address);
      if (text.includes(place.mark)) own += 1;
      for (const size of [narrow, wide]) {
        await desk.page.setViewportSize(size);
        await desk.assertBar(`${address}, ${size.width} px`);
      }
    }
    assert.ok(own > 20, `${own} pages with data of ${place.label}`);
    await desk.assertClean(place.label);
  }
});

step("identifiers of another tenant or environment lead to no data", async () => {
  const desk = desks.get(acme.production.members.owner);
  desk.allow(/^404 GET /);
  for (const place of [acme.sandbox, rival.production]) {
    for (const [route, address] of addressesOf(data.get(place), place)) {
      // Both environments of a tenant share the templates.
      if (!route.includes(":id") || (route.includes("templates") && place.slug === acme.slug)) continue;
      await desk.open(address);
      const text = await desk.page.locator("html").evaluate((element) => element.outerHTML);
      assert.ok(!text.includes(place.mark), address);
    }
    const { token } = desk;
    const [feedback, auth, notify, billing] = serviceNames.map((service) => place.client(service, token));
    for (const call of [() => auth.listMembers(), () => feedback.listFeedbacks(), () => notify.listNotifications(), () => billing.listEvents()]) assert.equal(await statusOf(call()), 401);
  }
});

step("the switch of the environment leads to the other one, where staff sign in with another account", async () => {
  const desk = await openConsole(acme.production.members.owner, `/console/feedback/${data.get(acme.production).threads.html.feedbackId}`);
  const { page } = desk;
  await desk.assertClean("production");
  await desk.link("Open sandbox").click();
  await fillInSignIn(page, acme.sandbox.members.owner);
  await page.waitForURL(`${acme.sandbox.origin}/console/feedback`); // without the identifier
  desk.place = acme.sandbox;
  page.requested.length = 0;
  await desk.settled();
  await page.locator(".table-body").getByText(acme.sandbox.mark).first().waitFor();
  await desk.look("sandbox-inbox", { schemes: ["light", "dark"] });
  assert.equal(await page.getByText(acme.production.mark).count(), 0);
  await desk.link("Open production").click();
  await page.waitForURL(`${acme.production.origin}/console/feedback`);
  desk.place = acme.production;
  page.requested.length = 0;
  await page.locator(".table-body").getByText(acme.production.mark).first().waitFor();
  await desk.assertBar("back in production");
});

step("after another account has signed in, a page sends no request of the previous one with its token", async () => {
  const place = rival.production;
  const { owner, admin } = place.members;
  const { feedbackId } = data.get(place).threads.dark;
  await (await openConsole(admin)).close();
  const desk = await openConsole(owner, `/console/feedback/${feedbackId}`);
  const { page } = desk;
  const written = [];
  page.on("request", (request) => request.method() === "PATCH" && written.push(request.url()));
  await page.context().clearCookies();
  await page.context().addCookies(admin.storageState.cookies);
  await passTime(desk, 14.5); // the token has to be renewed
  await desk.button("Assign to me").first().click();
  await page.waitForEvent("load");
  await desk.settled();
  await page.locator(".account-email", { hasText: admin.email }).waitFor();
  assert.deepEqual(written, []);
  assert.equal((await place.feedback.getFeedback(feedbackId)).assigneeId, null);
  await desk.close();
});

step("a sign-out ends the console in all tabs", async () => {
  const desk = await openConsole(acme.sandbox.members.admin, "/console/users", { signIn: true });
  const second = await desk.page.context().newPage();
  await second.goto(`${acme.sandbox.origin}/console/feedback`);
  await second.getByRole("heading", { name: "Feedback" }).waitFor();
  await desk.button(/^Account and settings/).click();
  await desk.page.getByRole("menuitem", { name: "Sign out" }).click();
  await desk.heading("You are signed out").waitFor();
  await second.getByRole("dialog", { name: "Your session has ended" }).waitFor();
  await second.close();
  await desk.look("gate-signed-out", { bar: false });
});
