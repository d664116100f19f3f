// An OpenID provider (oidc-provider) on a free port of 127.0.0.1. Signs in every user of `people`, as a browser would,
// and prints {issuer, jwksUrl, tokens} with their id tokens. Then the provider serves its keys until it is killed.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { exportJWK, generateKeyPair } from "jose";
import { Provider } from "oidc-provider";
import { signIn } from "./provider_sign_in.mjs";

const people = {
  rs256: { client: "rs256", sub: "rita", email: "rita@example.com", email_verified: true },
  es256: { client: "es256", sub: "emil", email: "emil@example.com", email_verified: true },
  again: { client: "rs256", sub: "rita", email: "rita@example.com", email_verified: true },
  taken: { client: "rs256", sub: "tom", email: "taken@example.com", email_verified: true },
  unverified: { client: "rs256", sub: "uma", email: "uma@example.com", email_verified: false },
  elsewhere: { client: "stranger", sub: "rita", email: "rita@example.com", email_verified: true },
};
const redirectUri = "https://app.example.com/callback";

const jwk = async (alg) => {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg, use: "sig", kid: alg };
};
const clientOf = (id, alg) => ({
  client_id: id,
  redirect_uris: [redirectUri],
  response_types: ["id_token"],
  grant_types: ["implicit"],
  token_endpoint_auth_method: "none",
  id_token_signed_response_alg: alg,
});

const server = createServer();
server.listen(0, "127.0.0.1");
await once(server, "listening");
const issuer = `http://127.0.0.1:${server.address().port}`;
const provider = new Provider(issuer, {
  clients: [clientOf("rs256", "RS256"), clientOf("es256", "ES256"), clientOf("stranger", "RS256")],
  jwks: { keys: [await jwk("RS256"), await jwk("ES256")] },
  responseTypes: ["id_token"],
  claims: { openid: ["sub"], email: ["email", "email_verified"] },
  cookies: { keys: ["of this process alone"] },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ ...Object.values(people).find((person) => person.sub === id), client: undefined }),
  }),
});
server.on("request", provider.callback());

/// The id token that the provider gives the client for the user.
async function tokenOf({ client, sub }) {
  const query = {
    client_id: client,
    redirect_uri: redirectUri,
    response_type: "id_token",
    scope: "openid email",
    nonce: randomUUID(), // so that no two tokens are equal
  };
  const end = await signIn({ issuer, redirectUri, login: sub, start: `/auth?${new URLSearchParams(query)}` });
  return new URLSearchParams(new URL(end).hash.slice(1)).get("id_token");
}

const tokens = {};
for (const [name, person] of Object.entries(people)) tokens[name] = await tokenOf(person);
console.log(JSON.stringify({ issuer, jwksUrl: `${issuer}/jwks`, tokens }));
