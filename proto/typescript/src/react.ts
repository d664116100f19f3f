"use client";
// React hooks. They work in React 18 and 19, in StrictMode, and on a server, where every hook returns its `loading` state.
import { createContext, createElement, useCallback, useContext, useEffect, useMemo, useSyncExternalStore } from "react";
import type { ReactElement, ReactNode } from "react";
import type { Auth } from "./auth.js";
import type { Billing } from "./billing.js";
import { Board, emptyBoard, type BoardQuery, type BoardState, type BoardThread, type NewThread, type VoteResult } from "./board.js";
import type { Feedback } from "./feedback.js";
import { Features, unknownFeatures, type FeaturesState } from "./features.js";
import type { components } from "./generated/feedback.js";
import type { Notify } from "./notify.js";
import type { Session, SessionUser } from "./session.js";

export type { BoardQuery, BoardState, BoardThread, FeaturesState, NewThread, SessionUser, VoteResult };

/** The clients that the hooks use. Make them once, outside of components. */
export interface TetradClients {
  feedback?: Feedback;
  auth?: Auth;
  billing?: Billing;
  notify?: Notify;
  session?: Session;
}

const Clients = createContext<TetradClients>({});

/**
 * Gives the clients to the hooks below it.
 *
 * @example
 * ```tsx
 * <TetradProvider value={{ feedback, billing, session }}>
 *   <App />
 * </TetradProvider>
 * ```
 */
export function TetradProvider({ value, children }: { value: TetradClients; children?: ReactNode }): ReactElement {
  return createElement(Clients.Provider, { value }, children);
}

/** The clients of the nearest {@link TetradProvider}; an empty object without one. */
export function useTetrad(): TetradClients {
  return useContext(Clients);
}

/** A client of the nearest provider. Throws an Error that names the hook if the provider does not have it. */
function useClient<Name extends keyof TetradClients>(name: Name, hook: string): NonNullable<TetradClients[Name]> {
  const client = useTetrad()[name];
  if (client === undefined) throw new Error(`${hook} needs the client \`${name}\`. Pass it to <TetradProvider value={{ ${name} }}>.`);
  return client;
}

/** The result of {@link useSession}. */
export interface UseSession {
  /** The signed-in user; null if no user is signed in, and while `status` is `loading`. */
  user: SessionUser | null;
  /** `loading` on a server and during hydration. */
  status: "loading" | "signed-in" | "signed-out";
  /** Signs the user out in all tabs. Never rejects. */
  end: () => Promise<void>;
}

/**
 * The sign-in of the user, in step with other tabs. Needs `session` in the provider.
 */
export function useSession(): UseSession {
  const session = useClient("session", "useSession");
  const user = useSyncExternalStore<SessionUser | null | undefined>(
    useCallback((listener: () => void) => session.subscribe(listener), [session]),
    () => session.user,
    () => undefined,
  );
  const end = useCallback(() => session.end(), [session]);
  const status = user === undefined ? "loading" : user === null ? "signed-out" : "signed-in";
  return useMemo(() => ({ user: user ?? null, status, end }), [user, status, end]);
}

/** The result of {@link useFeatures}. */
export interface UseFeatures extends FeaturesState {
  /** Whether the user may use the feature. False while nothing is known. */
  has: (feature: string) => boolean;
  /** Reads the features now, for example after a purchase. Never rejects: `error` has the error. */
  refresh: () => Promise<void>;
}

/** The features of a client and a session. Components share them, so that each client is asked once. */
const known = new WeakMap<Billing, { session: Session | undefined; features: Features }[]>();

function featuresOf(billing: Billing, session: Session | undefined): Features {
  const entries = known.get(billing) ?? [];
  known.set(billing, entries);
  const found = entries.find((entry) => entry.session === session);
  if (found) return found.features;
  const features = new Features(billing, session);
  entries.push({ session, features });
  return features;
}

/**
 * The paid features of the signed-in user. They are read again when the page gets the focus, when an entitlement ends, and every 5
 * minutes. Needs `billing` in the provider. With `session` in the provider, a signed-out user has no features and no request is sent.
 *
 * Use them to show or to hide parts of the user interface. A backend that protects data must check the feature itself.
 */
export function useFeatures(): UseFeatures {
  const billing = useClient("billing", "useFeatures");
  const { session } = useTetrad();
  const features = useMemo(() => featuresOf(billing, session), [billing, session]);
  const state = useSyncExternalStore(
    features.subscribe,
    () => features.state,
    () => unknownFeatures,
  );
  return useMemo(
    () => ({ ...state, has: (feature: string) => state.features.includes(feature), refresh: features.refresh }),
    [state, features],
  );
}

/** The result of {@link useFeedback}. */
export interface UseFeedback extends BoardState {
  /** Appends the next page. Never rejects: `error` has the error. */
  loadMore: () => Promise<void>;
  /**
   * Sets or withdraws the user's vote. `threads` shows it at once. If the service refuses it, `threads` shows the former vote again,
   * `error` has the error, and the promise rejects with it.
   */
  vote: (feedbackId: string, on: boolean) => Promise<VoteResult>;
  /** Posts a thread. A public thread appears at the top of `threads`. Rejects with the error of the service. */
  post: (thread: NewThread) => Promise<components["schemas"]["Feedback"]>;
  /** Reads the first page again. Never rejects: `error` has the error. */
  refresh: () => Promise<void>;
}

/**
 * The threads of the board. Needs `feedback` in the provider. With `session` in the provider, the list is read again when another user
 * signs in, because each user has other votes.
 *
 * @param query - which threads are listed. A changed query is read at once; delay the text of a search field while the user types.
 */
export function useFeedback({ status, category, q, sort }: BoardQuery = {}): UseFeedback {
  const client = useClient("feedback", "useFeedback");
  const user = useUserId();
  const board = useMemo(() => new Board(client), [client]);
  useEffect(() => {
    void board.open({ status, category, q, sort });
    return () => board.close();
  }, [board, status, category, q, sort, user]);
  const state = useSyncExternalStore(
    board.subscribe,
    () => board.state,
    () => emptyBoard,
  );
  const actions = useMemo(() => actionsOf(board), [board]);
  return useMemo(() => ({ ...state, ...actions }), [state, actions]);
}

/** The user of the provider's session; undefined without a session and on a server. */
function useUserId(): string | undefined {
  const { session } = useTetrad();
  return useSyncExternalStore(
    useCallback((listener: () => void) => session?.subscribe(listener) ?? (() => {}), [session]),
    () => session?.user?.sub,
    () => undefined,
  );
}

function actionsOf(board: Board): Omit<UseFeedback, keyof BoardState> {
  return {
    loadMore: () => board.loadMore(),
    vote: (feedbackId: string, on: boolean) => board.vote(feedbackId, on),
    post: (thread: NewThread) => board.post(thread),
    refresh: () => board.refresh(),
  };
}
