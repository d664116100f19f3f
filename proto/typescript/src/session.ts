import { Auth } from "./auth.js";
import type { ClientOptions, TokenProvider } from "./client.js";
import { ConnectionError } from "./errors.js";

/** The tokens in the responses of `register`, `login`, `verifyChallenge` and the other operations that sign a user in. */
export interface SessionTokens {
  accessToken?: string | undefined;
  refreshToken?: string | undefined;
  /** Lifetime of the access token in seconds. */
  expiresIn?: number | undefined;
}

/** The user of a session: the claims of the access token that stay the same when it is refreshed. */
export interface SessionUser {
  /** Identifier of the user. */
  readonly sub: string;
  /** Identifier of the session. */
  readonly sid?: string;
  readonly tenant?: string;
  readonly env?: "production" | "sandbox";
  readonly role?: "user" | "admin" | "owner";
  readonly email?: string;
  readonly email_verified?: boolean;
  /** When the user last presented a credential, in seconds since 1970. */
  readonly auth_time?: number;
  /** `aal2` if a second factor was used, otherwise `aal1`. */
  readonly acr?: "aal1" | "aal2";
  readonly amr?: readonly string[];
  readonly [claim: string]: unknown;
}

/** Keeps the tokens as text. `localStorage` and `sessionStorage` are such storages. */
export interface SessionStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/**
 * The operations that a session needs. {@link Auth} has them. Another object with them can take its place, for example one that
 * sends the refresh token to a backend, or one that uses a library for OpenID Connect. If `refresh` rejects with an error whose member
 * `status` is 400 or 401, as that of `ApiError`, the session ends.
 */
export interface SessionAuth {
  refresh(
    body: { refreshToken: string },
    options?: { timeoutMs?: number },
  ): PromiseLike<{ accessToken: string; refreshToken: string; expiresIn: number }>;
  logout(body: { refreshToken: string }, options?: { timeoutMs?: number }): PromiseLike<unknown>;
}

/** Options of {@link Session}. */
export interface SessionOptions {
  /**
   * The client of auth-mfa, or the options of a new one. A client that gets its tokens from this session may be used too, because
   * `refresh` and `logout` send no access token.
   */
  auth: SessionAuth | ClientOptions;
  /**
   * Where the tokens are kept. `local` (default): `localStorage`, so that all tabs share the sign-in and it survives a reload. If the
   * browser refuses it, and outside browsers: memory. `memory`: only in this object, until the page is closed.
   */
  storage?: "local" | "memory" | SessionStorage;
  /**
   * Distinguishes several sessions of one origin. Default: `session`. The key in the storage and the name of the Web Lock are
   * `tetrad:` and this name.
   */
  name?: string;
}

interface Stored {
  accessToken: string;
  refreshToken: string;
  /** When the access token expires by the clock of this machine, in milliseconds since 1970. */
  expiresAt: number;
}

/** An access token is refreshed when its remaining lifetime falls below this. */
const margin = 30_000;
/** A refresh token works a second time only within 10 seconds (operation `refresh`). No attempt starts later than this. */
const repeatable = 8_000;
/** Time limit of one attempt to refresh or to log out. */
const timeoutMs = 5_000;
/** Waits between attempts to refresh. */
const delays = [500, 1_500];
/** Tabs wait at most this long for another tab's refresh. A browser may have stopped that tab. */
const longestWait = 20_000;
/** A tab keeps the lock this long after it has stored tokens, because other tabs see a write to `localStorage` some time later. */
const afterWrite = 100;
/** A tab that has waited for the lock waits up to this long until it sees the write of the tab before it. */
const untilSeen = 1_000;

const sleep = (ms: number): Promise<void> => new Promise((go) => setTimeout(go, ms));

class MemoryStorage implements SessionStorage {
  readonly #values = new Map<string, string>();
  getItem(key: string): string | null {
    return this.#values.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.#values.set(key, value);
  }
  removeItem(key: string): void {
    this.#values.delete(key);
  }
}

function openStorage(wanted: "local" | "memory" | SessionStorage, key: string): SessionStorage {
  if (typeof wanted === "object") return wanted;
  if (wanted === "memory" || typeof document === "undefined") return new MemoryStorage();
  try {
    const local = globalThis.localStorage;
    // Some browsers show a storage that refuses all writes.
    const probe = `${key}:probe`;
    local.setItem(probe, "1");
    local.removeItem(probe);
    return local;
  } catch {
    return new MemoryStorage();
  }
}

