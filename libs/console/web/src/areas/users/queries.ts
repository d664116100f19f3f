import { useMutation, useQuery, useQueryClient, type UseMutationResult, type UseQueryResult } from "@tanstack/react-query";
import { useClients, useStepUp } from "../../session/index.ts";
import { isNotFound, readAgain, usePages, type PagesResult } from "../../ui/index.ts";
import { isAccountId, pollInterval, queryOf, readSignIn, type Activity, type Device, type Entitlement, type Erasure, type Filter, type Member, type Notification, type SignIn, type Thread } from "./model.ts";

export const keys = {
  all: ["users"] as const,
  list: (filter: Filter) => ["users", "list", filter.q.trim(), filter.role, filter.status] as const,
  profile: (id: string) => ["users", "profile", id] as const,
  part: (id: string, part: string) => ["users", "profile", id, part] as const,
  erasures: ["users", "erasures"] as const,
  erasure: (id: string) => ["users", "erasures", id] as const,
};

/** Users by the filter. An identifier in the search finds its user. */
export function useMembers(filter: Filter): PagesResult<Member> {
  const { auth } = useClients();
  return usePages<Member>(
    keys.list(filter),
    async (cursor, signal) => {
      if (!isAccountId(filter.q)) return auth.listMembers({ limit: 50, ...queryOf(filter), ...cursor }, { signal });
      try {
        const member = await auth.getMember(filter.q.trim().toLowerCase(), { signal });
        return { items: (!filter.role || member.role === filter.role) && (!filter.status || member.status === filter.status) ? [member] : [] };
      } catch (error) {
        if (isNotFound(error)) return { items: [] };
        throw error;
      }
    },
    { refetchInterval: 30_000 },
  );
}

/** The account of a user; null if the environment has none with this identifier. */
export function useMember(id: string): UseQueryResult<Member | null> {
  const { auth } = useClients();
  return useQuery({
    queryKey: keys.part(id, "account"),
    queryFn: async ({ signal }): Promise<Member | null> => {
      if (!isAccountId(id)) return null;
      try {
        return await auth.getMember(id, { signal });
      } catch (error) {
        if (isNotFound(error)) return null;
        throw error;
      }
    },
    refetchInterval: 30_000,
  });
}

/** Factors and sessions of a member. */
export function useSignIn(id: string): UseQueryResult<SignIn> {
  const { auth } = useClients();
  return useQuery({ queryKey: keys.part(id, "sign-in"), queryFn: ({ signal }) => readSignIn(auth.exportMember(id, { signal }), Date.now()), staleTime: 30_000 });
}

export function useActivity(id: string): PagesResult<Activity> {
  const { auth } = useClients();
  return usePages<Activity>(keys.part(id, "activity"), (cursor, signal) => auth.listMemberActivity(id, { limit: 10, ...cursor }, { signal }), { keepPrevious: false });
}

const shown = 5;

/** The newest threads of a user. */
export function useThreadsOf(id: string): UseQueryResult<{ items: Thread[]; more: boolean }> {
  const { feedback } = useClients();
  return useQuery({
    queryKey: keys.part(id, "threads"),
    queryFn: async ({ signal }) => {
      const { items, cursor } = await feedback.listFeedbacks({ userId: id, limit: shown }, { signal });
      return { items, more: cursor !== null };
    },
  });
}

/** The newest notifications to a user: pushes by the identifier, emails and text messages by the addresses of the account. */
export function useNotificationsOf(id: string, member: Member | null): UseQueryResult<Notification[]> {
  const { notify } = useClients();
  const recipients = [id, member?.email, member?.phone].filter((one): one is string => typeof one === "string" && one !== "");
  return useQuery({
    queryKey: [...keys.part(id, "notifications"), ...recipients],
    queryFn: async ({ signal }) => {
      const lists = await Promise.all(recipients.map((to) => notify.listNotifications({ to, limit: shown }, { signal })));
      return lists.flatMap(({ notifications }): Notification[] => notifications).sort((a, b) => b.createdAt.localeCompare(a.createdAt)).slice(0, shown);
    },
  });
}

/** The devices of a user that get pushes. */
export function useDevicesOf(id: string): UseQueryResult<Device[]> {
  const { notify } = useClients();
  return useQuery({ queryKey: keys.part(id, "devices"), queryFn: ({ signal }) => notify.listDevices({ userId: id, limit: 20 }, { signal }).then(({ items }): Device[] => items) });
}

/** The entitlements of a user: first the entitlements that give access, then by the last change. */
export function useEntitlementsOf(id: string): UseQueryResult<Entitlement[]> {
  const { billing } = useClients();
  return useQuery({
    queryKey: keys.part(id, "entitlements"),
    queryFn: async ({ signal }) => {
      const { entitlements } = await billing.getUserEntitlements(id, {}, { signal });
      return [...entitlements].sort((a, b) => Number(b.isActive) - Number(a.isActive) || b.updatedAt.localeCompare(a.updatedAt));
    },
  });
}

/** The names of the products in the catalog, by `productId`. Without them, the identifiers at the provider are shown. */
export function useProductNames(): ReadonlyMap<string, string> {
  const { billing } = useClients();
  const query = useQuery({
    queryKey: ["billing", "product-names"],
    queryFn: ({ signal }) => billing.listProducts({ limit: 100 }, { signal }).then(({ items }) => new Map(items.map((product) => [product.productId, product.name]))),
    staleTime: 300_000,
  });
  return query.data ?? new Map();
}

export function useErasures(): PagesResult<Erasure> {
  const { auth } = useClients();
  return usePages<Erasure>(keys.erasures, (cursor, signal) => auth.listErasures({ limit: 50, ...cursor }, { signal }), { refetchInterval: 10_000 });
}

/** One erasure. It is read again until it is finished. */
export function useErasure(id: string): UseQueryResult<Erasure> {
  const { auth } = useClients();
  return useQuery({
    queryKey: keys.erasure(id),
    queryFn: ({ signal }) => auth.getErasure(id, { signal }).then((erasure): Erasure => erasure),
    refetchInterval: (query) => pollInterval(query.state.data, Date.now()),
  });
}

/** Runs an action after the user's identity is confirmed, then reads all users again. The component shows errors. */
export function useAction<Value>(action: () => PromiseLike<Value>): UseMutationResult<Value, unknown, void> {
  const stepUp = useStepUp();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => stepUp(action, { fresh: true }),
    meta: { silent: true },
    onSuccess: () => readAgain(client, keys.all),
  });
}
