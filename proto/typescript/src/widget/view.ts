import type { BoardQuery, BoardState } from "../board.js";
import { Card, newId, type Actions } from "./card.js";
import { Composer, type ComposerActions } from "./composer.js";
import { arrange, h, icon } from "./dom.js";
import type { Texts } from "./texts.js";
import { Toast } from "./toast.js";

/** What the view asks of the widget. */
export interface ViewActions extends Actions, Omit<ComposerActions, "cancel" | "announce"> {
  vote: (feedbackId: string, on: boolean) => Promise<boolean>;
  /** The user changes the search, the order or the filter. */
  query: (changes: BoardQuery) => void;
  /** The user wants to post. Returns whether the form may open; otherwise the user must sign in first. */
  mayPost: () => boolean;
  signIn: () => void;
  loadMore: () => Promise<void>;
  refresh: () => void;
}

type Sort = NonNullable<BoardQuery["sort"]>;
const sorts: Sort[] = ["votes", "createdAt"];
const statuses = ["open", "in-progress", "resolved", "closed"] as const;

/** Wait after a key press in the search field, in milliseconds. */
const pause = 300;

/** Buttons of which one is chosen. */
function choice<Value extends string>(label: string, entries: (readonly [Value, string])[], onChoose: (value: Value) => void) {
  const buttons = entries.map(([value, text]) => {
    const choose = (): void => onChoose(value);
    return [
      value,
      h("button", { type: "button", class: "option", part: "option", "aria-pressed": "false", onclick: choose }, text),
    ] as const;
  });
  const element = h("div", { role: "group", "aria-label": label }, ...buttons.map(([, button]) => button));
  const show = (chosen: Value): void => {
    for (const [value, button] of buttons) {
      button.setAttribute("aria-pressed", String(value === chosen));
      button.setAttribute("part", value === chosen ? "option chosen" : "option");
    }
  };
  return { element, show };
}

