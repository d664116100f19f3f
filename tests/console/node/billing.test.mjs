// The area Billing of the console, against the running services and the stand-ins of RevenueCat and Stripe (scripts/standins.mjs).
import { after, before } from "node:test";
import { Providers } from "./billing-data.mjs";
import * as billing from "./billing.mjs";
import { tap } from "./parts.mjs";
import { closeAll, openConsole, step } from "./session.mjs";
import { openStack } from "./stack.mjs";

const world = { secrets: {}, products: {} };

before(async () => {
  const stack = await openStack();
  const acme = await stack.newTenant(`billing-${Math.random().toString(36).slice(2, 8)}`);
  const place = acme.production;
  const desk = await openConsole(place.members.owner, "/console", { permissions: ["clipboard-read", "clipboard-write"] });
  Object.assign(world, { place, sandbox: acme.sandbox, desk, providers: new Providers(stack.env), received: tap(desk) });
});
after(closeAll);

step("pages without data say what to do", () => billing.showEmpty(world));
step("secrets of the providers are stored, and never come back", () => billing.storeSecrets(world));
step("rules of access are changed, but not over the changes of others", () => billing.changeRules(world));
step("products are created, changed and deleted", () => billing.manageProducts(world));
step("the chart of a user agrees with the service, and its marks lead to the events", () => billing.readTimeline(world));
step("users with hostile identifiers are shown as text", () => billing.readHostileUsers(world));
step("a card subscription is explained", () => billing.receivePayments(world));
step("access is granted and revoked", () => billing.grantAndRevoke(world));
step("users are synced with the providers", () => billing.syncUsers(world));
step("a backfill shows its progress", () => billing.backfill(world));
step("events are searched, read and replayed", () => billing.searchEvents(world));
step("subscribers are filtered and exported", () => billing.listSubscribers(world));
step("revenue, trials and churn agree with the service", () => billing.readStatistics(world));
step("the sandbox shows none of production's data", () => billing.separateEnvironments(world));
