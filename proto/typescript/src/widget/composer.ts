import type { NewThread } from "../board.js";
import { ApiError } from "../errors.js";
import type { components } from "../generated/feedback.js";
import { newIdempotencyKey } from "../retry.js";
import { arrange, h } from "./dom.js";
import { badge, newId, VoteButton } from "./card.js";
import type { Texts } from "./texts.js";

type Similar = components["schemas"]["SimilarFeedback"];
type Category = NewThread["category"];

/** What the form asks of the widget. */
export interface ComposerActions {
  /** Threads like a title. */
  similar: (title: string, signal: AbortSignal) => Promise<Similar[]>;
  /** Votes for a thread. Resolves to false if the vote was not counted; the widget has then told why. */
  vote: (feedbackId: string, on: boolean) => Promise<boolean>;
  /** Posts the thread. Rejects with the error of the service; the widget has then told why. */
  post: (thread: NewThread, idempotencyKey: string) => Promise<void>;
  /** The user closes the form. */
  cancel: () => void;
  announce: (text: string) => void;
}

/** Wait after a key press before similar threads are searched, in milliseconds. */
const pause = 300;
/** Length of the texts, in Unicode characters. */
const longest = { title: 200, body: 20_000 };
const order: Category[] = ["feature", "bug", "general", "support"];

const lengthOf = (text: string): number => Array.from(text).length;

/** A text field with label, hint and error. */
class Field {
  readonly element: HTMLElement;
  readonly #error = h("p", { class: "error", id: newId() });
  readonly #left = h("p", { class: "left", "aria-live": "polite" });

