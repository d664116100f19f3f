// An OpenID provider (oidc-provider) with one client that uses the authorization code flow, on a free port of 127.0.0.1.
// argv[2] names a JSON file: {redirectUri, method, secret}. Prints {port, issuer}. GET /sign-in?login=SUB&url=URL
// follows URL, an authorization request, as the browser of the user SUB would, and answers with the address to which the
// provider sends the browser back.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { exportJWK, generateKeyPair } from "jose";
import { Provider } from "oidc-provider";

const { redirectUri, method, secret } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const people = {
  rita: { sub: "rita", email: "rita@example.com", email_verified: true },
  uma: { sub: "uma", email: "uma@example.com", email_verified: false },
};

const server = createServer();
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address();
const issuer = `http://127.0.0.1:${port}`;
const { privateKey } = await generateKeyPair("RS256", { extractable: true });
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: "tetrad",
      ...(secret && { client_secret: secret }),
      redirect_uris: [redirectUri],
      response_types: ["code"],
      grant_types: ["authorization_code"],
      token_endpoint_auth_method: method,
    },
  ],
  jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: "RS256", use: "sig", kid: "rs256" }] },
  pkce: { required: () => true },
  claims: { openid: ["sub"], email: ["email", "email_verified"] }, // as a default: the email is at the userinfo endpoint
  cookies: { keys: ["of this process alone"] },
  findAccount: (_, id) => ({ accountId: id, claims: () => people[id] }),
});
const handle = provider.callback();

/// Follows redirects, keeps cookies, and fills in the forms of login and consent.
async function signIn(login, start) {
  const jar = new Map();
  const visit = async (url, form) => {
    const response = await fetch(new URL(url, issuer), {
      method: form ? "POST" : "GET",
      body: form && new URLSearchParams(form),
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") },
      redirect: "manual",
    });
    // Debian's fetch has no getSetCookie(). It joins the headers with commas, and dates contain commas too.
    for (const cookie of (response.headers.get("set-cookie") ?? "").split(/, (?=[^;, ]+=)/)) {
      const [name, value] = cookie.split(";")[0].split(/=(.*)/s);
      if (value) jar.set(name, value);
      else jar.delete(name);
    }
    return response;
  };
  let url = start;
  for (let step = 0; step < 12; ++step) {
    const response = await visit(url);
    const next = response.headers.get("location");
    if (next?.startsWith(redirectUri)) return next;
    if (next) {
      url = next;
      continue;
    }
    const page = await response.text();
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    if (!prompt) throw new Error(`${url}: ${response.status} ${page}`);
    url = (await visit(url, { prompt, login, password: "any" })).headers.get("location");
  }
  throw new Error("the sign-in did not end within 12 steps");
}

server.on("request", async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, issuer);
  if (pathname !== "/sign-in") return void handle(request, response);
  try {
    response.end(await signIn(searchParams.get("login"), searchParams.get("url")));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
console.log(JSON.stringify({ port, issuer }));
