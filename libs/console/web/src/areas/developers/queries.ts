import { PreconditionError, type CallOptions } from "@tetrad/client";
import { useQueries, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useClients, useConfig, useTenant, type Clients } from "../../session/index.ts";
import { usePages, type PagesResult } from "../../ui/index.ts";
import { auditQueryOf, pollInterval, services, withinPeriod, type AuditEntry, type AuditFilter, type Delivery, type DeliveryStatus, type DeliveryWithPayload, type KeyKind, type KeyRecord, type KeyService, type NewKey, type Service, type Webhook, type WebhookTest, type WebhookWithSecret } from "./model.ts";

const root = "developers";
export const keys = {
  keys: [root, "keys"] as const,
  keysOf: (service: Service) => [root, "keys", service] as const,
  webhooks: [root, "webhooks"] as const,
  webhooksOf: (service: Service) => [root, "webhooks", service] as const,
  webhook: (service: Service, id: string) => [root, "webhook", service, id] as const,
  deliveries: (service: Service, id: string) => [root, "webhook", service, id, "deliveries"] as const,
  delivery: (service: Service, id: string, deliveryId: string) => [root, "webhook", service, id, "delivery", deliveryId] as const,
  origins: (service: Service) => [root, "origins", service] as const,
  audit: (service: Service, filter: AuditFilter) => [root, "audit", service, filter] as const,
};

interface Page<Item> {
  items: readonly Item[];
  cursor: string | null;
}
interface PageQuery {
  limit?: number;
  cursor?: string;
}
export interface WebhookChanges {
  url?: string;
  events?: string[];
  description?: string | null;
  enabled?: boolean;
}

/** The operations that all services have. */
interface Api {
  listWebhooks(query?: PageQuery, options?: CallOptions): PromiseLike<Page<Webhook>>;
  createWebhook(body: WebhookChanges & { url: string }): PromiseLike<WebhookWithSecret>;
  getWebhook(id: string, options?: CallOptions): PromiseLike<Webhook>;
  updateWebhook(id: string, body: WebhookChanges, options?: CallOptions): PromiseLike<Webhook>;
  deleteWebhook(id: string): PromiseLike<unknown>;
  rotateWebhookSecret(id: string): PromiseLike<WebhookWithSecret>;
  testWebhook(id: string): PromiseLike<WebhookTest>;
  listDeliveries(id: string, query?: PageQuery & { status?: DeliveryStatus }, options?: CallOptions): PromiseLike<Page<Delivery>>;
  getDelivery(id: string, deliveryId: string, options?: CallOptions): PromiseLike<DeliveryWithPayload>;
  redeliver(id: string, deliveryId: string): PromiseLike<Delivery>;
  listAudit(query?: PageQuery & { actor?: string; action?: string }, options?: CallOptions): PromiseLike<Page<AuditEntry>>;
}

const apiOf = (clients: Clients, service: Service): Api => clients[service] as Api;
export const useApi = (service: Service): Api => apiOf(useClients(), service);

const urls = { feedback: "feedbackUrl", notify: "notifyUrl", billing: "billingUrl" } as const;

/** The address of a service; empty if the operator has not configured it. auth-mfa serves the console. */
export function useUrlOf(): (service: Service) => string {
  const config = useConfig();
  return useCallback((service) => (service === "auth" ? location.origin : config[urls[service]]), [config]);
}

/** The services that the operator has configured. */
export function useServices(): Service[] {
  const urlOf = useUrlOf();
  return useMemo(() => services.filter((service) => urlOf(service) !== ""), [urlOf]);
}

/** An item with the service that it belongs to. */
export type Of<Item> = Item & { service: Service };

export interface Merged<Item> {
  items: Of<Item>[];
  /** The services whose items are not known, with the reason. */
  failed: { service: Service; error: unknown; retry: () => void }[];
  /** Whether no service has answered. */
  pending: boolean;
}

