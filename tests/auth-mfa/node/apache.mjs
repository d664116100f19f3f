// Tests Apache httpd with mod_auth_openidc as a confidential client in front of static pages. argv[2]: see relying_party.mjs;
// it also has `ports`, which are free.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { PlainBrowser, request } from "./plain_browser.mjs";
import { input, newClient, passPages, register, signIn, signOut, signedOutUri } from "./relying_party.mjs";

const { user } = input;
const modules = "/usr/lib/apache2/modules";
const folder = mkdtempSync(`${tmpdir()}/tetrad-apache-`);
chmodSync(folder, 0o755); // Apache's processes run as www-data
mkdirSync(`${folder}/pages/app/staff`, { recursive: true });
writeFileSync(`${folder}/pages/app/index.html`, "the page of the app");
writeFileSync(`${folder}/pages/app/staff/index.html`, "the page of the staff");
writeFileSync(`${folder}/pages/bye.html`, "signed out");
let apache;
process.on("exit", () => {
  apache?.kill();
  rmSync(folder, { recursive: true });
});

/** Starts Apache at the address `site` with these lines in its configuration. */
async function startApache(site, lines) {
  const loaded = ["mpm_event", "authn_core", "authz_core", "authz_user", "dir", "auth_openidc"];
  const configuration = `
ServerRoot ${folder}
ServerName localhost
DefaultRuntimeDir ${folder}
PidFile ${folder}/pid
Listen 127.0.0.1:${new URL(site).port}
${loaded.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`).join("\n")}
User www-data
Group www-data
ErrorLog ${folder}/errors
LogLevel warn auth_openidc:info
DocumentRoot ${folder}/pages
DirectoryIndex index.html
OIDCProviderMetadataURL ${input.origin}/.well-known/openid-configuration
OIDCRedirectURI ${site}/app/callback
OIDCCryptoPassphrase a-passphrase-of-this-test
OIDCPKCEMethod S256
OIDCRemoteUserClaim sub
OIDCInfoHook access_token id_token userinfo
${lines.join("\n")}
<Location /app>
  AuthType openid-connect
  Require valid-user
</Location>
<Location /app/staff>
  Require claim email:staff@example.com
</Location>
`;
  writeFileSync(`${folder}/apache.conf`, configuration);
  const started = ["--pdeathsig", "TERM", "/usr/sbin/apache2", "-f", `${folder}/apache.conf`, "-DFOREGROUND"];
  apache = spawn("setpriv", started, { stdio: "inherit" });
  for (let tries = 0; tries < 300; ++tries) {
    assert.equal(apache.exitCode, null, "Apache does not start");
    const answer = await request(`${site}/bye.html`).catch(() => undefined);
    if (answer?.status === 200) return;
    await sleep(100);
  }
  throw new Error("Apache does not answer");
}

async function stopApache() {
  const ended = new Promise((done) => apache.on("exit", done));
  apache.kill();
  await ended;
  apache = undefined;
}

/** A client with this authentication at the token endpoint. Returns its address and its lines of Apache's configuration. */
async function newSite(method, { idTokenSigningAlg = "RS256", scope, ...fields }) {
  const site = `http://localhost:${input.ports.pop()}`;
  const { clientId, secret } = await register({
    name: method,
    redirectUris: [`${site}/app/callback`],
    postLogoutRedirectUris: [`${site}/bye.html`],
    backchannelLogoutUri: `${site.replace("localhost", "127.0.0.1")}/app/callback?logout=backchannel`,
    idTokenSigningAlg,
    ...fields,
  });
  const lines = [
    `OIDCClientID ${clientId}`,
    // Without the public key, version 2.4.12 crashes. Both keys must precede `private_key_jwt`.
    ...(secret
      ? [`OIDCClientSecret ${secret}`]
      : [`OIDCPrivateKeyFiles apache#${folder}/key.pem`, `OIDCPublicKeyFiles apache#${folder}/public.pem`]),
    `OIDCProviderTokenEndpointAuth ${method}`,
    `OIDCIDTokenSignedResponseAlg ${idTokenSigningAlg}`,
    `OIDCScope "${scope}"`,
  ];
  return { site, lines };
}

