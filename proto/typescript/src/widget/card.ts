import type { BoardThread } from "../board.js";
import type { components } from "../generated/feedback.js";
import { h, icon, setText } from "./dom.js";
import { shownTime, type Texts } from "./texts.js";

type Reply = components["schemas"]["BoardReply"];

/** What the parts of the widget ask of it. */
export interface Actions {
  vote: (feedbackId: string, on: boolean) => void;
  /** A page of the public replies of a thread. */
  replies: (feedbackId: string, cursor: string | undefined) => Promise<{ replies: Reply[]; cursor: string | null }>;
  /** Text for an error of `replies`. */
  failureText: (error: unknown) => string;
}

let ids = 0;
/** An id that no other element of the shadow root has. */
export const newId = (): string => `t${++ids}`;

/** The button that votes for a thread. */
export class VoteButton {
  readonly element: HTMLButtonElement;
  readonly #name = h("span", { class: "sr" });
  readonly #count = h("span", { class: "count", "aria-hidden": "true" });
  readonly #texts: Texts;
  #voted = false;

  constructor(texts: Texts, onVote: (on: boolean) => void) {
    this.#texts = texts;
    const click = (): void => onVote(!this.#voted);
    this.element = h("button", { type: "button", class: "vote", part: "vote", onclick: click }, icon("up", 14), this.#name, this.#count);
  }

  show(title: string, voteCount: number, voted: boolean): void {
    this.#voted = voted;
    this.element.setAttribute("aria-pressed", String(voted));
    this.element.setAttribute("part", voted ? "vote voted" : "vote");
    setText(this.#name, `${this.#texts.voteFor(title)}. ${this.#texts.votes(voteCount)}`);
    setText(
      this.#count,
      new Intl.NumberFormat(this.#texts.lang, { notation: voteCount < 10_000 ? "standard" : "compact" }).format(voteCount),
    );
  }
}

/** The beginning of a text in one line. A complete text may have 20,000 characters. */
function excerptOf(text: string): string {
  const line = text.slice(0, 700).replace(/\s+/g, " ").trim();
  const characters = Array.from(line);
  return characters.length > 300 || text.length > 700 ? `${characters.slice(0, 300).join("")}…` : line;
}

export function badge(texts: Texts, status: BoardThread["status"]): HTMLElement {
  return h("span", { class: "badge", part: "status", "data-status": status }, texts.statuses[status]);
}

/** A thread in the list. Its title opens the complete text and the replies. */
export class Card {
  readonly element: HTMLLIElement;
  readonly #texts: Texts;
  readonly #actions: Actions;
  readonly #vote: VoteButton;
  readonly #id = newId();
  readonly #title: HTMLButtonElement;
  readonly #excerpt = h("p", { class: "excerpt", dir: "auto" });
  readonly #facts = h("p", { class: "facts" });
  readonly #details: HTMLElement;
  #thread: BoardThread;
  #shown = "";

  constructor(texts: Texts, actions: Actions, thread: BoardThread) {
    this.#texts = texts;
    this.#actions = actions;
    this.#thread = thread;
    this.#vote = new VoteButton(texts, (on) => actions.vote(thread.feedbackId, on));
    const toggle = (): void => this.#toggle();
    this.#title = h("button", {
      type: "button",
      class: "title",
      dir: "auto",
      "aria-expanded": "false",
      "aria-controls": this.#id,
      onclick: toggle,
    });
    this.#details = h("div", { id: this.#id, class: "details", hidden: true });
    this.element = h(
      "li",
      { class: "post", part: "post" },
      this.#vote.element,
      h("div", { class: "main" }, h("h3", {}, this.#title), this.#excerpt, this.#facts, this.#details),
    );
    this.update(thread);
  }

  get isOpen(): boolean {
    return !this.#details.hidden;
  }

  focus(): void {
    this.#title.focus();
  }

  update(thread: BoardThread): void {
    this.#thread = thread;
    this.#vote.show(thread.title, thread.voteCount, thread.voted ?? false);
    const { voteCount: _count, voted: _voted, ...content } = thread;
    const shown = JSON.stringify(content);
    if (shown === this.#shown) return;
    this.#shown = shown;
    setText(this.#title, thread.title);
    setText(this.#excerpt, excerptOf(thread.body));
    const { lang, categories, replies } = this.#texts;
    const time = h("time", { datetime: thread.createdAt }, shownTime(thread.createdAt, lang));
    this.#facts.replaceChildren(badge(this.#texts, thread.status), h("span", {}, categories[thread.category]), time);
    if (thread.replyCount > 0) this.#facts.append(h("span", { class: "replies-count" }, icon("reply", 14), replies(thread.replyCount)));
    if (this.isOpen) void this.#open();
  }

  #toggle(): void {
    if (!this.isOpen) return void this.#open();
    this.#details.hidden = true;
    this.#excerpt.hidden = false;
    this.#title.setAttribute("aria-expanded", "false");
  }

  async #open(): Promise<void> {
    this.#details.hidden = false;
    this.#excerpt.hidden = true;
    this.#title.setAttribute("aria-expanded", "true");
    const text = h("p", { class: "text", dir: "auto" }, this.#thread.body);
    const list = h("ol", { class: "replies" });
    const foot = h("div", { class: "replies-foot" });
    this.#details.replaceChildren(text, list, foot);
    if (this.#thread.replyCount > 0) await this.#load(list, foot, undefined);
  }

  /** Appends a page of replies to the list. */
  async #load(list: HTMLElement, foot: HTMLElement, cursor: string | undefined): Promise<void> {
    foot.replaceChildren(h("p", { class: "muted" }, this.#texts.loading));
    const again = (label: string, next: string | undefined): HTMLButtonElement =>
      h("button", { type: "button", class: "quiet small", onclick: () => void this.#load(list, foot, next) }, label);
    try {
      const page = await this.#actions.replies(this.#thread.feedbackId, cursor);
      list.append(...page.replies.map((reply) => this.#reply(reply)));
      foot.replaceChildren();
      if (page.cursor !== null) foot.append(again(this.#texts.moreReplies, page.cursor));
    } catch (error) {
      foot.replaceChildren(h("p", { class: "error", role: "alert" }, this.#actions.failureText(error)), again(this.#texts.again, cursor));
    }
  }

  #reply({ body, authorRole, createdAt }: Reply): HTMLLIElement {
    const { lang, team, user } = this.#texts;
    const isTeam = authorRole !== "user";
    const author = h("span", { class: isTeam ? "badge team" : "author" }, isTeam ? team : user);
    const time = h("time", { datetime: createdAt }, shownTime(createdAt, lang));
    return h("li", { part: "reply" }, h("p", { class: "facts" }, author, time), h("p", { class: "text", dir: "auto" }, body));
  }
}
