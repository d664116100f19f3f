// The main story of each service: the TypeScript client (proto/typescript) calls the running services, and each request and response is
// compared with the contract.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { authMfa } from "./auth_mfa.js";
import { billing } from "./billing.js";
import { count, uncalled } from "./coverage.js";
import { feedback } from "./feedback.js";
import { notify } from "./notify.js";
import { World, type Name } from "./world.js";

const stories: Record<string, (world: World) => Promise<void>> = { feedback, "auth-mfa": authMfa, notify, billing };
let world: World | undefined;

before(async () => {
  world = await World.start();
});
after(() => world?.stop());

for (const [name, story] of Object.entries(stories)) test(name, () => story(world!));

for (const name of Object.keys(stories))
  test(`${name}: every operation has succeeded at least once`, () => assert.deepEqual(world!.contracts[name as Name].unused(), []));

test("every method of the TypeScript client was called", () => {
  assert.ok(count > 200);
  assert.deepEqual(uncalled(), []);
});
