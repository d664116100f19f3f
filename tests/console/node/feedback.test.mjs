// Staff in the area Feedback. The steps depend on each other.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { fillFeedback } from "./seed.mjs";
import { closeAll, openConsole, step } from "./session.mjs";
import { collected, eventually, hostile, localhostFetch, openStack } from "./stack.mjs";

let place, threads, desk, page;
before(async () => {
  const stack = await openStack();
  place = (await stack.newTenant(`feedback-${Math.random().toString(36).slice(2, 8)}`)).production;
  threads = await fillFeedback(place);
});
after(closeAll);

const row = (text) => page.getByRole("table", { name: "Feedback" }).getByRole("row").filter({ hasText: text });
const titles = async () => (await page.locator(".table-body .row-link").allInnerTexts()).map((text) => text.trim());
const filter = () => [...new URL(page.url()).searchParams].map(([name, value]) => `${name}=${value}`).sort().join("&");
const thread = (name) => place.feedback.getFeedback(threads[name].feedbackId);
const openThread = (name) => desk.open(`/console/feedback/${threads[name].feedbackId}`);
const composer = () => page.getByRole("region", { name: "Write a reply" });
const mended = "Mended in 4.2. Thank you!";

step("the inbox shows the texts of users as text", async () => {
  desk = await openConsole(place.members.owner, "/console/feedback");
  page = desk.page;
  await row(hostile.html).first().waitFor();
  assert.ok((await titles()).includes(threads.html.title));
  await desk.look("feedback-inbox", { schemes: ["light", "dark"] });
});

step("views narrow the inbox, and own views are kept in the browser", async () => {
  const views = page.getByRole("navigation", { name: "Views" });
  await views.getByRole("link", { name: "Urgent", exact: true }).click();
  await eventually(async () => (await titles()).every((title) => [threads.html, threads.rtl, threads.dark].some((one) => one.title === title)));
  assert.equal(filter(), "priority=critical,high");

  await page.getByRole("button", { name: /^Category/ }).click();
  await page.getByRole("menuitemcheckbox", { name: "Bug" }).click();
  await page.keyboard.press("Escape");
  await eventually(async () => (await titles()).join() === threads.html.title);
  const narrowed = filter();
  await desk.button("Save this view").click();
  await desk.dialog().getByLabel("Name").fill(hostile.html);
  await desk.look("feedback-save-view");
  await desk.button("Save").click();
  const own = views.getByRole("link", { name: hostile.html });
  await own.waitFor();

  await desk.open("/console/feedback");
  await own.click();
  await eventually(() => filter() === narrowed);
  await desk.button(`Remove the view “${hostile.html}”`).click();
  await own.waitFor({ state: "detached" });
  await views.getByRole("link", { name: "All", exact: true }).click();
  await row(threads.resolved.title).waitFor();
});

step("the search marks what it has found", async () => {
  await desk.open("/console/feedback");
  await page.getByRole("searchbox", { name: "Search titles, texts and replies" }).fill("dark mode");
  await eventually(async () => (await titles()).length === 2);
  assert.ok((await page.locator(".table-body mark").allInnerTexts()).some((text) => /dark/i.test(text)));
  await desk.look("feedback-search");
  await page.getByRole("searchbox").fill("there is no such text");
  await desk.heading("No thread matches").waitFor();
  await desk.button("Clear filters").first().click();
  await row(hostile.html).first().waitFor();
});

step("the keyboard moves, selects, opens and goes back", async () => {
  await desk.open("/console/feedback");
  const all = await titles();
  const active = async () => (await page.locator(".table-body [aria-current] .row-link").innerText()).trim();
  for (const [key, expected] of [["j", all[0]], ["j", all[1]], ["ArrowDown", all[2]], ["k", all[1]]]) {
    await page.keyboard.press(key);
    await eventually(async () => (await active()) === expected);
  }
  await page.keyboard.press("x");
  await page.getByText("1 thread selected").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("1 thread selected").waitFor({ state: "detached" });
  await page.keyboard.press("/");
  await eventually(() => page.getByRole("searchbox").evaluate((field) => field === document.activeElement));
  await page.getByRole("searchbox").blur();
  await page.keyboard.press("?");
  await desk.heading("Keyboard shortcuts").waitFor();
  await desk.look("feedback-shortcuts");
  await page.keyboard.press("Escape");
  await desk.dialog().waitFor({ state: "detached" });
  await page.keyboard.press("Enter");
  await eventually(async () => (await page.locator("h1").innerText()).trim() === all[1]);
  await page.keyboard.press("j");
  await eventually(async () => (await page.locator("h1").innerText()).trim() === all[2]);
  await page.keyboard.press("u");
  await desk.heading("Feedback").waitFor();
});

