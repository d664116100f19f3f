// The area Notifications of the console, against the running services and stand-ins of FCM, APNs, Twilio and the DNS. The services are those of
// this test alone, because they call its stand-ins.
import { after, before } from "node:test";
import path from "node:path";
import { Dns, Twilio } from "./notify-data.mjs";
import * as notify from "./notify.mjs";
import { tap } from "./parts.mjs";
import { closeAll, openConsole, step } from "./session.mjs";
import { openStack, stopStack } from "./stack.mjs";

const { Apns, Fcm } = await import(path.join(process.env.SOURCE, "tests/support/carriers.mjs"));
const world = {};

before(async () => {
  const [fcm, apns, twilio] = await Promise.all([new Fcm().open(), new Apns().open(), new Twilio().open()]);
  const settings = { NOTIFY_FCM_BASE_URL: fcm.url, NOTIFY_FCM_TOKEN_URL: fcm.tokenUrl, NOTIFY_APNS_BASE_URL: apns.url, ...twilio.settings };
  const stack = await openStack({ fresh: true, settings });
  const acme = await stack.newTenant("walk");
  const place = acme.production;
  const desk = await openConsole(place.members.owner, "/console", { permissions: ["clipboard-read", "clipboard-write"] });
  Object.assign(world, { fcm, apns, twilio, dns: new Dns(stack.env.DNS_RECORDS), place, sandbox: acme.sandbox, desk, received: tap(desk) });
});
after(async () => {
  try {
    await closeAll();
  } finally {
    await stopStack();
    for (const server of [world.fcm?.tokenServer, world.fcm, world.apns, world.twilio]) await server?.close();
  }
});

step("pages without data invite to begin", () => notify.showEmpty(world));
step("push credentials are stored, and their secrets never come back", () => notify.storeCredentials(world));
step("a template is written with its preview, and two people do not overwrite each other", () => notify.writeTemplates(world));
step("hostile texts of templates are shown as text", () => notify.writeHostileTemplates(world));
step("a test arrives in the outbox", () => notify.sendTest(world));
step("a push moves from queued to opened while the page is open", () => notify.followDelivery(world));
step("failed notifications are sent again, and waiting ones are stopped", () => notify.repairDeliveries(world));
step("deliveries are searched, filtered and exported", () => notify.searchDeliveries(world));
step("a broadcast shows its progress and its carriers", () => notify.watchBroadcast(world));
step("a throttled broadcast is stopped", () => notify.stopBroadcast(world));
step("devices are tested and unregistered", () => notify.manageDevices(world));
step("a number that has opted out is found and removed from the list", () => notify.manageSuppressions(world));
step("a domain is verified record by record", () => notify.verifyDomain(world));
step("settings are changed, and refused credentials are replaced", () => notify.changeSettings(world));
step("the sandbox shows none of production's data", () => notify.separateEnvironments(world));
