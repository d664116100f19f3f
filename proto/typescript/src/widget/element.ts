import { Board, type BoardQuery, type NewThread } from "../board.js";
import type { TokenProvider } from "../client.js";
import { Feedback } from "../feedback.js";
import type { components } from "../generated/feedback.js";
import type { Session } from "../session.js";
import { failureText, needsSignIn } from "./failures.js";
import { css } from "./style.js";
import { textsFor, type Texts } from "./texts.js";
import { View, type ViewActions } from "./view.js";

/** Detail of `tetrad-sign-in`: why the user needs to sign in. */
export interface SignInDetail {
  /** `vote`: to vote for `feedbackId`. `post`: to post. `button`: the user chose the sign-in button. */
  reason: "vote" | "post" | "button";
  /** The thread to vote for. */
  feedbackId?: string;
}
/** Detail of `tetrad-posted`: the new thread. */
export interface PostedDetail {
  feedback: components["schemas"]["Feedback"];
}
/** Detail of `tetrad-voted`. */
export interface VotedDetail {
  feedbackId: string;
  /** Number of votes of the thread. */
  voteCount: number;
  /** Whether the user votes for the thread now. */
  voted: boolean;
}

/** The events of the element. */
export interface TetradFeedbackEventMap extends HTMLElementEventMap {
  "tetrad-sign-in": CustomEvent<SignInDetail>;
  "tetrad-posted": CustomEvent<PostedDetail>;
  "tetrad-voted": CustomEvent<VotedDetail>;
}

/** After a sign-in within this time, the vote is cast or the form is opened for which the user signed in. In milliseconds. */
const patience = 600_000;

const wasSet = ["session", "tokenProvider", "feedback"] as const;
/** On a server there are no elements. There the module can be imported, but the element cannot be made. */
const Base = globalThis.HTMLElement ?? (class {} as unknown as typeof HTMLElement);

let sheet: CSSStyleSheet | undefined;
/** Adds the style sheet, in a way that a strict Content Security Policy permits. */
function addStyle(root: ShadowRoot): void {
  try {
    sheet ??= new CSSStyleSheet();
    if (sheet.cssRules.length === 0) sheet.replaceSync(css);
    root.adoptedStyleSheets = [sheet];
  } catch {
    // Browsers without constructable style sheets (before 2023).
    const style = document.createElement("style");
    style.textContent = css;
    root.append(style);
  }
}

/** Whether the text is an address of a web page, and not of a script. */
const isWebAddress = (text: string): boolean =>
  URL.canParse(text, location.href) && /^https?:$/.test(new URL(text, location.href).protocol);

/**
 * The element `<tetrad-feedback>`: the threads of a board with votes, search and a form for new threads.
 *
 * Attributes: `base-url` (address of the feedback service, required), `tenant` (replaces `{tenant}` in `base-url`), `board-sort`
 * (`votes` or `createdAt`), `lang` (`en` or `de`; default: the language of the page), `theme` (`light` or `dark`; default: as the
 * system), `heading`, `sign-in-url` (address of the sign-in page).
 *
 * Set `session` or `tokenProvider`, so that signed-in users can vote and post.
 */
export class TetradFeedback extends Base {
  static readonly observedAttributes = ["base-url", "tenant", "board-sort", "lang", "heading"];

  #session: Session | undefined;
  #tokenProvider: TokenProvider | undefined;
  #given: Feedback | undefined;
  #client: Feedback | undefined;
  #board: Board | undefined;
  #view: View | undefined;
  #texts: Texts = textsFor("en");
  #query: BoardQuery = {};
  #isSignedIn = false;
  #wish: { detail: SignInDetail; at: number } | undefined;
  #leave: (() => void)[] = [];

  /** The sign-in of the user. The element follows sign-ins and sign-outs. Takes precedence over `tokenProvider`. */
  get session(): Session | undefined {
    return this.#session;
  }
  set session(session: Session | undefined) {
    this.#session = session;
    this.#restart();
  }

  /** Returns the user's access token, or undefined. After a sign-in or a sign-out, call `refresh()`. */
  get tokenProvider(): TokenProvider | undefined {
    return this.#tokenProvider;
  }
  set tokenProvider(provider: TokenProvider | undefined) {
    this.#tokenProvider = provider;
    this.#restart();
  }