step("a thread shows the conversation, files, and facts as text", async () => {
  await openThread("html");
  await page.getByRole("article", { name: "First post" }).getByText(hostile.script).waitFor();
  await page.locator(".feedback-note", { hasText: hostile.script }).waitFor();
  await page.locator(".feedback-tag", { hasText: hostile.formula }).waitFor();
  await desk.button("Show all").first().waitFor();
  await desk.look("feedback-thread", { schemes: ["light", "dark"] });
  await desk.button("Show all").first().click();
  await desk.look("feedback-thread-unfolded", { axe: false });
});

step("staff reply with the keyboard, and the user can read it", async () => {
  await openThread("dark");
  await page.keyboard.press("r");
  await page.keyboard.type(`${mended} ${hostile.emoji}`);
  await page.keyboard.press("Control+Enter");
  await page.locator(".feedback-staff", { hasText: mended }).waitFor();
  await desk.message("The reply was sent");
  const user = place.client("feedback", await place.members.user.token());
  assert.deepEqual((await collected(user.listReplies(threads.dark.feedbackId))).map(({ body }) => body), [`${mended} ${hostile.emoji}`]);
});

step("an internal note is for staff only, and a draft survives a reload", async () => {
  await composer().getByRole("textbox").blur();
  await page.keyboard.press("n");
  const note = `Third request this week. ${hostile.html}`;
  await page.keyboard.type(note);
  await eventually(() => page.evaluate((text) => Object.values(sessionStorage).some((value) => value.includes(text)), note));
  await page.reload();
  await desk.settled();
  assert.ok(await composer().getByRole("radio", { name: "Internal note" }).isChecked()); // a note does not become a reply
  assert.equal(await composer().getByRole("textbox").inputValue(), note);
  await desk.button("Save note").click();
  await page.locator(".feedback-note", { hasText: note }).waitFor();
  await desk.message("The note was saved");
  const user = place.client("feedback", await place.members.user.token());
  assert.equal((await collected(user.listReplies(threads.dark.feedbackId))).length, 1);
  assert.equal((await collected(place.feedback.listReplies(threads.dark.feedbackId))).at(-1).internal, true);
});

step("files are uploaded with a reply, and downloaded", async () => {
  const content = Buffer.from("name,total\nAda,42\n");
  const chooseFiles = async (...files) => {
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), desk.button("Add files").click()]);
    await chooser.setFiles(files);
  };
  await chooseFiles({ name: "virus.exe", mimeType: "application/x-msdownload", buffer: content }, { name: "=total مرحبا 𝕬.csv", mimeType: "text/csv", buffer: content });
  await composer().getByText("Files of this type are not accepted").waitFor();
  await desk.button("Remove virus.exe").click();
  await composer().getByRole("radio", { name: "Reply to the user" }).check({ force: true });
  await composer().getByRole("textbox").fill("The table, as a file.");
  await desk.look("feedback-composer");
  await desk.button("Send reply").click();
  const reply = page.locator(".feedback-staff", { hasText: "The table, as a file." });
  const file = await desk.download(() => reply.getByRole("button", { name: /^Download / }).click());
  assert.equal(file.name, "=total مرحبا 𝕬.csv");
  assert.deepEqual(file.content, content);
  await desk.message("The reply was sent");
});

