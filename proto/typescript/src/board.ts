import type { Feedback } from "./feedback.js";
import type { components } from "./generated/feedback.js";
import { Store } from "./store.js";

/** A thread of the board. */
export type BoardThread = components["schemas"]["BoardThread"];
/** A thread to post. */
export interface NewThread {
  category: components["schemas"]["Category"];
  /** At most 200 characters. */
  title: string;
  /** At most 20,000 characters. */
  body: string;
}

/** The operations of {@link Feedback} that a board needs. */
export type BoardClient = Pick<Feedback, "listBoardThreads" | "vote" | "withdrawVote" | "createFeedback">;

/** Which threads are listed. */
export interface BoardQuery {
  /** Only threads with one of these statuses, separated by commas, such as `open,in-progress`. */
  status?: string | undefined;
  /** Only threads of one of these categories, separated by commas, such as `feature,bug`. */
  category?: string | undefined;
  /** Search in titles, bodies and public replies. */
  q?: string | undefined;
  /** `votes` (default): most votes first. `createdAt`: newest first. */
  sort?: "votes" | "createdAt" | undefined;
}

/** The list of a board. */
export interface BoardState {
  readonly threads: readonly BoardThread[];
  /** `loading`: the first page is on its way. `error`: it could not be read. */
  readonly status: "loading" | "ready" | "error";
  /** The error of the last read or vote; null if it succeeded. */
  readonly error: Error | null;
  /** Whether there are further pages. */
  readonly hasMore: boolean;
  /** Whether a further page is on its way. */
  readonly isLoadingMore: boolean;
}

/** The state before anything was read. */
export const emptyBoard: BoardState = Object.freeze({
  threads: Object.freeze([]) as readonly BoardThread[],
  status: "loading",
  error: null,
  hasMore: false,
  isLoadingMore: false,
});

/** A vote that is on its way to the service. */
interface Pending {
  /** What the user wants by now. */
  wanted: boolean;
  /** What the service said last; undefined if the list does not have the thread and the service said nothing yet. */
  confirmed: VoteResult | undefined;
  done: Promise<VoteResult>;
}
/** The votes of a thread, after a vote. */
export type VoteResult = components["schemas"]["Vote"];

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** The thread with the user's vote set or withdrawn. */
function withVote(thread: BoardThread, voted: boolean): BoardThread {
  const before = thread.voted ?? false;
  if (before === voted) return { ...thread, voted };
  return { ...thread, voted, voteCount: Math.max(0, thread.voteCount + (voted ? 1 : -1)) };
}

/** The members of a query that have a value. */
function definedOf({ status, category, q, sort }: BoardQuery): {
  status?: string;
  category?: string;
  q?: string;
  sort?: "votes" | "createdAt";
} {
  return { ...(status && { status }), ...(category && { category }), ...(q && { q }), ...(sort && { sort }) };
}

/**
 * The threads of a board and the user's votes, without a user interface. Votes are shown at once and undone if the service refuses
 * them. Only the result of the latest `open` or `refresh` is shown.
 */
export class Board extends Store<BoardState> {
  readonly #client: BoardClient;
  readonly #votes = new Map<string, Pending>();
  /** Votes that were counted since the last read began. A page that was made before them does not replace them. */
  readonly #settled = new Map<string, VoteResult>();
  #query: BoardQuery = {};
  #cursor: string | null = null;
  #reading: AbortController | undefined;

  constructor(client: BoardClient) {
    super(emptyBoard);
    this.#client = client;
  }

  /** Lists the threads of another query. Never rejects: the state has the error. */
  async open(query: BoardQuery): Promise<void> {
    this.#query = query;
    this.change({ status: "loading", error: null });
    await this.refresh();
  }

  /** Stops reading. Votes that are on their way are still counted. */
  close(): void {
    this.#abort();
    if (this.state.isLoadingMore) this.change({ isLoadingMore: false });
  }

  /** Reads the first page again. Until then the former threads are shown. Never rejects: the state has the error. */
  async refresh(): Promise<void> {
    if (this.state.status === "error") this.change({ status: "loading", error: null });
    await this.#read(undefined, (items) => items);
  }

