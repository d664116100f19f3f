import { Call, type WithResponse } from "./call.js";

/**
 * A list. `await` it for its first page, or iterate over all items with `for await`. It is requested when it is first used, and its
 * first page only once. Further pages are requested during the iteration. Errors are those of `Call`.
 */
export class Pages<Item, Page> extends Call<Page> implements AsyncIterable<Item> {
  readonly #request: (cursor: string) => Promise<WithResponse<Page>>;
  readonly #items: string;

  /** `request`: requests one page, the first one without a cursor. `items`: name of the member with the items. */
  constructor(request: (cursor?: string) => Promise<WithResponse<Page>>, items: string) {
    let first: Promise<WithResponse<Page>> | undefined;
    super(() => (first ??= request()));
    this.#request = request;
    this.#items = items;
  }

  /** Iterates over the pages. */
  async *byPage(): AsyncGenerator<Page, void, undefined> {
    for (let { data: page } = await this.withResponse(); ; ) {
      yield page;
      const { cursor, nextCursor } = page as { cursor?: string | null; nextCursor?: string | null };
      const next = cursor ?? nextCursor;
      if (next === undefined || next === null) return;
      page = (await this.#request(next)).data;
    }
  }

  /** Iterates over the items of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.byPage()) yield* (page as Record<string, Item[]>)[this.#items] ?? [];
  }

  override get [Symbol.toStringTag](): string {
    return "Pages";
  }
}
