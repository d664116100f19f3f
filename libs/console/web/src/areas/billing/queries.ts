import { useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { useCallback } from "react";
import { useT } from "../../i18n/index.ts";
import { useClients } from "../../session/index.ts";
import { usePages, type PagesResult } from "../../ui/index.ts";
import type { Reading } from "./access.ts";
import type { BillingEvent, Entitlement, Product } from "./model.ts";

export const keys = {
  all: ["billing"] as const,
  products: ["billing", "products"] as const,
  product: (id: string) => ["billing", "products", id] as const,
  user: (id: string) => ["billing", "user", id] as const,
  settings: ["billing", "settings"] as const,
  backfills: ["billing", "backfills"] as const,
};

const maxCatalog = 1000;

/** The catalog, newest first, at most 1,000 products. */
export function useProducts(): UseQueryResult<Product[]> {
  const { billing } = useClients();
  return useQuery({
    queryKey: keys.products,
    queryFn: async ({ signal }) => {
      const found: Product[] = [];
      for await (const product of billing.listProducts({ limit: 100 }, { signal })) {
        found.push(product);
        if (found.length === maxCatalog) break;
      }
      return found;
    },
    staleTime: 60_000,
  });
}

/** The name of a product by the provider's identifier. Products outside of the catalog have only this identifier. */
export function useProductName(): (providerProductId: string) => string {
  const { data } = useProducts();
  return useCallback((id) => data?.find((one) => one.providerProductId === id)?.name ?? id, [data]);
}

export function useEntitlements(userId: string): UseQueryResult<Entitlement[]> {
  const { billing } = useClients();
  return useQuery({
    queryKey: [...keys.user(userId), "entitlements"],
    queryFn: ({ signal }) => billing.getUserEntitlements(userId, {}, { signal }).then(({ entitlements }) => entitlements),
    refetchInterval: 15_000,
  });
}

export function useUserEvents(userId: string): PagesResult<BillingEvent> {
  const { billing } = useClients();
  return usePages<BillingEvent>([...keys.user(userId), "events"], (cursor, signal) => billing.listEvents({ userId, limit: 100, ...cursor }, { signal }), { refetchInterval: 15_000, keepPrevious: false });
}

/** The entitlements at each of the times, as the service computes them from its archive. Times are milliseconds since 1970, ascending. */
export function useHistory(userId: string, times: readonly number[]): UseQueryResult<Reading[]> {
  const { billing } = useClients();
  const client = useQueryClient();
  return useQuery({
    queryKey: [...keys.user(userId), "history", times.join()],
    queryFn: async ({ signal }) => {
      const readings: Reading[] = [];
      // One after another, because the service runs few such searches at once. An event counts at its time: the archive has microseconds,
      // a request milliseconds. A request goes on when the history is read again, because the next reading waits for the same request.
      for (const at of times) {
        signal.throwIfAborted();
        const reading = await client.fetchQuery({
          queryKey: [...keys.user(userId), "at", at],
          queryFn: () => billing.getUserEntitlements(userId, { at: new Date(at + 1).toISOString() }).then(({ entitlements }) => ({ at, entitlements })),
          staleTime: 300_000,
        });
        readings.push(reading);
      }
      return readings;
    },
    enabled: times.length > 0,
    staleTime: 300_000,
    placeholderData: (before) => before,
  });
}

export type Settings = Awaited<ReturnType<ReturnType<typeof useClients>["billing"]["getSettings"]>>;

export interface TaggedSettings {
  settings: Settings;
  etag: string | undefined;
}

export function useSettings(): UseQueryResult<TaggedSettings> {
  const { billing } = useClients();
  return useQuery({
    queryKey: keys.settings,
    queryFn: async ({ signal }) => {
      const { data, response } = await billing.getSettings({ signal }).withResponse();
      return { settings: data, etag: response.headers.get("ETag") ?? undefined };
    },
    staleTime: 60_000,
  });
}

export type SyncSource = "purchases" | "payments";

/** Syncs a user, and reads everything about the user again. Resolves with the number of changes. */
export function useSync(): (userId: string, source?: SyncSource) => Promise<number> {
  const { billing } = useClients();
  const client = useQueryClient();
  return async (userId, source) => {
    const { changes } = await billing.syncUser(userId, source ? { source } : {}, { timeoutMs: 60_000 });
    await client.invalidateQueries({ queryKey: keys.all });
    return changes.length;
  };
}

/** "No changes" or the number of changed entitlements. */
export function useChangesText(): (count: number) => string {
  const t = useT("billing");
  return (count) => (count === 0 ? t("sync.unchanged") : t("sync.changed", { count }));
}
