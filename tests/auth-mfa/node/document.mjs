// Takes the screenshots of docs/tutorials/auth-mfa.md. scripts/screenshots runs it: `screenshots` is the folder for them.
import { browser, input, phone } from "./browser.mjs";
import { addAuthenticator, follow, go, open, password, submit } from "./hosted.mjs";

const email = "olga@example.com";
const page = await open("/login", { locale: "en-GB", viewport: { width: 600, height: 720 } });
const authenticator = await addAuthenticator(page);
await authenticator.respond(false); // so that the sign-in page does not use a passkey by itself
const take = (name) => page.screenshot({ path: `${input.screenshots}/auth-mfa-${name}.png` });

await take("login");
await go(page, "/register");
await submit(page, "/register", { email, password });
await go(page, "/enroll/passkey");
await page.fill('[name="name"]', "Olga's laptop");
await page.evaluate("document.activeElement.blur()");
await take("passkey");
await authenticator.respond(true);
await submit(page, "/enroll/passkey");
await page.setViewportSize(phone.viewport);
await page.emulateMedia({ colorScheme: "dark" });
await follow(page, "/account");
await take("account");
await browser.close();
