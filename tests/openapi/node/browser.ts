// A browser without JavaScript, at the pages of auth-mfa.
import assert from "node:assert/strict";
import type { Client } from "openapi-fetch";
import type { paths } from "./clients/auth-mfa.js";
import { exchanged, type World } from "./world.js";

/** Where a redirect leads. */
export function locationOf({ status, headers }: { status: number; headers: Headers }): string {
  assert.equal(status, 303);
  return headers.get("location")!;
}

/** A browser that keeps cookies. It does not follow redirects by itself. */
export class Browser {
  readonly #world: World;
  readonly #cookies = new Map<string, string>();
  /** Sends requests with the cookies. */
  readonly caller: Client<paths>;

  constructor(world: World) {
    this.#world = world;
    this.caller = world.client<paths>("auth-mfa");
    this.caller.use({
      onRequest: ({ request }) => request.headers.set("Cookie", this.#cookie()),
      onResponse: ({ response }) => this.#keep(response.headers),
    });
  }

  /** Opens the location of a redirect. */
  async open(location: string): Promise<{ status: number; headers: Headers; text: string }> {
    const { status, headers, body } = await this.#world.send("auth-mfa", "GET", this.#url(location), { Cookie: this.#cookie() });
    this.#keep(headers);
    return { status, headers, text: body.toString() };
  }

  /** Signs a user in on the page `/login` at the location, and returns to the authorization request. Returns where that leads. */
  async signIn(location: string, { email, password }: { email: string; password: string }): Promise<string> {
    const { text } = await this.open(location);
    const hidden = [...text.matchAll(/<input type="hidden" name="(csrf|next)" value="([^"]+)">/g)].map(([, name, value]) => [name, value]);
    const next = await this.#submit("POST", "/login", { ...Object.fromEntries(hidden), email, password });
    return this.#submit("GET", next);
  }

  /** Sends a request of the hosted pages that is not a part of the contract. Returns where the response leads. */
  async #submit(method: string, location: string, form: Record<string, string> = {}): Promise<string> {
    const headers = new Headers({ Cookie: this.#cookie(), "Content-Type": "application/x-www-form-urlencoded" });
    const answer = await exchanged(method, this.#url(location), headers, Buffer.from(new URLSearchParams(form).toString()));
    this.#keep(answer.headers);
    return locationOf(answer);
  }

  #url(location: string): URL {
    return new URL(location, this.#world.base("auth-mfa"));
  }

  #cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  #keep(headers: Headers): void {
    for (const cookie of headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      if (value === "") this.#cookies.delete(name!);
      else this.#cookies.set(name!, value!);
    }
  }
}