  /** Appends the next page. Does nothing if there is none, or if it is on its way. Never rejects: the state has the error. */
  async loadMore(): Promise<void> {
    if (this.#cursor === null || this.state.isLoadingMore || this.#reading !== undefined) return;
    this.change({ isLoadingMore: true });
    await this.#read(this.#cursor, (items) => {
      const known = new Set(this.state.threads.map(({ feedbackId }) => feedbackId));
      // A thread whose votes were withdrawn may be on two pages.
      return [...this.state.threads, ...items.filter(({ feedbackId }) => !known.has(feedbackId))];
    });
  }

  /**
   * Sets or withdraws the user's vote. The list shows the vote at once. A call during an earlier one for the same thread decides what the
   * vote is in the end.
   *
   * @returns the votes after the last of these calls
   * @throws the error of the service. The list shows the former vote again, and the state has the error.
   */
  vote(feedbackId: string, on: boolean): Promise<VoteResult> {
    const pending = this.#votes.get(feedbackId);
    const thread = this.state.threads.find((one) => one.feedbackId === feedbackId);
    this.#show(feedbackId, (shown) => withVote(shown, on));
    if (pending) {
      pending.wanted = on;
      return pending.done;
    }
    const before = thread && { voted: thread.voted ?? false, voteCount: thread.voteCount };
    const started = { wanted: on, confirmed: before } as Pending;
    this.#votes.set(feedbackId, started);
    started.done = this.#settle(feedbackId, started);
    return started.done;
  }

  /**
   * Posts a thread. A public thread appears at the top of the list.
   *
   * @throws the error of the service
   */
  async post(thread: NewThread, options?: { idempotencyKey?: string }): Promise<components["schemas"]["Feedback"]> {
    const made = await this.#client.createFeedback(thread, options);
    if (made.visibility === "public") {
      const { feedbackId, title, body, status, category, tags, voteCount, replyCount, createdAt } = made;
      const shown: BoardThread = { feedbackId, title, body, status, category, tags, voteCount, replyCount, createdAt, voted: false };
      this.change({ threads: [shown, ...this.state.threads.filter((one) => one.feedbackId !== feedbackId)] });
    }
    return made;
  }

  #abort(): void {
    this.#reading?.abort();
    this.#reading = undefined;
  }

  async #read(cursor: string | undefined, merged: (items: BoardThread[]) => BoardThread[]): Promise<void> {
    this.#abort();
    this.#settled.clear();
    const reading = (this.#reading = new AbortController());
    try {
      const query = { ...definedOf(this.#query), ...(cursor !== undefined && { cursor }) };
      const page = await this.#client.listBoardThreads(query, { signal: reading.signal });
      if (this.#reading !== reading) return;
      this.#reading = undefined;
      this.#cursor = page.cursor;
      const items = page.items.map((thread) => {
        const pending = this.#votes.get(thread.feedbackId);
        return pending ? withVote(thread, pending.wanted) : { ...thread, ...this.#settled.get(thread.feedbackId) };
      });
      this.change({ threads: merged(items), status: "ready", error: null, hasMore: page.cursor !== null, isLoadingMore: false });
    } catch (error) {
      if (this.#reading !== reading) return;
      this.#reading = undefined;
      this.change({ status: cursor === undefined ? "error" : "ready", error: asError(error), isLoadingMore: false });
    }
  }

  /** Sends the vote until the service and the user agree. */
  async #settle(feedbackId: string, pending: Pending): Promise<VoteResult> {
    try {
      for (;;) {
        const { wanted } = pending;
        const answer = await (wanted ? this.#client.vote(feedbackId) : this.#client.withdrawVote(feedbackId));
        pending.confirmed = answer;
        this.#settled.set(feedbackId, answer);
        if (pending.wanted === wanted) {
          this.#show(feedbackId, (thread) => ({ ...thread, ...answer }));
          if (this.state.error !== null && this.state.status === "ready") this.change({ error: null });
          return answer;
        }
      }
    } catch (error) {
      const { confirmed } = pending;
      if (confirmed) this.#show(feedbackId, (thread) => ({ ...thread, ...confirmed }));
      this.change({ error: asError(error) });
      throw error;
    } finally {
      this.#votes.delete(feedbackId);
    }
  }

  #show(feedbackId: string, changed: (thread: BoardThread) => BoardThread): void {
    const { threads } = this.state;
    if (!threads.some((thread) => thread.feedbackId === feedbackId)) return;
    this.change({ threads: threads.map((thread) => (thread.feedbackId === feedbackId ? changed(thread) : thread)) });
  }
}
