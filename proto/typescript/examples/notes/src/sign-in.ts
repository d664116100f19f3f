// Sign-in by OpenID Connect: authorization code with PKCE, at the pages that auth-mfa hosts. openid-client speaks the protocol. Session
// keeps the tokens, refreshes them for all tabs, and gives them to the clients.
import { Session } from "@tetrad/client";
import * as oidc from "openid-client";
import { config } from "./config";

const appUrl = `${location.origin}/`;
const pendingKey = "notes:sign-in";
const idTokenKey = "notes:id-token";

let discovered: Promise<oidc.Configuration> | undefined;
/** The addresses of auth-mfa, from `/.well-known/openid-configuration`. They are read once. */
function provider(): Promise<oidc.Configuration> {
  const url = new URL(config.authUrl);
  // Only the local stack is served without TLS.
  const execute = url.protocol === "http:" ? [oidc.allowInsecureRequests] : [];
  discovered ??= oidc.discovery(url, config.clientId, undefined, oidc.None(), { execute });
  discovered.catch(() => (discovered = undefined));
  return discovered;
}

/** The refresh token belongs to the client of OpenID Connect, so it is used and revoked at the endpoints of OAuth. */
export const session = new Session({
  name: "notes",
  auth: {
    async refresh({ refreshToken }) {
      const tokens = await oidc.refreshTokenGrant(await provider(), refreshToken);
      return { accessToken: tokens.access_token, refreshToken: tokens.refresh_token ?? refreshToken, expiresIn: tokens.expires_in ?? 900 };
    },
    async logout({ refreshToken }) {
      await oidc.tokenRevocation(await provider(), refreshToken);
    },
  },
});

/** What this browser remembers of a sign-in until it comes back. */
interface Pending {
  verifier: string;
  state: string;
  nonce: string;
}

/** Sends the browser to the sign-in page. `acr_values: "aal2"` asks for a second factor: a user without one adds a passkey there. */
export async function signIn(more: { acr_values?: "aal2" } = {}): Promise<void> {
  const pending: Pending = { verifier: oidc.randomPKCECodeVerifier(), state: oidc.randomState(), nonce: oidc.randomNonce() };
  const address = oidc.buildAuthorizationUrl(await provider(), {
    redirect_uri: appUrl,
    scope: "openid email offline_access", // the last one is for a refresh token
    code_challenge: await oidc.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: "S256",
    state: pending.state,
    nonce: pending.nonce,
    ...more,
  });
  sessionStorage.setItem(pendingKey, JSON.stringify(pending));
  location.assign(address);
}

/** Ends a sign-in if the browser has just come back from auth-mfa. Returns a message for the user if the sign-in failed. */
export async function finishSignIn(): Promise<string | undefined> {
  const address = new URL(location.href);
  if (!address.searchParams.has("state")) return undefined;
  history.replaceState(null, "", "/"); // a code works once
  const text = sessionStorage.getItem(pendingKey);
  sessionStorage.removeItem(pendingKey);
  if (text === null) return undefined;
  const { verifier, state, nonce } = JSON.parse(text) as Pending;
  try {
    const tokens = await oidc.authorizationCodeGrant(await provider(), address, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    await session.end(); // of an earlier sign-in of this browser
    localStorage.setItem(idTokenKey, tokens.id_token ?? "");
    session.start({ accessToken: tokens.access_token, refreshToken: tokens.refresh_token, expiresIn: tokens.expires_in });
    return undefined;
  } catch (error) {
    if (error instanceof oidc.AuthorizationResponseError && error.error === "access_denied") return undefined; // the user cancelled
    console.error(error);
    return "The sign-in did not work. Please try again.";
  }
}

/** Signs the user out of the app in all tabs, and of auth-mfa in this browser. */
export async function signOut(): Promise<void> {
  const idToken = localStorage.getItem(idTokenKey);
  localStorage.removeItem(idTokenKey);
  await session.end();
  const parameters = { post_logout_redirect_uri: appUrl, client_id: config.clientId, ...(idToken && { id_token_hint: idToken }) };
  location.assign(oidc.buildEndSessionUrl(await provider(), parameters));
}
