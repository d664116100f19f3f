// Opens an API reference in Chromium (argv[2] is a file with JSON {url, screenshots}). Checks that it shows
// every operation of the contract, that the search finds operations, that there are no errors, and that no
// request goes to another host.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const input = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { origin } = new URL(input.url);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});

/// Opens a page. Records its requests and errors.
async function openPage(url, viewport, colorScheme = "light") {
  const context = await browser.newContext({ viewport, colorScheme });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  page.requested = [];
  page.complaints = [];
  page.on("request", (request) => page.requested.push(request.url()));
  page.on("requestfailed", (request) => page.complaints.push(`failed: ${request.url()}`));
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) page.complaints.push(message.text());
  });
  await page.goto(url);
  return page;
}

/// Opens the API reference and waits until it shows the contract.
async function open(viewport) {
  const page = await openPage(input.url, viewport);
  await page.locator("[data-section-id]").first().waitFor();
  return page;
}

async function close(page) {
  assert.deepEqual(page.complaints, []);
  for (const url of page.requested)
    assert.ok(url === `${origin}/` || url.startsWith(`${origin}/docs`) || url.startsWith(`blob:${origin}/`) || url.startsWith("data:"), url);
  await page.context().close();
}

const page = await open({ width: 1440, height: 900 });
const contract = await page.evaluate(async () => (await fetch("docs/openapi.json")).json());
const operations = Object.values(contract.paths).flatMap((item) =>
  ["get", "put", "post", "patch", "delete"].filter((method) => method in item).map((method) => item[method]),
);
assert.ok(operations.length > 20);
assert.equal(await page.title(), `${contract.info.title} – API reference`);

// Redoc renders sections one after the other, so wait for all of them.
await page.waitForFunction(
  (count) => document.querySelectorAll('[data-section-id*="/operation/"]').length === count,
  operations.length,
);
for (const { operationId, summary, tags } of operations) {
  const section = page.locator(`[data-section-id="tag/${tags[0]}/operation/${operationId}"]`);
  assert.ok((await section.locator("h2").innerText()).includes(summary), operationId);
}
assert.equal(await page.locator("text=Something went wrong").count(), 0);
await page.screenshot({ path: `${input.screenshots}/reference-1.png` });

// Opening a 401 response shows the problem's schema, which is in another document.
const { operationId, tags } = operations.find(({ responses }) => "401" in responses);
const section = page.locator(`[data-section-id="tag/${tags[0]}/operation/${operationId}"]`);
await section.getByRole("button", { name: /^401/ }).click();
await section.getByText("requestId").first().waitFor();
await section.scrollIntoViewIfNeeded();
await page.screenshot({ path: `${input.screenshots}/reference-2.png` });

// The search, which runs in a worker, finds an operation.
const [{ summary }] = operations;
await page.locator('[role="search"] input').fill(summary);
await page.locator('[data-role="search:results"]').getByText(summary).first().waitFor();
await page.screenshot({ path: `${input.screenshots}/reference-3.png` });
await close(page);

const narrow = await open({ width: 375, height: 667 });
const width = await narrow.evaluate("document.documentElement.scrollWidth - innerWidth");
assert.ok(width <= 0, "wider than the screen of a phone");
await narrow.screenshot({ path: `${input.screenshots}/reference-4.png` });
await close(narrow);

// The front page links to the reference and the tutorial. The keyboard can follow the links.
const desktop = { width: 1440, height: 900 }, phone = { width: 375, height: 667 };
for (const [name, viewport, colorScheme] of [["desktop", desktop, "light"], ["dark", desktop, "dark"], ["phone", phone, "light"]]) {
  const front = await openPage(`${origin}/`, viewport, colorScheme);
  assert.equal(await front.locator("h1").innerText(), contract.info.title);
  assert.ok((await front.locator("main").innerText()).includes(`Version ${contract.info.version}`));
  assert.deepEqual(
    await front.locator("main ul a").evaluateAll((links) => links.map((link) => link.pathname)),
    ["/docs", "/docs/tutorial", "/docs/openapi.json"],
  );
  assert.ok((await front.evaluate("document.documentElement.scrollWidth - innerWidth")) <= 0, "wider than the screen");
  await front.screenshot({ path: `${input.screenshots}/front-${name}.png`, fullPage: true });
  await front.keyboard.press("Tab");
  await front.keyboard.press("Tab");
  await front.keyboard.press("Enter");
  await front.waitForURL(`${origin}/docs/tutorial`);
  assert.ok((await front.locator("h1").count()) === 1);
  assert.ok((await front.locator("pre").count()) > 5);
  assert.ok((await front.evaluate("document.documentElement.scrollWidth - innerWidth")) <= 0, "wider than the screen");
  await front.screenshot({ path: `${input.screenshots}/tutorial-${name}.png` });
  await close(front);
}

await browser.close();
console.log("done");