step("threads are assigned to a colleague and to oneself", async () => {
  const { admin, owner } = place.members;
  await desk.choose(/Assignee/, admin.email);
  await eventually(async () => (await thread("dark")).assigneeId === admin.userId);
  await desk.button("Assign to me").click();
  await eventually(async () => (await thread("dark")).assigneeId === owner.userId);
  await page.getByPlaceholder("Add a tag").fill(hostile.rtl);
  await page.keyboard.press("Enter");
  await eventually(async () => (await thread("dark")).tags.includes(hostile.rtl));
  await desk.choose(/Priority$/, "Critical");
  await eventually(async () => (await thread("dark")).priority === "critical");
});

const select = (name) => page.getByRole("checkbox", { name: `Select “${threads[name].title}”` }).press("Space");

step("selected threads are moved together, and those that cannot be changed are named", async () => {
  await desk.open("/console/feedback?status=all");
  for (const name of ["emoji", "formula", "merged"]) await select(name);
  await page.getByText("3 threads selected").waitFor();
  await desk.look("feedback-bulk");
  await desk.pick("Status", "In progress", page.getByRole("toolbar", { name: "Change the selected threads" }));
  await desk.heading("1 thread was not changed").waitFor();
  await desk.dialog().getByText("The thread is deleted or merged").waitFor();
  await desk.look("feedback-bulk-failures");
  await desk.dialog().getByRole("button", { name: "Close" }).click();
  await desk.message("2 threads changed");
  for (const name of ["emoji", "formula"]) assert.equal((await thread(name)).status, "in-progress");
});

step("two selected threads are merged, the newer into the older", async () => {
  await desk.open("/console/feedback?status=all");
  const top = (name) => page.getByRole("link", { name: threads[name].title, exact: true }).evaluate((link) => link.getBoundingClientRect().top);
  const before = await top("dark");
  for (const name of ["dark", "twin"]) await select(name);
  assert.equal(await top("dark"), before); // no row moves below the pointer
  await desk.button("Merge").click();
  await desk.dialog().getByText(threads.twin.title).waitFor();
  const chosen = desk.dialog().getByRole("option", { name: threads.dark.title });
  assert.equal(await chosen.getAttribute("aria-selected"), "true");
  await desk.look("feedback-merge-selected");
  await desk.dialog().getByRole("button", { name: "Cancel" }).click();
});

step("a duplicate is merged into a suggested thread", async () => {
  await openThread("twin");
  await desk.button("Merge").click();
  const suggestion = desk.dialog().getByRole("option", { name: threads.dark.title });
  await suggestion.click();
  await desk.look("feedback-merge");
  await desk.dialog().getByRole("button", { name: "Merge", exact: true }).click();
  await eventually(async () => (await page.locator("h1").innerText()).trim() === threads.dark.title);
  assert.equal((await thread("twin")).mergedInto, threads.dark.feedbackId);
  await desk.message("The threads are merged");
  await openThread("twin");
  await page.getByText("Another thread continues this one").waitFor();
  assert.equal(await composer().count(), 0);
  await desk.look("feedback-merged");
});

step("voters are listed", async () => {
  await openThread("dark");
  await page.locator(".feedback-votes").click();
  await desk.dialog().getByText(hostile.html).waitFor();
  await desk.look("feedback-voters");
  await page.keyboard.press("Escape");
});

step("the board's settings have a preview, and the board follows them", async () => {
  await desk.open("/console/feedback/board");
  const preview = page.getByRole("complementary", { name: "Preview" });
  const name = page.getByRole("textbox", { name: "Name", exact: true });
  await name.fill(`Ideas ${hostile.emoji}`);
  await preview.getByText(`Ideas ${hostile.emoji}`).waitFor();
  const colour = page.getByRole("textbox", { name: "Colour", exact: true });
  await colour.fill("red");
  desk.allow(/^400 PATCH .*\/v1\/settings$/);
  await desk.button("Save").click();
  await page.getByText("The settings were not saved").waitFor();
  assert.match(await page.locator(".notice-request code").innerText(), /^[\w-]+$/);
  await desk.look("feedback-board-refused");
  await colour.fill("#0f766e");
  await eventually(() => preview.locator(".feedback-preview-page").evaluate((element) => getComputedStyle(element).getPropertyValue("--preview").trim() === "#0f766e"));
  await desk.button("Save").click();
  await desk.message("Saved");
  const { boardName, boardColor } = await place.feedback.getSettings();
  assert.deepEqual([boardName, boardColor], [`Ideas ${hostile.emoji}`, "#0f766e"]);

  const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==", "base64");
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), desk.button("Upload a logo").click()]);
  await chooser.setFiles({ name: "logo.png", mimeType: "image/png", buffer: png });
  await desk.message("The logo was saved");
  await page.getByText("PNG, 1 × 1 pixels").waitFor();
  await desk.look("feedback-board", { schemes: ["light", "dark"] });
  await eventually(async () => (await (await localhostFetch(new Request(`${place.url("feedback")}/board`))).text()).includes(`Ideas ${hostile.emoji}`));
});

