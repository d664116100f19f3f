import { QueryClient, type InfiniteData, type Query, type QueryKey, type RefetchOptions, type RefetchQueryFilters } from "@tanstack/react-query";

declare module "@tanstack/react-query" {
  interface Register {
    queryMeta: {
      /** Whether a change reads all loaded pages of the list again, however many. */
      readWhole?: boolean;
    };
  }
}

/** Lists of which the user has loaded more pages are not read again, because each page is a request. */
const maxPolledPages = 3;
/** Whether a query is a list with more pages. */
export const isLong = (query: Query): boolean => ((query.state.data as Partial<InfiniteData<unknown>> | undefined)?.pages?.length ?? 0) > maxPolledPages;
const isKept = (query: Query): boolean => isLong(query) && !query.meta?.readWhole;

/** Reads queries again after a change, except for long lists. These are only marked as old. */
export class ListQueryClient extends QueryClient {
  /** `invalidateQueries` calls this, too. */
  override refetchQueries(filters: RefetchQueryFilters = {}, options?: RefetchOptions): Promise<void> {
    return super.refetchQueries({ ...filters, predicate: (query) => !isKept(query) && (filters.predicate?.(query) ?? true) }, options);
  }
}

/**
 * Keeps only the first pages of lists with many loaded pages, so that `invalidateQueries` reads them, too. For changes that remove or change
 * other rows than those that the page has changed itself.
 */
export function shortenLists(client: QueryClient, queryKey: QueryKey): void {
  for (const query of client.getQueryCache().findAll({ queryKey, predicate: isKept }))
    client.setQueryData<InfiniteData<unknown>>(query.queryKey, (data) => data && { pages: data.pages.slice(0, maxPolledPages), pageParams: data.pageParams.slice(0, maxPolledPages) });
}
