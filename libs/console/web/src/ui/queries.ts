import { ApiError } from "@tetrad/client";
import { MutationCache, keepPreviousData, useInfiniteQuery, type InfiniteData, type Query, type QueryClient, type QueryKey, type UseInfiniteQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import { isLong, ListQueryClient } from "./query-client.ts";
import { toast } from "./toast.tsx";

declare module "@tanstack/react-query" {
  interface Register {
    mutationMeta: {
      /** Title of the message when the mutation fails, for example "The thread was not changed". */
      errorTitle?: string;
      /** Whether the component shows the error itself. */
      silent?: boolean;
    };
  }
}

/** The SDK repeats failed requests itself. */
export const newQueryClient = (): QueryClient =>
  new ListQueryClient({
    mutationCache: new MutationCache({
      onError: (error, _variables, _context, mutation) => {
        if (!mutation.meta?.silent) toast.error(error, mutation.meta?.errorTitle);
      },
    }),
    defaultOptions: {
      queries: { retry: false, staleTime: 15_000, gcTime: 300_000, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  });

interface Page<Item> {
  items: readonly Item[];
  cursor?: string | null;
}

export interface PagesOptions {
  enabled?: boolean;
  /** Milliseconds between two reads of the loaded pages. */
  refetchInterval?: number | false;
  /** Whether the previous rows stay while another filter loads. Default: true. */
  keepPrevious?: boolean;
  /** Whether a change reads all loaded pages again, however many. Default: lists with many pages are only marked as old. */
  readWhole?: boolean;
}

export interface PagesResult<Item> {
  /** The items of all loaded pages. */
  items: Item[];
  query: UseInfiniteQueryResult<InfiniteData<Page<Item>>>;
  load: Load<Item>;
}

/** Loads a page of a list. `cursor` is `{}` for the first one. */
type Load<Item> = (cursor: { cursor?: string }, signal: AbortSignal) => PromiseLike<Page<Item>>;

/**
 * A list that loads further pages by its cursor: `usePages(["threads", filter], (cursor, signal) =>
 * feedback.listFeedbacks({ ...filter, ...cursor }, { signal }))`. Pass the result to `DataTable`.
 */
export function usePages<Item>(key: QueryKey, load: Load<Item>, { enabled = true, refetchInterval = false, keepPrevious = true, readWhole = false }: PagesOptions = {}): PagesResult<Item> {
  const few = (self: unknown): boolean => !isLong(self as Query);
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ pageParam, signal }): Promise<Page<Item>> => load(pageParam === undefined ? {} : { cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Page<Item>) => page.cursor ?? undefined,
    enabled,
    meta: { readWhole },
    refetchInterval: (self) => (few(self) ? refetchInterval : false),
    refetchOnMount: few,
    refetchOnReconnect: few,
    refetchOnWindowFocus: few,
    ...(keepPrevious && { placeholderData: keepPreviousData }),
  });
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  return { items, query, load };
}

/**
 * The items after the loaded pages, from at most `maxPages` pages, and whether there are more. The list stays as long as
 * the user has made it.
 */
export async function readFurther<Item>({ query, load }: PagesResult<Item>, maxPages: number): Promise<{ items: Item[]; more: boolean }> {
  const items: Item[] = [];
  const { signal } = new AbortController();
  let cursor = query.data?.pages.at(-1)?.cursor;
  for (let pages = 0; cursor && pages < maxPages; pages += 1) {
    const page = await load({ cursor }, signal);
    items.push(...page.items);
    cursor = page.cursor;
  }
  return { items, more: Boolean(cursor) };
}

export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404;
