import { h, icon } from "./dom.js";
import type { Texts } from "./texts.js";

/** How long a message is shown, in milliseconds. Errors stay until they are closed or another message comes. */
const shown = 8_000;

/** Messages at the bottom of the widget. Screen readers announce them. */
export class Toast {
  readonly element: HTMLElement;
  /** Announcements without a visible text. */
  readonly quiet: HTMLElement;
  readonly #box: HTMLElement;
  readonly #status: HTMLElement;
  readonly #alert: HTMLElement;
  readonly #icon: HTMLElement;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #frame = 0;

  constructor(texts: Texts) {
    this.#status = h("span", { role: "status" });
    this.#alert = h("span", { role: "alert" });
    this.#icon = h("span", { class: "toast-icon" });
    const close = h("button", { type: "button", class: "icon", "aria-label": texts.close, onclick: () => this.hide() }, icon("close", 14));
    // The regions for announcements are always in the document. Only the box around them changes its look.
    this.#box = h(
      "div",
      { class: "toast", part: "message", "data-kind": "none" },
      this.#icon,
      h("span", { class: "toast-text" }, this.#status, this.#alert),
      close,
    );
    this.element = h("div", { class: "toasts" }, this.#box);
    this.quiet = h("p", { class: "sr", role: "status" });
  }

  /** Shows a text for a while. */
  say(text: string): void {
    this.#show("info", text);
    this.#timer = setTimeout(() => this.hide(), shown);
  }

  /** Shows an error until it is closed. */
  fail(text: string): void {
    this.#show("error", text);
  }

  hide(): void {
    clearTimeout(this.#timer);
    cancelAnimationFrame(this.#frame);
    this.#box.dataset["kind"] = "none";
    this.#status.textContent = "";
    this.#alert.textContent = "";
  }

  /** Announces a text to screen readers, also if it is the same text again. */
  announce(text: string): void {
    this.quiet.textContent = "";
    requestAnimationFrame(() => (this.quiet.textContent = text));
  }

  #show(kind: "info" | "error", text: string): void {
    this.hide();
    this.#icon.replaceChildren(icon(kind === "info" ? "check" : "alert"));
    this.#box.dataset["kind"] = kind;
    const region = kind === "info" ? this.#status : this.#alert;
    this.#frame = requestAnimationFrame(() => (region.textContent = text));
  }
}
