import assert from "node:assert/strict";
import { test } from "node:test";
import { InfiniteQueryObserver } from "@tanstack/react-query";
import { ListQueryClient, readAgain } from "../src/ui/query-client.ts";

/** A list with this number of loaded pages that a component shows, and the number of pages that were read. */
async function shown(pages: number, readWhole = false): Promise<{ client: ListQueryClient; read: () => number; loaded: () => number; end: () => void }> {
  const client = new ListQueryClient({ defaultOptions: { queries: { staleTime: 15_000 } } });
  let read = 0;
  const observer = new InfiniteQueryObserver(client, {
    queryKey: ["list"],
    meta: { readWhole },
    queryFn: async ({ pageParam }) => {
      read += 1;
      return { items: [pageParam], cursor: pageParam + 1 };
    },
    initialPageParam: 0,
    getNextPageParam: ({ cursor }) => cursor,
  });
  const unsubscribe = observer.subscribe(() => {});
  while ((observer.getCurrentResult().data?.pages.length ?? 0) < pages) await observer.fetchNextPage();
  read = 0;
  return { client, read: () => read, loaded: () => observer.getCurrentResult().data?.pages.length ?? 0, end: () => (unsubscribe(), client.clear()) };
}

test("a change reads short lists again, and only marks long ones as old", async () => {
  for (const [pages, readWhole, expected] of [[3, false, 3], [40, false, 0], [40, true, 40]] as const) {
    const { client, read, loaded, end } = await shown(pages, readWhole);
    await client.invalidateQueries({ queryKey: ["list"] });
    assert.deepEqual([read(), loaded()], [expected, pages]);
    assert.equal(client.getQueryState(["list"])?.isInvalidated, expected === 0);
    end();
  }
});

test("a long list keeps its first pages if it must be read again", async () => {
  const { client, read, loaded, end } = await shown(40);
  await readAgain(client, ["list"]);
  assert.deepEqual([read(), loaded()], [3, 3]);
  end();
});
