import type { TokenProvider } from "@tetrad/client";
import { readClaims, standingOf, type Claims, type Standing } from "./claims.ts";
import { finishSignIn, isCallback, leaveToSignIn, renew, SignInError, signOutUrl, type SignInRequest, type Tokens } from "./oauth.ts";

/** State of the sign-in. `ended`: the session has ended while the page is open; its content stays until the user signs in again. */
export type SessionState =
  | { status: "loading" }
  | { status: "signed-out" }
  | { status: "failed"; error: unknown }
  | { status: "signed-in" | "ended"; claims: Claims; standing: Standing };

/** A token is renewed when fewer seconds of its lifetime remain. */
const marginSeconds = 60;
const signedOutKey = "tetrad.console.signedOut";

/** The sign-in of this tab. The tokens are only in this object. */
export class ConsoleSession {
  #state: SessionState = { status: "loading" };
  #tokens: Tokens | undefined;
  #renewal: Promise<string | undefined> | undefined;
  /** Counts the ends of the session. A renewal that began before one has no effect. */
  #ends = 0;
  readonly #listeners = new Set<() => void>();
  /** Tells the other tabs about a sign-out. */
  readonly #tabs = new BroadcastChannel("tetrad.console.session");

  constructor() {
    this.#tabs.onmessage = ({ data }) => {
      if (data === "signed-out") this.#end();
    };
    // The browser can bring back this page with its data, for example after a sign-out.
    addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
  }

  get state(): SessionState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Ends a sign-in that returns, or renews the session of the browser. Without one, the browser leaves for the sign-in. */
  async start(): Promise<void> {
    const here = new URL(location.href);
    try {
      if (isCallback(here)) {
        const { tokens, path } = await finishSignIn(here);
        history.replaceState(null, "", path);
        this.#take(tokens);
        return;
      }
      if (here.pathname === "/console/callback") history.replaceState(null, "", "/console");
      this.#take(await renew());
    } catch (error) {
      if (!isCallback(here) && needsSignIn(error)) {
        if (sessionStorage.getItem(signedOutKey) !== null) this.#set({ status: "signed-out" });
        else await this.signIn().catch((failure: unknown) => this.#set({ status: "failed", error: failure }));
        return;
      }
      if (isCallback(here)) history.replaceState(null, "", "/console");
      if (error instanceof SignInError && error.code === "access_denied") this.#set({ status: "signed-out" });
      else this.#set({ status: "failed", error });
    }
  }

  /** Leaves the page for the sign-in and returns to the current address. */
  async signIn(request: SignInRequest = {}): Promise<void> {
    sessionStorage.removeItem(signedOutKey);
    await leaveToSignIn(location.pathname + location.search + location.hash, request);
  }

  /** Signs out the browser, and so all tabs. Forgets unsent texts of this tab. */
  async signOut(): Promise<void> {
    const url = await signOutUrl(this.#tokens?.idToken);
    sessionStorage.clear();
    sessionStorage.setItem(signedOutKey, "1");
    this.#tabs.postMessage("signed-out");
    location.assign(url);
  }

  /** Uses the token of a step-up. */
  replaceAccessToken(accessToken: string): void {
    this.#take({ accessToken, idToken: this.#tokens?.idToken });
  }

  /** The token for the next request of the clients. */
  readonly tokenProvider: TokenProvider = ({ rejected }) => {
    const token = this.#tokens?.accessToken;
    if (token === undefined) return undefined;
    const expiring = readClaims(token).exp - Date.now() / 1000 < marginSeconds;
    return expiring || token === rejected ? this.#renewed(token) : token;
  };

  /** All requests that need a new token wait for one renewal. If the network fails, the old token is used until its end. */
  #renewed(old: string): Promise<string | undefined> {
    const ends = this.#ends;
    this.#renewal ??= renew()
      .then((tokens) => (ends === this.#ends && this.#take(tokens) ? tokens.accessToken : undefined))
      .catch((error: unknown) => {
        if (!needsSignIn(error)) return old;
        this.#end();
        return undefined;
      })
      .finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  /** Returns false if the tokens are those of another account. It must not see what the previous one has loaded, and must not send its requests. */
  #take(tokens: Tokens): boolean {
    const claims = readClaims(tokens.accessToken);
    const before = this.#state;
    if ((before.status === "signed-in" || before.status === "ended") && before.claims.sub !== claims.sub) {
      this.#end();
      location.reload();
      return false;
    }
    this.#tokens = tokens;
    this.#set({ status: "signed-in", claims, standing: standingOf(claims) });
    return true;
  }

  #end(): void {
    this.#ends += 1;
    this.#tokens = undefined;
    if (this.#state.status === "signed-in") this.#set({ ...this.#state, status: "ended" });
  }

  #set(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

const needsSignIn = (error: unknown): boolean =>
  error instanceof SignInError && ["login_required", "interaction_required", "consent_required", "account_selection_required"].includes(error.code);
