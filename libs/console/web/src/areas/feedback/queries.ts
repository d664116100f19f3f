import { useMutation, useQuery, useQueryClient, type InfiniteData, type UseMutationResult, type UseQueryResult } from "@tanstack/react-query";
import { useT } from "../../i18n/index.ts";
import { useClients, useMe } from "../../session/index.ts";
import { toast, usePages, type PagesResult } from "../../ui/index.ts";
import { queryOf, searchOf, type Attachment, type Changes, type Filter, type Reply, type StatusMove, type Thread } from "./model.ts";

export const keys = {
  lists: ["feedback", "list"] as const,
  list: (filter: Filter) => ["feedback", "list", searchOf(filter)] as const,
  thread: (id: string) => ["feedback", "thread", id] as const,
  replies: (id: string) => ["feedback", "thread", id, "replies"] as const,
  history: (id: string) => ["feedback", "thread", id, "history"] as const,
  voters: (id: string) => ["feedback", "thread", id, "voters"] as const,
  attachment: (id: string) => ["feedback", "attachment", id] as const,
  settings: ["feedback", "settings"] as const,
};

const pageSize = 50;

/** The inbox. It is read again every 15 seconds. */
export function useThreads(filter: Filter): PagesResult<Thread> {
  const { feedback } = useClients();
  const me = useMe();
  const query = queryOf(filter, me.sub);
  return usePages<Thread>(keys.list(filter), (cursor, signal) => feedback.listFeedbacks({ limit: pageSize, ...query, ...cursor }, { signal }), { refetchInterval: 15_000 });
}

export function useThread(id: string): UseQueryResult<Thread> {
  const { feedback } = useClients();
  const client = useQueryClient();
  return useQuery<Thread>({
    queryKey: keys.thread(id),
    queryFn: ({ signal }) => feedback.getFeedback(id, { signal }).then((thread): Thread => thread),
    refetchInterval: 15_000,
    // The list has the thread already.
    placeholderData: (): Thread | undefined => cachedThreads(client).find((thread) => thread.feedbackId === id),
  });
}

type ThreadPages = InfiniteData<{ items: Thread[] }>;
const cachedThreads = (client: ReturnType<typeof useQueryClient>): Thread[] =>
  client.getQueriesData<ThreadPages>({ queryKey: keys.lists }).flatMap(([, data]) => data?.pages.flatMap((page) => page.items) ?? []);

export function useReplies(id: string): PagesResult<Reply> {
  const { feedback } = useClients();
  return usePages<Reply>(keys.replies(id), (cursor, signal) => feedback.listReplies(id, { limit: pageSize, ...cursor }, { signal }), { refetchInterval: 10_000, keepPrevious: false, readWhole: true });
}

export function useHistory(id: string): PagesResult<StatusMove> {
  const { feedback } = useClients();
  return usePages<StatusMove>(keys.history(id), (cursor, signal) => feedback.listHistory(id, { limit: 100, ...cursor }, { signal }), { refetchInterval: 30_000, keepPrevious: false, readWhole: true });
}

export function useAttachment(id: string): UseQueryResult<Attachment> {
  const { feedback } = useClients();
  return useQuery({ queryKey: keys.attachment(id), queryFn: ({ signal }) => feedback.getAttachment(id, { signal }).then((value) => value), staleTime: 120_000 });
}

export interface StaffMember {
  userId: string;
  email: string;
}

/** Admins and owners. Threads can be assigned to them. */
export function useStaff(): UseQueryResult<StaffMember[]> {
  const { auth } = useClients();
  return useQuery({
    queryKey: ["users", "staff"],
    queryFn: async ({ signal }) => {
      const [owners, admins] = await Promise.all((["owner", "admin"] as const).map((role) => auth.listMembers({ role, status: "active", limit: 100 }, { signal })));
      return [...owners!.items, ...admins!.items].map(({ userId, email }) => ({ userId, email })).sort((a, b) => a.email.localeCompare(b.email));
    },
    staleTime: 300_000,
  });
}

