// Calls of the client from a page of another origin than the services' (CORS).
import { assertClean, chromium } from "./site.mjs";

const call = (page, name, input) => page.evaluate(`calls.${name}(${JSON.stringify(input)})`);

export async function callServices(site) {
  const { credentials, userId, token } = await site.newUser();
  const billing = site.client("billing");
  const { productId } = await billing.createProduct({ providerProductId: "pro", name: "Pro", kind: "subscription", features: ["export"] });
  await billing.grantEntitlement(userId, { productId });
  const page = await site.open("/calls.html");
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable", { enableUI: false });
  const options = {
    protocol: "ctap2",
    transport: "internal",
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  };
  await devtools.send("WebAuthn.addVirtualAuthenticator", { options });

  // A slow network, so that there is a progress to see.
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: 4_000_000,
  });
  await call(page, "feedback", { url: site.urls.feedback, token, userId });
  const publishableKey = site.services.keys.NOTIFY_SANDBOX_PUBLISHABLE_KEY;
  await call(page, "notify", { url: site.urls.notify, token, userId, publishableKey });
  await call(page, "billing", { url: site.urls.billing, token, userId });
  await call(page, "auth", { url: site.urls["auth-mfa"], email: `new-${credentials.email}`, password: credentials.password });
  assertClean(page, site);
  await page.context().close();
}

export async function callFromElsewhere(site) {
  const page = await chromium.newPage({ extraHTTPHeaders: {} });
  await page.goto(`${site.foreign}/calls.html`);
  await call(page, "foreign", { url: site.urls.feedback });
  await page.context().close();
}