/** The items of several services as one list, newest first. */
function useMerged<Item extends { createdAt: string }>(of: readonly Service[], keyOf: (service: Service) => readonly unknown[], load: (service: Service, signal: AbortSignal) => Promise<Item[]>, pollMs: number): Merged<Item> {
  const results = useQueries({ queries: of.map((service) => ({ queryKey: keyOf(service), queryFn: ({ signal }: { signal: AbortSignal }) => load(service, signal), refetchInterval: pollMs })) });
  const stamp = results.map((one) => `${one.dataUpdatedAt} ${one.errorUpdatedAt}`).join();
  // The results are other objects in each rendering. Rows stay the same until one of the lists has been read again.
  return useMemo(() => {
    const items = of.flatMap((service, index) => (results[index]?.data ?? []).map((item) => ({ ...item, service })));
    items.sort((a, b) => b.createdAt.localeCompare(a.createdAt));
    const failed = of.flatMap((service, index) => {
      const { error, data, refetch } = results[index]!;
      return error && data === undefined ? [{ service, error, retry: () => void refetch() }] : [];
    });
    return { items, failed, pending: results.every((one) => one.isPending) };
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [of, stamp]);
}

const maxKeys = 1000;

/** The keys of the environment. */
export function useKeys(of: readonly KeyService[]): Merged<KeyRecord> {
  const clients = useClients();
  const { environment } = useTenant();
  const load = async (service: Service, signal: AbortSignal): Promise<KeyRecord[]> => {
    const found: KeyRecord[] = [];
    for await (const key of clients[service as KeyService].listKeys({ environment, limit: 100 }, { signal })) {
      found.push(key);
      if (found.length === maxKeys) break;
    }
    return found;
  };
  return useMerged<KeyRecord>(of, keys.keysOf, load, 30_000);
}

export interface NewKeyRequest {
  service: KeyService;
  kind: KeyKind;
  /** Whether the new key replaces the others, and for how many seconds they stay valid. */
  replaces: null | { seconds: number };
}

/** Makes a key for the environment of the page. */
export function useMakeKey(): (request: NewKeyRequest) => Promise<NewKey> {
  const { auth, notify, billing } = useClients();
  const { environment } = useTenant();
  const client = useQueryClient();
  return async ({ service, kind, replaces }) => {
    const body = replaces && { gracePeriodSeconds: replaces.seconds };
    const make = (): PromiseLike<NewKey> => {
      if (service === "notify") {
        if (!body) return notify.mintKey({ environment, kind });
        return kind === "secret" ? notify.rotateKey(environment, body) : notify.rotatePublishableKey(environment, body);
      }
      const api = { auth, billing }[service];
      return body ? api.rotateKey(environment, body) : api.mintKey({ environment });
    };
    const key = await make();
    void client.invalidateQueries({ queryKey: keys.keys });
    return key;
  };
}

/** A service has at most 20 webhooks in an environment. */
const maxWebhooks = 100;

export function useWebhooks(of: readonly Service[]): Merged<Webhook> {
  const clients = useClients();
  const load = async (service: Service, signal: AbortSignal): Promise<Webhook[]> => [...(await apiOf(clients, service).listWebhooks({ limit: maxWebhooks }, { signal })).items];
  return useMerged<Webhook>(of, keys.webhooksOf, load, 15_000);
}

export function useWebhook(service: Service, id: string): UseQueryResult<Webhook> {
  const api = useApi(service);
  const client = useQueryClient();
  return useQuery<Webhook>({
    queryKey: keys.webhook(service, id),
    queryFn: async ({ signal }) => api.getWebhook(id, { signal }),
    refetchInterval: 15_000,
    // The list has the webhook already.
    placeholderData: () => client.getQueryData<Webhook[]>(keys.webhooksOf(service))?.find((one) => one.webhookId === id),
  });
}

/** How many deliveries the list of webhooks shows for each webhook. */
export const recentDeliveries = 12;

/** The newest deliveries of a webhook, for the list of webhooks. */
export function useRecentDeliveries(service: Service, id: string): UseQueryResult<readonly Delivery[]> {
  const api = useApi(service);
  return useQuery({ queryKey: [...keys.deliveries(service, id), "recent"], queryFn: async ({ signal }) => (await api.listDeliveries(id, { limit: recentDeliveries }, { signal })).items, refetchInterval: 30_000 });
}

/** The deliveries of a webhook, newest first. They are read again more often while one of them is due. */
export function useDeliveries(service: Service, id: string, status: DeliveryStatus | ""): PagesResult<Delivery> {
  const api = useApi(service);
  const [interval, setPollInterval] = useState(15_000);
  const pages = usePages<Delivery>([...keys.deliveries(service, id), "list", status], (cursor, signal) => api.listDeliveries(id, { limit: 50, ...(status && { status }), ...cursor }, { signal }), { refetchInterval: interval });
  const next = pollInterval(pages.items.slice(0, 50), Date.now());
  useEffect(() => setPollInterval(next), [next]);
  return pages;
}

/** A delivery with its event. */
export function useDelivery(service: Service, id: string, deliveryId: string): UseQueryResult<DeliveryWithPayload> {
  const api = useApi(service);
  return useQuery<DeliveryWithPayload>({
    queryKey: keys.delivery(service, id, deliveryId),
    queryFn: async ({ signal }) => api.getDelivery(id, deliveryId, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? pollInterval([state.data], Date.now()) : false),
  });
}

interface Origins {
  origins: readonly string[];
  etag: string | undefined;
}

const origins = async (call: { withResponse(): Promise<{ data: { allowedOrigins: readonly string[] }; response: Response }> }): Promise<Origins> => {
  const { data, response } = await call.withResponse();
  return { origins: data.allowedOrigins, etag: response.headers.get("ETag") ?? undefined };
};

/** The origins whose pages may call a service. */
export function useOrigins(service: Service): UseQueryResult<readonly string[]> {
  const clients = useClients();
  return useQuery({ queryKey: keys.origins(service), queryFn: ({ signal }) => origins(clients[service].getSettings({ signal })), select: (value) => value.origins });
}

const maxAttempts = 3;

/** Changes the origins of a service. If another request has changed the settings in the meantime, the change begins with their new state. */
export function useChangeOrigins(service: Service): (change: (list: readonly string[]) => string[]) => Promise<void> {
  const api = useClients()[service];
  const client = useQueryClient();
  return async (change) => {
    for (let attempt = 1; ; attempt += 1) {
      const current = await origins(api.getSettings());
      try {
        const ifMatch = current.etag === undefined ? {} : { ifMatch: current.etag };
        client.setQueryData(keys.origins(service), await origins(api.updateSettings({ allowedOrigins: change(current.origins) }, ifMatch)));
        break;
      } catch (error) {
        if (!(error instanceof PreconditionError) || attempt === maxAttempts) throw error;
      }
    }
    // The service's own area has the settings too, with their previous ETag.
    void client.invalidateQueries({ queryKey: [service, "settings"] });
  };
}

/** The audit log of a service, newest first. */
export function useAudit(service: Service, filter: AuditFilter): PagesResult<AuditEntry> {
  const api = useApi(service);
  return usePages<AuditEntry>(keys.audit(service, filter), async (cursor, signal) => withinPeriod(await api.listAudit({ limit: 100, ...auditQueryOf(filter), ...cursor }, { signal }), filter.period, Date.now()), { refetchInterval: 15_000 });
}