  /** A client to use instead of one that is made from `base-url` and `tenant`. */
  get feedback(): Feedback | undefined {
    return this.#given;
  }
  set feedback(client: Feedback | undefined) {
    this.#given = client;
    this.#restart();
  }

  /** Reads the list and the state of the sign-in again. */
  async refresh(): Promise<void> {
    await this.#checkSignIn();
    await this.#board?.refresh();
  }

  override addEventListener<Type extends keyof TetradFeedbackEventMap>(
    type: Type,
    listener: (this: TetradFeedback, event: TetradFeedbackEventMap[Type]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  override addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
  override addEventListener(type: string, listener: any, options?: boolean | AddEventListenerOptions): void {
    super.addEventListener(type, listener, options);
  }

  connectedCallback(): void {
    // Properties that were set before the element was defined hide the accessors.
    for (const name of wasSet) {
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      Reflect.deleteProperty(this, name);
      Object.assign(this, { [name]: value });
    }
    this.#start();
  }

  disconnectedCallback(): void {
    this.#stop();
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (this.#view === undefined || before === after) return;
    if (name === "heading") this.#view.setHeading(after ?? "");
    else if (name === "board-sort") this.#ask({ sort: this.#sort() });
    else this.#restart();
  }

  #restart(): void {
    if (!this.isConnected || this.#view === undefined) return;
    this.#stop();
    this.#start();
  }

  #start(): void {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const lang = this.lang || this.closest<HTMLElement>("[lang]")?.lang || navigator.language;
    this.#texts = textsFor(lang);
    this.#query = { ...this.#query, sort: this.#query.sort ?? this.#sort() };
    const view = (this.#view = new View(this.#texts, this.#actions()));
    root.replaceChildren(view.element);
    addStyle(root);
    view.setHeading(this.getAttribute("heading") ?? "");
    view.showQuery(this.#query);
    this.#client = this.#given ?? this.#newClient();
    if (this.#client === undefined)
      return view.showBoard(
        { threads: [], status: "error", error: null, hasMore: false, isLoadingMore: false },
        {},
        this.#texts.failures.noAddress,
      );
    const board = (this.#board = new Board(this.#client));
    this.#leave = [board.subscribe(() => this.#show()), () => board.close(), () => view.stop()];
    if (this.#session) this.#leave.push(this.#session.subscribe(() => void this.#signInChanged()));
    this.#show();
    void this.#checkSignIn();
    void board.open(this.#query);
  }

  #stop(): void {
    for (const leave of this.#leave) leave();
    this.#leave = [];
    this.#board = undefined;
  }

  #newClient(): Feedback | undefined {
    const baseUrl = this.getAttribute("base-url");
    const tenant = this.getAttribute("tenant");
    if (!baseUrl) return undefined;
    try {
      return new Feedback({ baseUrl, ...(tenant && { tenant }), tokenProvider: (hint) => this.#token(hint), retries: 2 });
    } catch (error) {
      // The page's developer reads this, not the user.
      console.error(error);
      return undefined;
    }
  }

  #token(hint: { rejected?: string }): string | undefined | Promise<string | undefined> {
    return (this.#session?.tokenProvider ?? this.#tokenProvider)?.(hint);
  }

  #sort(): NonNullable<BoardQuery["sort"]> {
    return this.getAttribute("board-sort") === "createdAt" ? "createdAt" : "votes";
  }

  #show(): void {
    const board = this.#board;
    if (board === undefined) return;
    const { state } = board;
    this.#view?.showBoard(state, this.#query, state.status === "error" ? failureText(state.error, this.#texts, "list") : undefined);
  }

  /** Reads the list with another query, and tells screen readers the result. */
  #ask(changes: BoardQuery): void {
    const query = { ...this.#query, ...changes };
    if (JSON.stringify(query) === JSON.stringify(this.#query)) return;
    this.#query = query;
    const { view, board } = { view: this.#view, board: this.#board };
    view?.showQuery(query);
    void board?.open(query).then(() => {
      const { threads, status, hasMore } = board.state;
      if (this.#query !== query || status !== "ready") return;
      view?.toast.announce(threads.length === 0 ? this.#texts.nothingFound : this.#texts.found(threads.length, hasMore));
    });
  }

  #actions(): ViewActions {
    return {
      query: (changes) => this.#ask(changes),
      vote: (feedbackId, on) => this.#vote(feedbackId, on),
      post: (thread, key) => this.#post(thread, key),
      similar: async (title, signal) => (await this.#client!.listSimilar({ title }, { signal })).items,
      replies: async (feedbackId, cursor) => this.#client!.getBoardThread(feedbackId, cursor === undefined ? {} : { cursor }),
      failureText: (error) => failureText(error, this.#texts, "vote"),
      mayPost: () => this.#isSignedIn || this.#askToSignIn({ reason: "post" }),
      signIn: () => void this.#askToSignIn({ reason: "button" }),
      loadMore: () => this.#loadMore(),
      refresh: () => void this.refresh(),
    };
  }

  async #loadMore(): Promise<void> {
    const board = this.#board;
    const before = board?.state.threads.length ?? 0;
    await board?.loadMore();
    if (board === undefined || board !== this.#board) return;
    const { error, threads } = board.state;
    if (error) this.#view?.toast.fail(failureText(error, this.#texts, "list"));
    else this.#view?.toast.announce(this.#texts.loaded(threads.length - before));
  }

  /** Votes. Returns whether the vote was counted. */
  async #vote(feedbackId: string, on: boolean): Promise<boolean> {
    if (!this.#isSignedIn) return this.#askToSignIn({ reason: "vote", feedbackId });
    try {
      const result = await this.#board!.vote(feedbackId, on);
      const { voted, withdrawn, votes } = this.#texts;
      this.#view?.toast.say((result.voted ? voted : withdrawn)(votes(result.voteCount)));
      this.#emit("tetrad-voted", { feedbackId, voteCount: result.voteCount, voted: result.voted } satisfies VotedDetail);
      return true;
    } catch (error) {
      this.#view?.toast.fail(failureText(error, this.#texts, "vote"));
      if (needsSignIn(error)) this.#askToSignIn({ reason: "vote", feedbackId });
      return false;
    }
  }

  async #post(thread: NewThread, idempotencyKey: string): Promise<void> {
    const { view, board } = { view: this.#view, board: this.#board };
    try {
      const feedback = await board!.post(thread, { idempotencyKey });
      view?.finishForm(feedback.feedbackId);
      view?.toast.say(feedback.visibility === "public" ? this.#texts.posted : this.#texts.postedPrivately);
      this.#emit("tetrad-posted", { feedback } satisfies PostedDetail);
    } catch (error) {
      view?.toast.fail(failureText(error, this.#texts, "post"));
      if (needsSignIn(error)) this.#askToSignIn({ reason: "post" });
      throw error;
    }
  }

  /** Asks the page to sign the user in. Returns false: what the user wanted has to wait. */
  #askToSignIn(detail: SignInDetail): false {
    this.#wish = { detail, at: Date.now() };
    this.#setSignedIn(false);
    if (detail.reason !== "button") this.#view?.toast.say(detail.reason === "post" ? this.#texts.signInToPost : this.#texts.signInHint);
    const goesOn = this.#emit("tetrad-sign-in", detail);
    const address = this.getAttribute("sign-in-url");
    if (goesOn && address !== null && isWebAddress(address)) location.assign(address);
    return false;
  }

  /** Returns false if a listener prevented the default action. */
  #emit(type: keyof TetradFeedbackEventMap, detail: SignInDetail | PostedDetail | VotedDetail): boolean {
    return this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true, cancelable: type === "tetrad-sign-in" }));
  }

  #setSignedIn(isSignedIn: boolean): void {
    this.#isSignedIn = isSignedIn;
    this.#view?.setSignedIn(isSignedIn);
  }

  async #checkSignIn(): Promise<void> {
    const board = this.#board;
    const token = this.#session ? this.#session.user?.sub : await Promise.resolve(this.#tokenProvider?.({})).catch(() => undefined);
    if (board !== this.#board) return;
    this.#setSignedIn(token !== undefined);
    if (this.#isSignedIn) this.#grantWish();
  }

  async #signInChanged(): Promise<void> {
    await this.#checkSignIn();
    await this.#board?.refresh();
  }

  /** Does what the user wanted before the sign-in. */
  #grantWish(): void {
    const wish = this.#wish;
    this.#wish = undefined;
    if (wish === undefined || Date.now() - wish.at > patience) return;
    const { reason, feedbackId } = wish.detail;
    if (reason === "post") this.#view?.openForm();
    if (reason === "vote" && feedbackId !== undefined) void this.#vote(feedbackId, true);
  }
}
