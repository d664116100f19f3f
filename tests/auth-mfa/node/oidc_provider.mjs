// An OpenID provider (oidc-provider) with one client that uses the authorization code flow, on a free port of 127.0.0.1.
// argv[2] names a JSON file: {redirectUri, method, secret}. Prints {port, issuer}. GET /sign-in?login=SUB&url=URL
// follows URL, an authorization request, as the browser of the user SUB would, and answers with the address to which the
// provider sends the browser back.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { exportJWK, generateKeyPair } from "jose";
import { Provider } from "oidc-provider";
import { signIn } from "./provider_sign_in.mjs";

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

server.on("request", async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, issuer);
  if (pathname !== "/sign-in") return void handle(request, response);
  try {
    const [login, start] = [searchParams.get("login"), searchParams.get("url")];
    response.end(await signIn({ issuer, redirectUri, login, start }));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
console.log(JSON.stringify({ port, issuer }));
