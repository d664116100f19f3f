import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useClients } from "../../session/index.ts";
import { usePages, type PagesResult } from "../../ui/index.ts";
import { isMoving, isRunning, queryOf, type Broadcast, type BroadcastStatus, type Filter, type Notification, type NotificationEvent, type Platform, type Template } from "./model.ts";

const root = "notify";
export const keys = {
  notifications: [root, "notifications"] as const,
  notification: (id: string) => [root, "notification", id] as const,
  templates: [root, "templates"] as const,
  template: (id: string) => [root, "template", id] as const,
  preview: (id: string, version: number, variables: Record<string, string>) => [root, "preview", id, version, variables] as const,
  broadcasts: [root, "broadcasts"] as const,
  broadcast: (id: string) => [root, "broadcast", id] as const,
  devices: (userId: string) => [root, "devices", userId] as const,
  suppressions: [root, "suppressions"] as const,
  domain: [root, "domain"] as const,
  platforms: [root, "platforms"] as const,
  settings: [root, "settings"] as const,
};

const pageSize = 50;
const fastMs = 2_000;
const slowMs = 15_000;

/** Notifications, newest first. The list is read again more often while one of them is being sent. */
export function useNotifications(filter: Filter): PagesResult<Notification> {
  const { notify } = useClients();
  const [moving, setMoving] = useState(false);
  const pages = usePages<Notification>(
    [...keys.notifications, filter],
    async (page, signal) => {
      // A cursor is valid for one filter, so later pages have the period of the first one.
      const [now, cursor] = page.cursor?.split(" ") ?? [String(Date.now())];
      const { notifications, nextCursor } = await notify.listNotifications({ limit: pageSize, ...queryOf(filter, Number(now)), ...(cursor && { cursor }) }, { signal });
      return { items: notifications, cursor: nextCursor && `${now} ${nextCursor}` };
    },
    { refetchInterval: moving ? fastMs : slowMs },
  );
  const next = pages.items.slice(0, pageSize).some((one) => isMoving(one, Date.now()));
  useEffect(() => setMoving(next), [next]);
  return pages;
}

export function useNotification(id: string): UseQueryResult<Notification> {
  const { notify } = useClients();
  return useQuery<Notification>({
    queryKey: keys.notification(id),
    queryFn: ({ signal }) => notify.getNotification(id, { signal }).then((value): Notification => value),
    refetchInterval: ({ state }) => (state.data && isMoving(state.data, Date.now()) ? fastMs : slowMs),
  });
}

/** The status changes of a notification, newest first. They are read again when the notification changes. */
export function useEvents({ notificationId, status, attempts }: Notification): PagesResult<NotificationEvent> {
  const { notify } = useClients();
  return usePages<NotificationEvent>([...keys.notification(notificationId), "events", status, attempts], (cursor, signal) => notify.listNotificationEvents(notificationId, { limit: 100, ...cursor }, { signal }));
}

export function useTemplates(): UseQueryResult<Template[]> {
  const { notify } = useClients();
  return useQuery<Template[]>({ queryKey: keys.templates, queryFn: ({ signal }) => notify.listTemplates({}, { signal }).then((page): Template[] => page.templates) });
}

export function useTemplate(id: string): UseQueryResult<Template> {
  const { notify } = useClients();
  return useQuery<Template>({ queryKey: keys.template(id), queryFn: ({ signal }) => notify.getTemplate(id, { signal }).then((value): Template => value) });
}

export interface Rendered {
  channel: Template["channel"];
  subject: string;
  body: string;
  format: Template["format"];
  push: Template["push"];
}

/** The texts of a stored template with values, as the service renders them. */
export function useRendered(template: Template | undefined, variables: Record<string, string>): UseQueryResult<Rendered> {
  const { notify } = useClients();
  const waited = useSettled(variables, 300);
  // The values of another template would lack placeholders.
  const settled = Object.keys(waited).join() === Object.keys(variables).join() ? waited : variables;
  return useQuery<Rendered>({
    queryKey: keys.preview(template?.templateId ?? "", template?.version ?? 0, settled),
    queryFn: ({ signal }) => notify.previewTemplate(template!.templateId, { variables: settled }, { signal }).then((value): Rendered => value),
    enabled: template !== undefined,
    placeholderData: (previous, query) => (query?.queryKey[2] === template?.templateId ? previous : undefined),
  });
}

/** A value that has not changed for some milliseconds. */
export function useSettled<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  const latest = useRef(value);
  latest.current = value;
  useEffect(() => {
    const timer = setTimeout(() => setSettled(latest.current), ms);
    return () => clearTimeout(timer);
  }, [text, ms]);
  return settled;
}

export function useBroadcasts(): PagesResult<Broadcast> {
  const { notify } = useClients();
  const [running, setRunning] = useState(false);
  const pages = usePages<Broadcast>(keys.broadcasts, (cursor, signal) => notify.listBroadcasts({ limit: pageSize, ...cursor }, { signal }), { refetchInterval: running ? fastMs : slowMs });
  const next = pages.items.slice(0, pageSize).some(isRunning);
  useEffect(() => setRunning(next), [next]);
  return pages;
}

export function useBroadcast(id: string): UseQueryResult<BroadcastStatus> {
  const { notify } = useClients();
  return useQuery<BroadcastStatus>({
    queryKey: keys.broadcast(id),
    queryFn: ({ signal }) => notify.getBroadcast(id, { signal }).then((value): BroadcastStatus => value),
    refetchInterval: ({ state }) => (state.data && !isRunning(state.data) ? false : fastMs),
  });
}

export function usePlatforms(): UseQueryResult<Platform[]> {
  const { notify } = useClients();
  return useQuery<Platform[]>({ queryKey: keys.platforms, queryFn: ({ signal }) => notify.listPlatforms({ signal }).then((value): Platform[] => value.platforms), refetchInterval: slowMs });
}

export interface Settings {
  pushEnabled: boolean;
  notificationRetentionDays: number;
}

export function useSettings(): UseQueryResult<Settings> {
  const { notify } = useClients();
  return useQuery<Settings>({ queryKey: keys.settings, queryFn: ({ signal }) => notify.getSettings({ signal }).then((value): Settings => value as Settings) });
}
