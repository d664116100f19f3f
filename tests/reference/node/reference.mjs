// Opens an API reference in Chromium (argv[2]: JSON {url, screenshots}): every operation of the contract is there to be read and
// found, nothing goes wrong, and no request leaves the host.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const input = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { origin } = new URL(input.url);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});

/// The page once it shows the contract, with everything it asked for and complained about.
async function open(viewport) {
  const context = await browser.newContext({ viewport });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  page.requested = [];
  page.complaints = [];
  page.on("request", (request) => page.requested.push(request.url()));
  page.on("requestfailed", (request) => page.complaints.push(`failed: ${request.url()}`));
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") page.complaints.push(message.text());
  });
  await page.goto(input.url);
  await page.locator("[data-section-id]").first().waitFor();
  return page;
}

async function close(page) {
  assert.deepEqual(page.complaints, []);
  for (const url of page.requested)
    assert.ok(url.startsWith(`${origin}/docs`) || url.startsWith(`blob:${origin}/`) || url.startsWith("data:"), url);
  await page.context().close();
}

const page = await open({ width: 1440, height: 900 });
const contract = await page.evaluate(async () => (await fetch("docs/openapi.json")).json());
const operations = Object.values(contract.paths).flatMap((item) =>
  ["get", "put", "post", "patch", "delete"].filter((method) => method in item).map((method) => item[method]),
);
assert.ok(operations.length > 20);
assert.equal(await page.title(), `${contract.info.title} – API reference`);

// Sections are drawn as there is time for them.
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

// A problem's schema, which stands in another document, is shown when it is asked for.
const { operationId, tags } = operations.find(({ responses }) => "401" in responses);
const section = page.locator(`[data-section-id="tag/${tags[0]}/operation/${operationId}"]`);
await section.getByRole("button", { name: /^401/ }).click();
await section.getByText("requestId").first().waitFor();
await section.scrollIntoViewIfNeeded();
await page.screenshot({ path: `${input.screenshots}/reference-2.png` });

// What is searched for is found, by a worker.
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

await browser.close();
console.log("done");