/** The name of an author or actor. */
export function useNameOf(thread?: Thread): (id: string) => string {
  const t = useT("feedback");
  const me = useMe();
  const staff = useStaff();
  return (id) => {
    if (id === me.sub) return t("author.you");
    if (id.startsWith("key:")) return t("author.key", { prefix: id.slice(4) });
    if (id === "master") return t("author.operator");
    if (id.startsWith("deleted:")) return t("author.deleted");
    if (thread?.userEmail && id === thread.userId) return thread.userEmail;
    return staff.data?.find((one) => one.userId === id)?.email ?? id;
  };
}

/** The settings of feedback in this environment. */
export type Settings = Awaited<ReturnType<ReturnType<typeof useClients>["feedback"]["getSettings"]>>;

export function useSettings(): UseQueryResult<Settings> {
  const { feedback } = useClients();
  return useQuery({ queryKey: keys.settings, queryFn: ({ signal }) => feedback.getSettings({ signal }).then((value) => value), staleTime: 60_000 });
}

/** Changes of a thread as the cache shows them before the service has answered. */
const changed = (thread: Thread, set: Changes): Thread => ({
  ...thread,
  ...(set.status !== undefined && { status: set.status }),
  ...(set.priority !== undefined && { priority: set.priority }),
  ...(set.assigneeId !== undefined && { assigneeId: set.assigneeId }),
  ...(set.assigneeEmail !== undefined && { assigneeEmail: set.assigneeEmail }),
  ...(set.tags !== undefined && { tags: set.tags ?? [] }),
  ...(set.visibility !== undefined && { visibility: set.visibility }),
});

/** Replaces a thread in all lists and in its own entry of the cache. Returns a function that restores the previous content. */
export function usePatchCache(): (id: string, patch: (thread: Thread) => Thread) => () => void {
  const client = useQueryClient();
  return (id, patch) => {
    const before = [...client.getQueriesData({ queryKey: keys.lists }), [keys.thread(id), client.getQueryData(keys.thread(id))] as const];
    client.setQueriesData<ThreadPages>({ queryKey: keys.lists }, (data) =>
      data && { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.map((one) => (one.feedbackId === id ? patch(one) : one)) })) },
    );
    client.setQueryData<Thread>(keys.thread(id), (data) => data && patch(data));
    return () => {
      for (const [key, data] of before) client.setQueryData(key, data);
    };
  };
}

export interface ThreadUpdate {
  thread: Thread;
  set: Changes;
  /** Message after the change, with an offer to undo it. */
  done?: string;
}

/** Changes a thread at once, and takes the change back if the service refuses it. */
export function useUpdateThread(): UseMutationResult<Thread, unknown, ThreadUpdate, { restore: () => void }> {
  const { feedback } = useClients();
  const client = useQueryClient();
  const patch = usePatchCache();
  const t = useT("feedback");
  const common = useT("common");
  const mutation = useMutation<Thread, unknown, ThreadUpdate, { restore: () => void }>({
    mutationFn: ({ thread, set }) => feedback.updateFeedback(thread.feedbackId, set).then((value): Thread => value),
    meta: { errorTitle: t("thread.notChanged") },
    onMutate: async ({ thread, set }) => {
      await Promise.all([client.cancelQueries({ queryKey: keys.lists }), client.cancelQueries({ queryKey: keys.thread(thread.feedbackId) })]);
      return { restore: patch(thread.feedbackId, (one) => changed(one, set)) };
    },
    onError: (_error, _update, context) => context?.restore(),
    onSuccess: (value, { thread, set, done }) => {
      patch(value.feedbackId, () => value);
      if (done === undefined) return;
      const previous = Object.fromEntries(Object.keys(set).map((name) => [name, thread[name as keyof Thread]])) as Changes;
      toast.success(done, { action: { label: common("action.undo"), run: () => mutation.mutate({ thread: value, set: previous }) } });
    },
    onSettled: (_value, _error, { thread }) => {
      void client.invalidateQueries({ queryKey: keys.lists });
      void client.invalidateQueries({ queryKey: keys.thread(thread.feedbackId) });
    },
  });
  return mutation;
}

/** The order of the inbox that the user has left, for "next" and "previous" on the page of a thread. */
export const lastInbox: { search: string; ids: string[] } = { search: "", ids: [] };
