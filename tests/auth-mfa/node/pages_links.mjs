// The links in emails, and what a user does in one browser that ends or keeps sign-ins in others. argv[2] names a JSON file: {origin,
// folder, now, invited}.
import assert from "node:assert/strict";
import { browser, input } from "./browser.mjs";
import {
  addApp,
  close,
  codeOf,
  enterPassword,
  errorOf,
  focused,
  follow,
  go,
  linkMailedTo,
  newEmail,
  newPassword,
  open,
  pathOf,
  register,
  says,
  signOut,
  submit,
  titleOf,
} from "./hosted.mjs";

/** Opens the link of the latest email to `address`. The page removes the token from the address bar. */
async function openLink(page, address, path) {
  const link = await linkMailedTo(address, path);
  await go(page, link);
  assert.equal(pathOf(page), path);
  return link;
}

async function isSignedIn(page) {
  await go(page, "/account");
  return pathOf(page) === "/account";
}

const [laptop, tablet] = [await open("/register"), await open("/login")];

// The address is confirmed by the button on the page, not by the link.
const email = await register(laptop);
const link = await openLink(tablet, email, "/verify-email");
await go(laptop, "/account");
await says(laptop, /is not confirmed yet/);
await submit(tablet, "/verify-email");
assert.equal(await titleOf(tablet), "Your email address is confirmed");
await go(laptop, "/account");
await says(laptop, /This address is confirmed/);
await go(tablet, link);
await submit(tablet, "/verify-email");
assert.equal(await titleOf(tablet), "This link no longer works");

// A new password ends all sign-ins.
await go(tablet, "/login");
await follow(tablet, "/reset");
assert.equal(await focused(tablet), "email");
await submit(tablet, "/reset", { email });
await says(tablet, /If there is an account/);
await openLink(tablet, email, "/reset");
assert.equal(await focused(tablet), "password");
await submit(tablet, "/reset", { password: "password" });
assert.match(await errorOf(tablet, "password"), /easy to guess|breach/);
await submit(tablet, "/reset", { password: newPassword });
assert.equal(pathOf(tablet), "/login?notice=reset");
assert.equal(await isSignedIn(laptop), false);
await enterPassword(laptop, email);
await says(laptop, /is wrong/);
for (const page of [laptop, tablet]) {
  await enterPassword(page, email, newPassword);
  assert.equal(pathOf(page), "/account");
}

// One browser signs the other one out.
await go(laptop, "/account");
await says(laptop, /This browser.*Sign out everywhere else/);
await submit(laptop, "/account/sessions/end");
assert.equal(await isSignedIn(tablet), false);
assert.equal(await isSignedIn(laptop), true);

// Another address, and back.
const newAddress = newEmail();
await follow(laptop, "/account/email");
await submit(laptop, "/account/email", { newEmail: newAddress });
await says(laptop, /Check the inbox of the new address/);
await openLink(laptop, newAddress, "/confirm-email");
await submit(laptop, "/confirm-email");
await says(laptop, new RegExp(`sign in with ${newAddress}`));
await follow(laptop, "/account");
await says(laptop, new RegExp(`Signed in as ${newAddress}`));
await openLink(tablet, email, "/revert-email");
await submit(tablet, "/revert-email");
await says(tablet, new RegExp(`uses ${email} again`));
assert.equal(await isSignedIn(laptop), false);
await enterPassword(laptop, newAddress, newPassword);
await says(laptop, /is wrong/);
await enterPassword(laptop, email, newPassword);
assert.equal(pathOf(laptop), "/account");

// A trusted browser needs the second step no more, until it is forgotten.
const { secret } = await addApp(laptop);
await signOut(laptop);
await enterPassword(laptop, email, newPassword);
await laptop.check('[name="trust"]');
await submit(laptop, "/login/verify", { code: codeOf(secret) });
await signOut(laptop);
await enterPassword(laptop, email, newPassword);
assert.equal(pathOf(laptop), "/account");
await says(laptop, /Trusted browsers.*Chrome \(Linux\).*Trusted until/);
await enterPassword(tablet, email, newPassword);
assert.equal(pathOf(tablet), "/login/verify");
await submit(laptop, "/account/devices/forget");
await signOut(laptop);
await enterPassword(laptop, email, newPassword);
assert.equal(pathOf(laptop), "/login/verify");
await submit(laptop, "/login/verify", { code: codeOf(secret, 1) });

// The account's end
await follow(laptop, "/account/delete");
await submit(laptop, "/account/delete", { email: newAddress });
assert.match(await errorOf(laptop, "email"), /not the email address of your account/);
await submit(laptop, "/account/delete", { email });
assert.equal(pathOf(laptop), "/login?notice=deleted");
await enterPassword(laptop, email, newPassword);
await says(laptop, /is wrong/);

// An invitation
await openLink(tablet, input.invited, "/invite");
await says(tablet, /You are invited to/);
await submit(tablet, "/invite", { password: newPassword });
assert.equal(pathOf(tablet), "/account");
await says(tablet, new RegExp(`Signed in as ${input.invited}.*This address is confirmed`));

for (const page of [laptop, tablet]) await close(page);
await browser.close();
console.log("done");
