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

/** Reads queries again, also long lists, which keep only their first pages. For a change of rows that the page has not patched. */
export function readAgain(client: QueryClient, queryKey: QueryKey): Promise<void> {
  for (const query of client.getQueryCache().findAll({ queryKey, predicate: isKept }))
    client.setQueryData<InfiniteData<unknown>>(query.queryKey, (data) => data && { pages: data.pages.slice(0, maxPolledPages), pageParams: data.pageParams.slice(0, maxPolledPages) });
  return client.invalidateQueries({ queryKey });
}