step("statistics are charts and tables with the same values", async () => {
  await desk.open("/console/feedback/statistics");
  const chart = page.getByRole("figure", { name: "Time to the first response" });
  await chart.locator("canvas").waitFor();
  await desk.look("feedback-statistics", { schemes: ["light", "dark"] });
  await chart.getByRole("button", { name: "Show as table" }).click();
  assert.equal(await chart.getByRole("row").count(), 9);
  await desk.look("feedback-statistics-table");
  await page.getByText("12 months", { exact: true }).click();
  await chart.getByRole("button", { name: "Show as table" }).click();
  await eventually(async () => (await chart.getByRole("row").count()) === 13);
});

step("exports begin no cell with a formula", async () => {
  await desk.open("/console/feedback?status=all");
  for (const entry of ["Threads (CSV)", "Threads and replies (CSV)"]) {
    const { name, content } = await desk.download(() => desk.pick("More actions", entry));
    assert.equal(name, "feedback.csv");
    const csv = content.toString();
    assert.ok(csv.includes(`"'=HYPERLINK(""https://evil.example"",""Open"") ${place.mark}"`), csv.slice(0, 500));
    assert.doesNotMatch(csv, /(^|,|\n)"?[=+@]/);
  }
  const { content } = await desk.download(() => desk.pick("More actions", "Threads and replies (NDJSON)"));
  assert.ok(content.toString().trim().split("\n").map((line) => JSON.parse(line)).some(({ title }) => title === threads.html.title));
});

step("a refused change is undone and shown, and errors name the request", async () => {
  const suspend = async (status) => {
    await place.stack.client("feedback", "admin").putTenant(place.slug, { displayName: place.slug, status });
    const staff = place.client("feedback", desk.token);
    await eventually(async () => (await staff.getSettings().then(() => "active", ({ code }) => code)) === (status === "active" ? "active" : "TENANT_SUSPENDED"));
  };
  await openThread("rtl");
  desk.allow(/^403 .*\/v1\//);
  await suspend("suspended");
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await page.route("**/v1/feedbacks/*", async (route) => {
    if (route.request().method() === "PATCH") await released;
    await route.continue();
  });
  await desk.button("Resolve").click();
  const status = page.locator(".page-description .badge").first();
  await eventually(async () => (await status.innerText()) === "Resolved"); // before the service has answered
  release();
  const message = await desk.message("The thread was not changed");
  assert.match(message, /Request\s+\S{8,}/);
  await eventually(async () => (await status.innerText()) === "Open");
  await page.unroute("**/v1/feedbacks/*");

  await desk.open("/console/feedback");
  const notice = page.getByRole("alert").filter({ hasText: "You may not do this" }).first();
  assert.match(await notice.locator(".notice-request").innerText(), /Request\s+\S{8,}/);
  await desk.look("feedback-error");
  await suspend("active");
  await notice.getByRole("button", { name: "Try again" }).click();
  await row(hostile.html).first().waitFor();
  assert.equal((await thread("rtl")).status, "open");
});

step("an unknown thread is not found", async () => {
  desk.allow(/^404 GET .*\/v1\/feedbacks\//);
  await desk.open("/console/feedback/00000000-0000-7000-8000-000000000000");
  await desk.heading("Thread not found").waitFor();
  await desk.look("feedback-unknown");
});