/** Opens a page of the app, and signs in. Returns the page. */
async function openPage(browser, site, path = "/app/") {
  const asked = await browser.open(`${site}${path}`, { until: `${site}/app/callback` });
  return browser.open(await passPages(browser, asked, user, `${site}/app/callback`));
}

/** What Apache knows about the session: {access_token, id_token, userinfo}. */
async function infoOf(browser, site) {
  const { status, body } = await browser.open(`${site}/app/callback?info=json`);
  return status === 200 ? JSON.parse(body) : undefined;
}

async function signInAndOut(method, options) {
  const { site, lines } = await newSite(method, options);
  await startApache(site, lines);
  const browser = new PlainBrowser();
  assert.equal((await openPage(browser, site)).body, "the page of the app");
  const info = await infoOf(browser, site);
  assert.deepEqual([info.id_token.sub, info.userinfo.sub], [user.userId, user.userId]);
  assert.equal(info.userinfo.email, user.email);
  assert.notEqual((await browser.open(`${site}/app/staff/`)).status, 200); // by a claim

  const logout = `${site}/app/callback?logout=${encodeURIComponent(`${site}/bye.html`)}`;
  let page = await browser.open(logout, { until: `${site}/bye.html` });
  if (page.body !== undefined) page = await browser.submit(page, {});
  else page = await browser.open(page.url);
  assert.deepEqual([page.url, page.body], [`${site}/bye.html`, "signed out"]);
  const asked = await browser.open(`${site}/app/`);
  assert.ok(PlainBrowser.fieldsOf(asked, "email", "password"), asked.url);
  await stopApache();
}

/** Another app of the same browser signs out. The provider tells Apache, which ends its own session. */
async function endByBackchannel() {
  const { site, lines } = await newSite("client_secret_basic", { scope: "openid email" });
  await startApache(site, lines);
  const browser = new PlainBrowser();
  await openPage(browser, site);
  assert.ok(await infoOf(browser, site));
  const other = await newClient();
  const tokens = await signIn(other, browser, user, { scope: "openid" });
  await signOut(other, browser, { id_token_hint: tokens.id_token, post_logout_redirect_uri: signedOutUri });
  for (let tries = 0; (await infoOf(browser, site)) !== undefined; ++tries) {
    assert.ok(tries < 300, "Apache was not told");
    await sleep(100);
  }
  await stopApache();
}

/** Apache refreshes the access token when the app asks. */
async function refreshTokens() {
  const { site, lines } = await newSite("client_secret_post", { scope: "openid offline_access" });
  await startApache(site, lines);
  const browser = new PlainBrowser();
  await openPage(browser, site);
  const { access_token: before } = await infoOf(browser, site);
  const query = new URLSearchParams({ refresh: `${site}/app/`, access_token: before });
  const page = await browser.open(`${site}/app/callback?${query}`);
  assert.deepEqual([page.url, page.body], [`${site}/app/`, "the page of the app"]);
  assert.notEqual((await infoOf(browser, site)).access_token, before);
  await stopApache();
}

try {
  await signInAndOut("client_secret_basic", { scope: "openid email" });
  await signInAndOut("client_secret_post", { scope: "openid email", idTokenSigningAlg: "ES256" });
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const publicKey = createPublicKey(privateKey);
  writeFileSync(`${folder}/key.pem`, privateKey.export({ type: "pkcs8", format: "pem" }));
  writeFileSync(`${folder}/public.pem`, publicKey.export({ type: "spki", format: "pem" }));
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: "apache", use: "sig", alg: "RS256" };
  await signInAndOut("private_key_jwt", { scope: "openid email", jwks: { keys: [jwk] } });
  await endByBackchannel();
  await refreshTokens();
} catch (failure) {
  console.error(readFileSync(`${folder}/errors`, "utf8"));
  throw failure;
}
console.log("done");