/** The claims of a JWT; null if the text is none. The token came from auth-mfa over TLS, so its signature is not checked. */
function claimsOf(token: string): Record<string, unknown> | null {
  try {
    const payload = token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === "object" && claims !== null && !Array.isArray(claims) ? (claims as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** The claims without those of the single token. */
function userOf(token: string): SessionUser | null {
  const claims = claimsOf(token);
  if (typeof claims?.["sub"] !== "string") return null;
  const { exp: _exp, iat: _iat, nbf: _nbf, jti: _jti, ...user } = claims;
  return user as unknown as SessionUser;
}

/** The HTTP status of an error. Errors of other libraries, such as openid-client, have it too; 0 for other errors. */
const statusOf = (error: unknown): number =>
  error instanceof Error && "status" in error && typeof error.status === "number" ? error.status : 0;
const isTransient = (error: unknown): boolean => error instanceof ConnectionError || statusOf(error) === 429 || statusOf(error) >= 500;
/** Whether the service will never accept this refresh token. */
const isRefusal = (error: unknown): boolean => statusOf(error) === 400 || statusOf(error) === 401;

const isOffline = (): boolean => typeof navigator !== "undefined" && navigator.onLine === false;

/**
 * The sign-in of a user: keeps the tokens, refreshes the access token 30 seconds before it expires, and gives it to the clients. All
 * tabs of an origin share it.
 *
 * One tab at a time refreshes (Web Locks), and the other tabs take its tokens from the storage. If auth-mfa refuses the refresh token
 * (401), all tabs are signed out. A network error signs out no tab.
 *
 * @example
 * ```ts
 * const auth = new Auth({ baseUrl: "https://acme.auth.example.com" });
 * const session = new Session({ auth });
 * session.start(await auth.login({ email, password }));
 * const feedback = new Feedback({ baseUrl: "https://acme.feedback.example.com", tokenProvider: session.tokenProvider });
 * ```
 */
export class Session {
  readonly #auth: SessionAuth;
  readonly #storage: SessionStorage;
  readonly #shared: boolean;
  readonly #key: string;
  readonly #listeners = new Set<() => void>();
  #text: string | null = null;
  #stored: Stored | null = null;
  #user: SessionUser | null = null;
  #told: SessionUser | null = null;
  #refreshing: Promise<Stored | null> | undefined;

  constructor({ auth, storage = "local", name = "session" }: SessionOptions) {
    this.#auth = "refresh" in auth ? auth : new Auth(auth);
    this.#key = `tetrad:${name}`;
    this.#storage = openStorage(storage, this.#key);
    this.#shared = !(this.#storage instanceof MemoryStorage);
  }

  /**
   * The user, or null if no user is signed in. The object stays the same until a claim changes. The claims are for display only:
   * services check the token themselves.
   */
  get user(): SessionUser | null {
    this.#read();
    return this.#user;
  }

  /**
   * Signs a user in with the tokens of a response. A previous session is forgotten, but not ended at auth-mfa. The response of
   * `reauthenticate` has no refresh token: its access token replaces that of the session.
   *
   * Returns false, and changes nothing, if the response has no tokens: `register` returns none while the tenant requires a verified
   * email.
   */
  start({ accessToken, refreshToken = this.#read()?.refreshToken, expiresIn }: SessionTokens): boolean {
    if (accessToken === undefined || refreshToken === undefined) return false;
    this.#write({ accessToken, refreshToken, expiresAt: Date.now() + (expiresIn ?? 900) * 1000 });
    this.#tell();
    return true;
  }

  /**
   * Returns the access token, after a refresh if it is about to expire or was rejected; undefined if no user is signed in. Pass this
   * function to a client as `tokenProvider`.
   *
   * @throws ConnectionError or ApiError if the token has expired and cannot be refreshed now. The session stays.
   */
  readonly tokenProvider: TokenProvider = async ({ rejected }) => {
    const stored = this.#read();
    if (stored === null) return undefined;
    if (rejected !== stored.accessToken && this.#isFresh(stored)) return stored.accessToken;
    try {
      return (await this.#refresh(stored.accessToken))?.accessToken;
    } catch (error) {
      // Before its end the token is still of use.
      if (rejected !== stored.accessToken && stored.expiresAt > Date.now()) return stored.accessToken;
      throw error;
    }
  };

  /**
   * Calls the listener after each sign-in, each sign-out and each change of the user's claims, in this tab or another one.
   * Returns a function that ends this.
   */
  subscribe(listener: () => void): () => void {
    const own = (): void => listener();
    if (this.#listeners.size === 0) {
      this.#told = this.user;
      if (this.#shared && typeof addEventListener === "function") addEventListener("storage", this.#onStorage);
    }
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size === 0 && typeof removeEventListener === "function") removeEventListener("storage", this.#onStorage);
    };
  }

  /**
   * Signs the user out: at once in all tabs, then at auth-mfa. If auth-mfa cannot be reached, the tokens are forgotten all the same, and
   * the session at auth-mfa ends when the refresh token expires. Never rejects.
   */
  async end(): Promise<void> {
    const stored = this.#read();
    if (stored === null) return;
    this.#forget();
    try {
      await this.#auth.logout({ refreshToken: stored.refreshToken }, { timeoutMs });
    } catch {
      // The tokens are forgotten, so there is nothing to repeat with.
    }
  }

  readonly #onStorage = (event: StorageEvent): void => {
    // `key` is null after `clear()`.
    if (event.key === null || event.key === this.#key) this.#tell();
  };

  /** Tells the listeners if the user has changed since they were last told. */
  #tell(): void {
    const user = this.user;
    if (user === this.#told) return;
    this.#told = user;
    for (const listener of [...this.#listeners]) {
      try {
        listener();
      } catch (error) {
        // As for event listeners: one error must not keep the tokens from the others.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  #isFresh(stored: Stored): boolean {
    return stored.expiresAt - margin > Date.now();
  }

  /** The tokens in the storage, which another tab may have changed. */
  #read(): Stored | null {
    const text = this.#storage.getItem(this.#key);
    if (text === this.#text) return this.#stored;
    this.#text = text;
    this.#stored = parse(text);
    const user = this.#stored && userOf(this.#stored.accessToken);
    if (JSON.stringify(user) !== JSON.stringify(this.#user)) this.#user = user;
    return this.#stored;
  }

  #write(stored: Stored): void {
    this.#storage.setItem(this.#key, JSON.stringify(stored));
  }

  #forget(): void {
    this.#storage.removeItem(this.#key);
    this.#tell();
  }

  /** Replaces the tokens, of which this access token is one. Returns the current tokens, or null if the session has ended. */
  #refresh(accessToken: string): Promise<Stored | null> {
    this.#refreshing ??= this.#withLock((hasWaited) => this.#renew(accessToken, hasWaited)).finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  /** Runs the function while no other tab runs one. It is told whether another tab had the lock. */
  async #withLock<T>(run: (hasWaited: boolean) => Promise<T>): Promise<T> {
    const locks = typeof navigator === "undefined" ? undefined : navigator.locks;
    if (!this.#shared || locks === undefined) return run(false);
    return new Promise<T>((resolve, reject) => {
      const locked = async (hasWaited: boolean): Promise<void> => {
        await run(hasWaited).then(resolve, reject);
        await sleep(afterWrite);
      };
      void locks
        .request(this.#key, { ifAvailable: true }, async (lock) => {
          if (lock === null) return false;
          await locked(false);
          return true;
        })
        .then((isDone) => isDone || locks.request(this.#key, { signal: AbortSignal.timeout(longestWait) }, () => locked(true)))
        .catch(() => run(true).then(resolve, reject));
    });
  }

  /** Waits until this tab sees other tokens than these in the storage, for a limited time. */
  async #otherTokens(accessToken: string): Promise<void> {
    for (const end = Date.now() + untilSeen; this.#read()?.accessToken === accessToken && Date.now() < end; ) await sleep(20);
  }

  async #renew(accessToken: string, hasWaited: boolean): Promise<Stored | null> {
    if (hasWaited) await this.#otherTokens(accessToken);
    const before = this.#read();
    if (before === null) return null;
    // Another tab has refreshed, or a user has signed in, in the meantime.
    if (before.accessToken !== accessToken && this.#isFresh(before)) return before;
    try {
      const tokens = await this.#request(before.refreshToken);
      // The user may have signed out, or signed in again, during the request.
      if (this.#read()?.refreshToken === before.refreshToken) this.#write({ ...tokens, expiresAt: Date.now() + tokens.expiresIn * 1000 });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (this.#read()?.refreshToken === before.refreshToken) this.#forget();
    }
    this.#tell();
    return this.#read();
  }

  /** Calls `refresh`, and repeats it after transient errors while the refresh token can be used again. */
  async #request(refreshToken: string): Promise<{ accessToken: string; refreshToken: string; expiresIn: number }> {
    const end = Date.now() + repeatable;
    for (let attempt = 0; ; ++attempt) {
      try {
        const { accessToken, refreshToken: next, expiresIn } = await this.#auth.refresh({ refreshToken }, { timeoutMs });
        return { accessToken, refreshToken: next, expiresIn };
      } catch (error) {
        const delay = delays[attempt];
        if (delay === undefined || !isTransient(error) || isOffline() || Date.now() + delay > end) throw error;
        await sleep(delay);
      }
    }
  }
}

/** The tokens in a text of the storage; null if it holds none. */
function parse(text: string | null): Stored | null {
  try {
    const { accessToken, refreshToken, expiresAt } = JSON.parse(text ?? "null") as Stored;
    const valid = typeof accessToken === "string" && typeof refreshToken === "string" && typeof expiresAt === "number";
    return valid ? { accessToken, refreshToken, expiresAt } : null;
  } catch {
    return null;
  }
}