  constructor(
    readonly input: HTMLInputElement | HTMLTextAreaElement,
    label: string,
    hint: string | undefined,
    private readonly most: number,
    private readonly texts: Texts,
  ) {
    input.id = newId();
    const described = hint === undefined ? undefined : h("p", { class: "hint", id: newId() }, hint);
    input.setAttribute("aria-describedby", described ? `${described.id} ${this.#error.id}` : this.#error.id);
    input.addEventListener("input", () => this.#count());
    this.element = h("div", { class: "field" }, h("label", { for: input.id }, label), described, input, this.#left, this.#error);
  }

  get value(): string {
    return this.input.value.trim();
  }

  set value(text: string) {
    this.input.value = text;
    this.refuse("");
    this.#count();
  }

  /** Shows an error. An empty text removes it. */
  refuse(text: string): void {
    this.#error.textContent = text;
    if (text) this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
  }

  /** Tells how much room is left when the text is nearly too long. */
  #count(): void {
    const left = this.most - lengthOf(this.input.value);
    this.#left.textContent = left <= this.most / 10 ? this.texts.left(Math.max(0, left)) : "";
  }
}

/** The form for a new thread. It suggests similar threads while the user types. */
export class Composer {
  readonly element: HTMLElement;
  readonly #texts: Texts;
  readonly #actions: ComposerActions;
  readonly #title: Field;
  readonly #body: Field;
  readonly #categories: HTMLInputElement[];
  readonly #similar: HTMLElement;
  readonly #found = h("ul", { class: "similar-list" });
  readonly #submit: HTMLButtonElement;
  /** The similar threads that are shown, and the rows that show them. */
  #rows = new Map<string, HTMLLIElement>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #search: AbortController | undefined;
  #sent: { draft: string; key: string } | undefined;

  constructor(texts: Texts, actions: ComposerActions) {
    this.#texts = texts;
    this.#actions = actions;
    this.#title = new Field(
      h("input", { name: "title", maxlength: "200", autocomplete: "off", dir: "auto", required: true, placeholder: texts.titleHint }),
      texts.title,
      undefined,
      longest.title,
      texts,
    );
    this.#title.input.addEventListener("input", () => this.#planSearch());
    this.#body = new Field(
      h("textarea", { name: "body", rows: "5", maxlength: "20000", dir: "auto", required: true }),
      texts.body,
      texts.bodyHint,
      longest.body,
      texts,
    );
    this.#categories = order.map((value, i) => h("input", { type: "radio", name: "category", value, checked: i === 0 }));
    const choices = this.#categories.map((input) =>
      h("label", { class: "choice" }, input, h("span", {}, texts.categories[input.value as Category])),
    );
    const heading = h("h3", { id: newId() }, texts.similar);
    this.#similar = h("section", { class: "similar", part: "similar", "aria-labelledby": heading.id, hidden: true }, heading, this.#found);
    this.#submit = h("button", { type: "submit", class: "primary", part: "button primary" }, texts.post);
    const name = h("h3", { id: newId(), class: "form-title" }, texts.newPost);
    this.element = h(
      "form",
      {
        class: "card composer",
        part: "form",
        novalidate: true,
        "aria-labelledby": name.id,
        onsubmit: (event: Event) => void this.#post(event),
      },
      name,
      h("fieldset", { class: "field" }, h("legend", {}, texts.category), h("div", { class: "choices" }, ...choices)),
      this.#title.element,
      this.#similar,
      this.#body.element,
      h(
        "div",
        { class: "buttons" },
        h("button", { type: "button", class: "quiet", part: "button", onclick: () => actions.cancel() }, texts.cancel),
        this.#submit,
      ),
    );
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.isComposing) return;
      event.stopPropagation();
      actions.cancel();
    });
  }

  focus(): void {
    this.#title.input.focus();
  }

  /** Forgets the draft. */
  clear(): void {
    this.#title.value = this.#body.value = "";
    this.#categories[0]!.checked = true;
    this.#sent = undefined;
    this.stop();
    this.#show([]);
  }

  /** Ends the search for similar threads. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#search?.abort();
  }

  #planSearch(): void {
    this.stop();
    this.#timer = setTimeout(() => void this.#searchSimilar(), pause);
  }

  async #searchSimilar(): Promise<void> {
    const title = this.#title.value;
    if (lengthOf(title) < 3) return this.#show([]);
    const search = (this.#search = new AbortController());
    try {
      const found = await this.#actions.similar(title, search.signal);
      if (search.signal.aborted) return;
      // Next to a good match, the threads that share only a frequent word are of no use.
      const best = found[0]?.score ?? 0;
      this.#show(found.filter(({ score }) => score >= best / 2).slice(0, 5));
    } catch {
      // The user does not need the suggestions to post.
    }
  }

  #show(found: Similar[]): void {
    const wasEmpty = this.#rows.size === 0;
    this.#rows = new Map(found.map((thread) => [thread.feedbackId, this.#rows.get(thread.feedbackId) ?? this.#row(thread)]));
    arrange(this.#found, [...this.#rows.values()]);
    this.#similar.hidden = found.length === 0;
    if (wasEmpty && found.length > 0) this.#actions.announce(this.#texts.similarFound(found.length));
  }

  #row({ feedbackId, title, status, voteCount }: Similar): HTMLLIElement {
    const vote = async (on: boolean): Promise<void> => {
      button.show(title, voteCount + (on ? 1 : 0), on);
      if (!(await this.#actions.vote(feedbackId, on))) button.show(title, voteCount + (on ? 0 : 1), !on);
    };
    const button = new VoteButton(this.#texts, (on) => void vote(on));
    button.show(title, voteCount, false);
    return h("li", {}, button.element, h("span", { class: "similar-title", dir: "auto" }, title), badge(this.#texts, status));
  }

  /** The first field with an error; undefined if there is none. */
  #check(): Field | undefined {
    const { titleMissing, bodyMissing } = this.#texts;
    const faults = [[this.#title, titleMissing] as const, [this.#body, bodyMissing] as const].filter(([field, text]) => {
      field.refuse(field.value === "" ? text : "");
      return field.value === "";
    });
    return faults[0]?.[0];
  }

  async #post(event: Event): Promise<void> {
    event.preventDefault();
    if (this.#submit.getAttribute("aria-disabled") === "true") return;
    const fault = this.#check();
    if (fault) return fault.input.focus();
    this.stop();
    const category = (this.#categories.find(({ checked }) => checked)?.value ?? "feature") as Category;
    const thread = { category, title: this.#title.value, body: this.#body.value };
    this.#setBusy(true);
    try {
      await this.#actions.post(thread, this.#keyOf(thread));
    } catch (error) {
      this.#refuse(error);
    } finally {
      this.#setBusy(false);
    }
  }

  /** The same draft has the same key, so that a repetition after a lost response creates no second thread. */
  #keyOf(thread: NewThread): string {
    const draft = JSON.stringify(thread);
    if (this.#sent?.draft !== draft) this.#sent = { draft, key: newIdempotencyKey() };
    return this.#sent.key;
  }

  /** Marks the fields that the service names. */
  #refuse(error: unknown): void {
    const named = error instanceof ApiError ? (error.errors ?? []) : [];
    const fields = { "/title": this.#title, "/body": this.#body };
    const refused = named.map(({ pointer }) => fields[pointer as keyof typeof fields]).filter((field) => field !== undefined);
    for (const field of refused) field.refuse(this.#texts.fieldRefused);
    refused[0]?.input.focus();
  }

  #setBusy(isBusy: boolean): void {
    this.#submit.setAttribute("aria-disabled", String(isBusy));
    this.#submit.replaceChildren(...(isBusy ? [h("span", { class: "spinner" }), this.#texts.posting] : [this.#texts.post]));
  }
}
