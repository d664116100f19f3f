import { ApiError } from "@tetrad/client";
import { MutationCache, QueryClient, keepPreviousData, useInfiniteQuery, type InfiniteData, type QueryKey, type UseInfiniteQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
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
  new QueryClient({
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

/** Lists of which the user has loaded more pages are not read again by the clock, because each page is a request. */
const maxPolledPages = 3;

export interface PagesOptions {
  enabled?: boolean;
  /** Milliseconds between two reads of the loaded pages. */
  refetchInterval?: number | false;
  /** Whether the previous rows stay while another filter loads. Default: true. */
  keepPrevious?: boolean;
}

export interface PagesResult<Item> {
  /** The items of all loaded pages. */
  items: Item[];
  query: UseInfiniteQueryResult<InfiniteData<Page<Item>>>;
}

/**
 * A list that loads further pages by its cursor: `usePages(["threads", filter], (cursor, signal) =>
 * feedback.listFeedbacks({ ...filter, ...cursor }, { signal }))`. `cursor` is `{}` for the first page. Pass the result to `DataTable`.
 */
export function usePages<Item>(key: QueryKey, load: (cursor: { cursor?: string }, signal: AbortSignal) => PromiseLike<Page<Item>>, { enabled = true, refetchInterval = false, keepPrevious = true }: PagesOptions = {}): PagesResult<Item> {
  const few = ({ state }: { state: { data: InfiniteData<Page<Item>> | undefined } }): boolean => (state.data?.pages.length ?? 0) <= maxPolledPages;
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ pageParam, signal }): Promise<Page<Item>> => load(pageParam === undefined ? {} : { cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Page<Item>) => page.cursor ?? undefined,
    enabled,
    refetchInterval: (self) => (few(self as never) ? refetchInterval : false),
    refetchOnWindowFocus: (self) => few(self as never),
    ...(keepPrevious && { placeholderData: keepPreviousData }),
  });
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  return { items, query };
}

export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404;
