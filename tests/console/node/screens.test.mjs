// Every screen of the console at two widths, in light and dark, with hostile data.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addressesOf, routesOfSource, screens, unknownAddresses } from "./screens.mjs";
import { fill } from "./seed.mjs";
import { closeAll, openConsole } from "./session.mjs";
import { openStack } from "./stack.mjs";

let place, data, desk;
before(async () => {
  const stack = await openStack();
  place = (await stack.newTenant(`screens-${Math.random().toString(36).slice(2, 8)}`)).production;
  data = await fill(place);
  desk = await openConsole(place.members.owner);
});
after(closeAll);

const schemes = ["light", "dark"];
const nameOf = (address) => address.replace(/[?#].*/, "").replace(/^\/console\/?/, "").replace(/[^a-z0-9]+/gi, "-").slice(0, 60) || "overview";

test("the list of screens is that of the source", () => assert.deepEqual(Object.keys(screens).sort(), routesOfSource().sort()));

for (const route of Object.keys(screens))
  test(`screen ${route}`, async () => {
    const addresses = addressesOf(data, place).filter(([of]) => of === route);
    for (const [index, [, address]] of addresses.entries()) {
      await desk.open(address);
      assert.equal(await desk.page.locator("h1").count(), 1, address);
      assert.equal(await desk.heading("Page not found").count(), 0, address);
      assert.equal(await desk.page.getByRole("alert").count(), 0, address);
      await desk.look(`screen-${nameOf(route)}${addresses.length > 1 ? `-${index}` : ""}`, { schemes });
    }
  });

test("unknown addresses lead to a notice", async () => {
  desk.allow(/^404 GET .*00000000-0000-7000-8000-000000000000/);
  for (const address of unknownAddresses) {
    await desk.open(address);
    assert.match(await desk.text(), /not found/i, address);
    await desk.look(`unknown-${nameOf(address)}`);
  }
});

test("the navigation and the account menu, at both widths", async () => {
  await desk.open("/console");
  await desk.button(/^Account and settings/).click();
  await desk.page.getByRole("menuitem", { name: "Dark" }).click();
  await desk.look("theme-dark");
  await desk.button(/^Account and settings/).click();
  await desk.page.getByRole("menuitem", { name: "As the system" }).click();
  await desk.page.setViewportSize({ width: 390, height: 844 });
  await desk.button("Open the navigation").click();
  await desk.page.getByRole("navigation", { name: "Areas" }).waitFor();
  await desk.assertClean("navigation");
  await desk.page.keyboard.press("Escape");
});
