import * as oauth from "oauth4webapi";

const client: oauth.Client = { client_id: "tetrad-console" };
const flowKey = "tetrad.console.flow";
const scope = "openid email profile";
const redirectUri = `${location.origin}/console/callback`;
/** All requests of the page wait for a renewal, so it must end on a connection that is dead. */
const limit = (): AbortSignal => AbortSignal.timeout(15_000);
/** Local installations have no TLS. */
const options = { [oauth.allowInsecureRequests]: location.protocol === "http:", signal: limit };

/** The tokens of a sign-in. There is no refresh token. */
export interface Tokens {
  accessToken: string;
  idToken: string | undefined;
}

/** Parameters of OpenID Connect that the console adds to an authorization request. */
export interface SignInRequest {
  prompt?: "login" | "select_account";
  max_age?: string;
  acr_values?: "aal2";
  login_hint?: string;
  ui_locales?: string;
}

/** A sign-in that waits for the browser to return. It is kept in the session storage of the tab. */
interface Flow {
  verifier: string;
  state: string;
  nonce: string;
  /** Where the user was. */
  path: string;
}

/** The error of an authorization response, for example `login_required`. */
export class SignInError extends Error {
  override name = "SignInError";
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

let discovered: Promise<oauth.AuthorizationServer> | undefined;

function server(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(location.origin);
  discovered ??= oauth
    .discoveryRequest(issuer, options)
    .then((response) => oauth.processDiscoveryResponse(issuer, response))
    .catch((error: unknown) => {
      discovered = undefined;
      throw error;
    });
  return discovered;
}

function newFlow(path: string): Flow {
  return { verifier: oauth.generateRandomCodeVerifier(), state: oauth.generateRandomState(), nonce: oauth.generateRandomNonce(), path };
}

async function authorizationUrl(flow: Flow, more: Record<string, string | undefined>): Promise<URL> {
  const url = new URL((await server()).authorization_endpoint!);
  const parameters = {
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: "code",
    scope,
    state: flow.state,
    nonce: flow.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(flow.verifier),
    code_challenge_method: "S256",
    ...more,
  };
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

async function redeem(callback: URL, flow: Flow): Promise<Tokens> {
  const as = await server();
  try {
    const parameters = oauth.validateAuthResponse(as, client, callback, flow.state);
    const response = await oauth.authorizationCodeGrantRequest(as, client, oauth.None(), parameters, redirectUri, flow.verifier, options);
    const result = await oauth.processAuthorizationCodeResponse(as, client, response, { expectedNonce: flow.nonce, requireIdToken: true });
    return { accessToken: result.access_token, idToken: result.id_token };
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) throw new SignInError(error.error, error.error_description ?? error.error);
    throw error;
  }
}

/**
 * Asks for tokens without showing a page (`prompt=none`). The page and the authorization endpoint have one origin, so `fetch` follows the
 * redirect to the callback, whose address has the code. Rejects with `SignInError` `login_required` if the browser has no session.
 */
export async function renew(): Promise<Tokens> {
  const flow = newFlow("");
  const url = await authorizationUrl(flow, { prompt: "none" });
  const response = await fetch(url, { credentials: "same-origin", cache: "no-store", headers: { Accept: "text/html" }, signal: limit() });
  await response.body?.cancel();
  const final = new URL(response.url);
  if (!isCallback(final)) throw new SignInError(`HTTP_${response.status}`, `The sign-in could not be renewed (status ${response.status}).`);
  return redeem(final, flow);
}

/** Leaves the page for the sign-in. The browser returns to `/console/callback`. */
export async function leaveToSignIn(path: string, request: SignInRequest): Promise<void> {
  const flow = newFlow(path);
  const url = await authorizationUrl(flow, { ...request });
  sessionStorage.setItem(flowKey, JSON.stringify(flow));
  location.assign(url);
}

export const isCallback = (url: URL): boolean => url.pathname === "/console/callback" && (url.searchParams.has("code") || url.searchParams.has("error"));

/** Ends the sign-in for which the browser has returned. A flow is used once. */
export async function finishSignIn(callback: URL): Promise<{ tokens: Tokens; path: string }> {
  const stored = sessionStorage.getItem(flowKey);
  sessionStorage.removeItem(flowKey);
  if (!stored) throw new SignInError("flow_unknown", "This tab has not started the sign-in.");
  const flow = JSON.parse(stored) as Flow;
  return { tokens: await redeem(callback, flow), path: flow.path };
}

/** The address of the sign-out of the browser's session. The browser returns to `/console`. */
export async function signOutUrl(idToken: string | undefined): Promise<URL> {
  const url = new URL((await server()).end_session_endpoint!);
  url.searchParams.set("client_id", client.client_id);
  url.searchParams.set("post_logout_redirect_uri", `${location.origin}/console`);
  if (idToken) url.searchParams.set("id_token_hint", idToken);
  return url;
}
