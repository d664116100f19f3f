// Takes the screenshots of docs/console.md and README.md. scripts/screenshots runs it. argv[2] is a JSON text: {screenshots}, the folder for the
// images. The other settings are as in stack.mjs. Starts the services with stand-ins of the push providers, and stops them.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { browser, input, newPage } from "./browser.mjs";
import { ageAccount, devices, fillTeapots, startBroadcast } from "./document-data.mjs";
import { fillInSignIn, openConsole } from "./session.mjs";
import { eventually, openStack, stopStack } from "./stack.mjs";

const size = { width: 1440, height: 900 };

/** Stand-ins of FCM and APNs that take their time, so that the broadcast can be seen at work. */
async function startCarriers() {
  const way = { answer: "accept", delay: 90 };
  const child = spawn(process.execPath, [path.join(process.env.SOURCE, "tests/support/carrier_server.mjs"), JSON.stringify({ fcm: { streams: 60, way }, apns: { streams: 60, way } })], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface(child.stdout), "line");
  return { ...JSON.parse(line), stop: () => child.kill() };
}

/** The user adds a passkey on the phone. */
async function addPasskey(member) {
  const page = await newPage({ userAgent: "Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36", extraHTTPHeaders: { "X-Forwarded-For": "198.51.100.7" } });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable", { enableUI: false });
  const options = { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
  await devtools.send("WebAuthn.addVirtualAuthenticator", { options });
  await page.goto(`${member.place.origin}/login`);
  await fillInSignIn(page, member);
  await page.goto(`${member.place.origin}/enroll/passkey`);
  await page.fill('[name="name"]', "Pixel 9");
  await Promise.all([page.waitForNavigation(), page.locator('form[action="/enroll/passkey"] button[type="submit"]').click()]);
  await page.locator("#codes").waitFor();
  await page.context().close();
}

async function takeAll(stack) {
  const { place, people, threads } = await fillTeapots(stack);
  await addPasskey(people.lena);
  ageAccount(people.lena);
  const desk = await openConsole(people.ann, "/console/feedback", { size });
  const { page } = desk;
  const devtools = await page.context().newCDPSession(page); // Playwright itself writes no WebP
  const take = async (name) => {
    await page.mouse.move(0, 0);
    await page.evaluate("document.activeElement.blur()");
    const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality: 85 });
    writeFileSync(`${input.screenshots}/console-${name}.webp`, data, "base64");
  };
  await take("inbox");
  await desk.open(`/console/feedback/${threads["Sync stops when the phone is locked"]}`);
  await take("thread");
  await desk.open(`/console/users/${people.lena.userId}`);
  await take("user");
  await desk.open("/console/billing");
  await take("revenue");
  await desk.open(`/console/billing/users/${people.lena.userId}`);
  await take("timeline");

  const broadcastId = await startBroadcast(place);
  await page.goto(`${place.origin}/console/notify/broadcasts/${broadcastId}`);
  const wanted = 0.64 * Object.values(devices).reduce((sum, count) => sum + count, 0);
  await eventually(async () => {
    const { sentCount, failedCount, invalidTokenCount } = await place.notify.getBroadcast(broadcastId);
    return sentCount + failedCount + invalidTokenCount > wanted;
  });
  await page.getByText(/left$/).waitFor();
  await take("broadcast");
  await desk.close();
}

const carriers = await startCarriers();
try {
  const stack = await openStack({
    fresh: true,
    settings: { TRUSTED_PROXIES: "127.0.0.0/8", NOTIFY_FCM_BASE_URL: carriers.fcm.url, NOTIFY_FCM_TOKEN_URL: carriers.fcm.tokenUrl, NOTIFY_APNS_BASE_URL: carriers.apns.url },
  });
  await takeAll(stack);
} finally {
  await browser.close();
  await stopStack();
  carriers.stop();
}
assert.ok(input.screenshots);
