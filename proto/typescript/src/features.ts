import type { Billing } from "./billing.js";
import type { Session } from "./session.js";
import { Store } from "./store.js";

/** The paid features of the signed-in user. */
export interface FeaturesState {
  /** Names of the features, sorted. */
  readonly features: readonly string[];
  /** `loading`: nothing is known yet. `error`: the first read failed. After a success, the features stay while later reads fail. */
  readonly status: "loading" | "ready" | "error";
  /** The error of the last read; null if it succeeded. */
  readonly error: Error | null;
}

/** The state before anything was read. */
export const unknownFeatures: FeaturesState = Object.freeze({
  features: Object.freeze([]) as readonly string[],
  status: "loading",
  error: null,
});

/** The features are read again after this time, in milliseconds. */
const interval = 300_000;
/** Reads that the page causes are at least this far apart, in milliseconds. */
const shortest = 5_000;

interface Access {
  feature: string;
  /** When access ends, in milliseconds since 1970; Infinity if it never ends. */
  until: number;
}

/**
 * The paid features of the signed-in user. They are read when the first listener comes, every 5 minutes, when an entitlement ends, when
 * the page gets the focus, and when another user signs in. All of this stops when the last listener has left.
 */
export class Features extends Store<FeaturesState> {
  readonly #billing: Pick<Billing, "getMyEntitlements">;
  readonly #session: Session | undefined;
  #access: Access[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reading: AbortController | undefined;
  #readAt = 0;
  #user: string | undefined;
  #leaveSession: (() => void) | undefined;

  constructor(billing: Pick<Billing, "getMyEntitlements">, session?: Session) {
    super(unknownFeatures);
    this.#billing = billing;
    this.#session = session;
  }

  /** Reads the features now. Never rejects: the state has the error. */
  readonly refresh = async (): Promise<void> => {
    this.#stop();
    const reading = (this.#reading = new AbortController());
    try {
      const isSignedOut = this.#session !== undefined && this.#session.user === null;
      const entitlements = isSignedOut ? [] : (await this.#billing.getMyEntitlements(undefined, { signal: reading.signal })).entitlements;
      if (this.#reading !== reading) return;
      this.#access = entitlements
        .filter(({ isActive }) => isActive)
        .flatMap(({ features, accessUntil }) =>
          features.map((feature) => ({ feature, until: accessUntil === null ? Infinity : Date.parse(accessUntil) })),
        );
      this.#show(null);
    } catch (error) {
      if (this.#reading !== reading) return;
      // The clock of this machine may be wrong. It decides only if the service cannot be asked.
      this.#access = this.#access.filter(({ until }) => until > Date.now());
      this.#show(error instanceof Error ? error : new Error(String(error)));
    }
    this.#reading = undefined;
    this.#readAt = Date.now();
    this.#plan();
  };

  protected override opened(): void {
    this.#leaveSession = this.#session?.subscribe(this.#onSession);
    if (typeof document !== "undefined") {
      document.addEventListener("visibilitychange", this.#onFocus);
      addEventListener("focus", this.#onFocus);
    }
    if (!this.#forgetOthers() && this.state.status === "ready" && this.#isRecent()) this.#plan();
    else void this.refresh();
  }

  protected override closed(): void {
    this.#stop();
    this.#leaveSession?.();
    if (typeof document !== "undefined") {
      document.removeEventListener("visibilitychange", this.#onFocus);
      removeEventListener("focus", this.#onFocus);
    }
  }

  readonly #onFocus = (): void => {
    if (document.visibilityState === "visible" && this.#reading === undefined && !this.#isRecent()) void this.refresh();
  };

  readonly #onSession = (): void => {
    if (this.#forgetOthers()) void this.refresh();
  };

  /** Forgets the features of the former user. Returns whether another user is signed in. */
  #forgetOthers(): boolean {
    const user = this.#session?.user?.sub;
    if (user === this.#user) return false;
    this.#user = user;
    this.#access = [];
    this.change(unknownFeatures);
    return true;
  }

  #isRecent(): boolean {
    return Date.now() - this.#readAt < shortest;
  }

  #show(error: Error | null): void {
    const features = [...new Set(this.#access.map(({ feature }) => feature))].sort();
    const isSame = features.join("\n") === this.state.features.join("\n");
    const status = error === null || this.state.status === "ready" ? "ready" : "error";
    this.change({ features: isSame ? this.state.features : features, status, error });
  }

  /** Plans the next read: when the first entitlement ends, at the latest after the interval. A hidden page reads when it is shown. */
  #plan(): void {
    const end = Math.min(...this.#access.map(({ until }) => until)) - Date.now();
    const delay = Math.min(Math.max(end, shortest), interval);
    this.#timer = setTimeout(() => {
      if (typeof document === "undefined" || document.visibilityState === "visible") void this.refresh();
    }, delay);
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#reading?.abort();
    this.#reading = undefined;
  }
}