/** The user interface of the widget in one language. It shows states and passes on what the user does. */
export class View {
  readonly element: HTMLElement;
  readonly toast: Toast;
  readonly #texts: Texts;
  readonly #actions: ViewActions;
  readonly #composer: Composer;
  readonly #place = h("div", { class: "place", id: newId() });
  readonly #newPost: HTMLButtonElement;
  readonly #signIn: HTMLElement;
  readonly #heading: HTMLElement;
  readonly #search: HTMLInputElement;
  readonly #clear: HTMLButtonElement;
  readonly #sort;
  readonly #status;
  readonly #results = h("div", { class: "results", part: "list" });
  readonly #list = h("ul", { class: "posts" });
  readonly #more: HTMLButtonElement;
  readonly #cards = new Map<string, Card>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(texts: Texts, actions: ViewActions) {
    this.#texts = texts;
    this.#actions = actions;
    this.toast = new Toast(texts);
    this.#composer = new Composer(texts, {
      ...actions,
      cancel: () => this.closeForm(),
      announce: (text) => this.toast.announce(text),
    });
    this.#heading = h("h2", { id: newId(), class: "heading", part: "heading" }, texts.heading);
    this.#newPost = h(
      "button",
      {
        type: "button",
        class: "primary new",
        part: "button primary",
        "aria-expanded": "false",
        "aria-controls": this.#place.id,
        onclick: () => this.#toggleForm(),
      },
      icon("plus"),
      texts.newPost,
    );
    const signIn = h(
      "button",
      { type: "button", class: "quiet small", part: "button sign-in", onclick: () => actions.signIn() },
      texts.signIn,
    );
    this.#signIn = h(
      "div",
      { class: "sign-in", part: "notice", hidden: true },
      h("p", {}, texts.signInHint),
      h("slot", { name: "sign-in" }, signIn),
    );
    this.#search = h("input", {
      type: "search",
      "aria-label": texts.search,
      placeholder: texts.search,
      maxlength: "200",
      autocomplete: "off",
      dir: "auto",
      enterkeyhint: "search",
      oninput: () => this.#planSearch(),
    });
    this.#clear = h(
      "button",
      { type: "button", class: "icon", "aria-label": texts.clearSearch, hidden: true, onclick: () => this.#clearSearch() },
      icon("close", 14),
    );
    this.#sort = choice<Sort>(
      texts.sort,
      sorts.map((sort) => [sort, texts.sorts[sort]] as const),
      (sort) => actions.query({ sort }),
    );
    this.#status = choice<string>(
      texts.status,
      [["", texts.all] as const, ...statuses.map((status) => [status, texts.statuses[status]] as const)],
      (status) => actions.query({ status: status || undefined }),
    );
    this.#sort.element.className = "segments";
    this.#status.element.className = "chips";
    this.#more = h(
      "button",
      { type: "button", class: "quiet more", part: "button", hidden: true, onclick: () => void this.#loadMore() },
      texts.loadMore,
    );
    this.element = this.#layout();
  }

  /** Replaces the heading. An empty text restores the default. */
  setHeading(text: string): void {
    this.#heading.textContent = text || this.#texts.heading;
  }

  /** Shows or hides what users see who are not signed in. */
  setSignedIn(isSignedIn: boolean): void {
    this.#signIn.hidden = isSignedIn;
  }

  openForm(): void {
    if (!this.#composer.element.isConnected) this.#place.replaceChildren(this.#composer.element);
    this.#newPost.setAttribute("aria-expanded", "true");
    this.#composer.focus();
  }

  /** Closes the form, and keeps the draft unless the thread was posted. */
  closeForm(): void {
    this.#composer.stop();
    this.#place.replaceChildren();
    this.#newPost.setAttribute("aria-expanded", "false");
    this.#newPost.focus();
  }

  /** Closes the form after its thread was posted, and moves the focus to the thread if the list has it. */
  finishForm(feedbackId: string): void {
    this.#composer.clear();
    this.closeForm();
    this.#cards.get(feedbackId)?.focus();
  }

  /** Ends all timers. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#composer.stop();
  }

  showQuery({ sort, status, q }: BoardQuery): void {
    this.#sort.show(sort ?? "votes");
    this.#status.show(status ?? "");
    if ((q ?? "") !== this.#search.value.trim()) this.#search.value = q ?? "";
    this.#clear.hidden = this.#search.value === "";
  }

  /** Shows the list. `problem`: what has failed, instead of the list. */
  showBoard(state: BoardState, query: BoardQuery, problem: string | undefined): void {
    this.#results.setAttribute("aria-busy", String(state.status === "loading"));
    this.#results.classList.toggle("busy", state.status === "loading" && state.threads.length > 0);
    this.#more.hidden = !state.hasMore || problem !== undefined || state.threads.length === 0;
    this.#more.setAttribute("aria-disabled", String(state.isLoadingMore));
    this.#more.replaceChildren(...(state.isLoadingMore ? [h("span", { class: "spinner" }), this.#texts.loading] : [this.#texts.loadMore]));
    if (problem !== undefined) this.#results.replaceChildren(this.#problem(problem));
    else if (state.threads.length > 0) this.#showThreads(state);
    else if (state.status === "loading") this.#results.replaceChildren(this.#skeleton());
    else this.#results.replaceChildren(this.#nothing(query));
  }

  #showThreads({ threads }: BoardState): void {
    const shown = new Set(threads.map(({ feedbackId }) => feedbackId));
    for (const id of this.#cards.keys()) if (!shown.has(id)) this.#cards.delete(id);
    for (const thread of threads) {
      const card = this.#cards.get(thread.feedbackId);
      if (card) card.update(thread);
      else
        this.#cards.set(
          thread.feedbackId,
          new Card(this.#texts, { ...this.#actions, vote: (id, on) => void this.#actions.vote(id, on) }, thread),
        );
    }
    arrange(
      this.#list,
      threads.map(({ feedbackId }) => this.#cards.get(feedbackId)!.element),
    );
    arrange(this.#results, [this.#list]);
  }

  #layout(): HTMLElement {
    const { heading, intro } = { heading: this.#heading, intro: h("p", { class: "intro" }, this.#texts.intro) };
    const head = h("header", { class: "head", part: "header" }, h("div", {}, heading, intro), this.#newPost);
    const search = h(
      "form",
      { class: "search", part: "search", role: "search", onsubmit: (event: Event) => (event.preventDefault(), this.#searchNow()) },
      icon("search"),
      this.#search,
      this.#clear,
    );
    const toolbar = h("div", { class: "toolbar", part: "toolbar" }, search, this.#sort.element, this.#status.element);
    const content = h("div", { class: "content" }, head, this.#signIn, this.#place, toolbar, this.#results, this.#more);
    return h(
      "section",
      { class: "root", part: "root", lang: this.#texts.lang, "aria-labelledby": heading.id },
      content,
      this.toast.quiet,
      this.toast.element,
    );
  }

  #toggleForm(): void {
    if (this.#composer.element.isConnected) this.closeForm();
    else if (this.#actions.mayPost()) this.openForm();
  }

  #planSearch(): void {
    this.#clear.hidden = this.#search.value === "";
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#searchNow(), pause);
  }

  #searchNow(): void {
    clearTimeout(this.#timer);
    this.#actions.query({ q: this.#search.value.trim() || undefined });
  }

  #clearSearch(): void {
    this.#search.value = "";
    this.#searchNow();
    this.#search.focus();
  }

  async #loadMore(): Promise<void> {
    if (this.#more.getAttribute("aria-disabled") === "true") return;
    const before = new Set(this.#cards.keys());
    await this.#actions.loadMore();
    // The button is gone after the last page, and the focus with it.
    const next = [...this.#cards].find(([id]) => !before.has(id));
    if (this.#more.hidden) next?.[1].focus();
  }

  #problem(text: string): HTMLElement {
    const again = h(
      "button",
      { type: "button", class: "quiet", part: "button", onclick: () => this.#actions.refresh() },
      this.#texts.again,
    );
    return h(
      "div",
      { class: "panel", part: "problem", role: "alert" },
      h("span", { class: "panel-icon bad" }, icon("alert", 22)),
      h("p", {}, text),
      again,
    );
  }

  #nothing({ q, status }: BoardQuery): HTMLElement {
    const { nothing, nothingHint, nothingFound, nothingFoundHint, clearFilters } = this.#texts;
    const isFiltered = Boolean(q ?? status);
    const showAll = (): void => {
      this.#search.value = "";
      this.#actions.query({ q: undefined, status: undefined });
      this.#search.focus();
    };
    return h(
      "div",
      { class: "panel", part: "empty" },
      h("span", { class: "panel-icon" }, icon(isFiltered ? "search" : "box", 22)),
      h("h3", {}, isFiltered ? nothingFound : nothing),
      h("p", {}, isFiltered ? nothingFoundHint : nothingHint),
      isFiltered ? h("button", { type: "button", class: "quiet", part: "button", onclick: showAll }, clearFilters) : null,
    );
  }

  #skeleton(): HTMLElement {
    const row = (): HTMLElement =>
      h(
        "li",
        { class: "post" },
        h("div", { class: "bone vote-bone" }),
        h("div", { class: "main" }, h("div", { class: "bone wide" }), h("div", { class: "bone" }), h("div", { class: "bone short" })),
      );
    return h("ul", { class: "posts skeleton", "aria-hidden": "true" }, row(), row(), row(), row());
  }
}
