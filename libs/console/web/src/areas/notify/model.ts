import type { NotifyComponents } from "@tetrad/client";

type Schemas = NotifyComponents["schemas"];
export type Channel = Schemas["Channel"];
export type Status = Schemas["Status"];
export type Format = Schemas["Format"];
export type Notification = Schemas["Notification"];
export type DeviceDelivery = Schemas["Delivery"];
export type NotificationEvent = Schemas["Event"];
export type Template = Schemas["Template"];
export type PushOptions = Schemas["Push"];
export type Broadcast = Schemas["Broadcast"];
export type BroadcastStatus = Schemas["BroadcastStatus"];
export type Carrier = Schemas["CarrierState"];
export type Device = Schemas["Device"];
export type Suppression = Schemas["Suppression"];
export type Domain = Schemas["Domain"];
export type DnsRecord = Schemas["DnsRecord"];
export type Platform = Schemas["Platform"];
export type PlatformKind = Schemas["PlatformKind"];

export const channels = ["email", "push", "sms"] as const satisfies readonly Channel[];
export const statuses = ["queued", "sent", "delivered", "opened", "failed"] as const satisfies readonly Status[];
export const periods = ["day", "week", "month"] as const;
export type Period = (typeof periods)[number];
export const platformKinds = ["fcm", "apns", "webpush"] as const satisfies readonly PlatformKind[];

const periodDays: Record<Period, number> = { day: 1, week: 7, month: 30 };

/** The notifications that the list shows. Empty members filter nothing. */
export interface Filter {
  status: Status | "";
  channel: Channel | "";
  to: string;
  period: Period | "";
}

const oneOf = <Value extends string>(values: readonly Value[], text: string | null): Value | "" => values.find((value) => value === text) ?? "";

/** The filter in the search parameters of the address. */
export const readFilter = (params: URLSearchParams): Filter => ({
  status: oneOf(statuses, params.get("status")),
  channel: oneOf(channels, params.get("channel")),
  to: params.get("to") ?? "",
  period: oneOf(periods, params.get("period")),
});

export const isNarrowed = (filter: Filter): boolean => Object.values(filter).some((value) => value !== "");

/** The query of `listNotifications`. `now` is in milliseconds since 1970. */
export function queryOf({ status, channel, to, period }: Filter, now: number): { status?: Status; channel?: Channel; to?: string; createdAfter?: string } {
  return {
    ...(status && { status }),
    ...(channel && { channel }),
    ...(to.trim() && { to: to.trim() }),
    ...(period && { createdAfter: new Date(now - periodDays[period] * 86_400_000).toISOString() }),
  };
}

export const notificationHref = (id: string): string => `/console/notify/deliveries/${id}`;
export const templateHref = (id: string): string => `/console/notify/templates/${id}`;
export const broadcastHref = (id: string): string => `/console/notify/broadcasts/${id}`;

const freshMs = 120_000;

/** Whether the status will probably change soon: it waits for the provider, or for a report that it has arrived. */
export const isMoving = ({ status, sentAt, sendAt }: Notification, now: number): boolean =>
  (status === "queued" && (!sendAt || Date.parse(sendAt) - now < 60_000)) || (status === "sent" && sentAt !== null && now - Date.parse(sentAt) < freshMs);

export const broadcastStates = ["queued", "enqueuing", "sending", "completed", "cancelling", "cancelled"] as const;
export type BroadcastState = (typeof broadcastStates)[number];

export function broadcastState({ status, completedAt, cancelledAt }: Broadcast): BroadcastState {
  if (cancelledAt) return completedAt ? "cancelled" : "cancelling";
  if (completedAt) return "completed";
  return status === "queued" ? "queued" : status === "fanning_out" ? "enqueuing" : "sending";
}

export const isRunning = (broadcast: Broadcast): boolean => !["completed", "cancelled"].includes(broadcastState(broadcast));

/** Devices with a result, and devices that wait for one. */
export function countsOf({ sentCount, failedCount, invalidTokenCount, enqueuedDevices }: Broadcast): { done: number; waiting: number; total: number } {
  const done = sentCount + failedCount + invalidTokenCount;
  return { done, waiting: Math.max(0, enqueuedDevices - done), total: Math.max(done, enqueuedDevices) };
}

const placeholder = /\{\{\s*([A-Za-z0-9_.]+)\s*\}\}/g;

/** The names of the placeholders in the texts, in the order of the alphabet. */
export const placeholdersOf = (...texts: string[]): string[] => [...new Set(texts.flatMap((text) => [...text.matchAll(placeholder)].map((match) => match[1]!)))].sort();

/** A value for the preview, as long as the user has not typed one. */
export const sampleOf = (name: string): string => (/(^|[._])(url|link|href|image)$|(url|link|href)$/i.test(name) ? "https://example.com/" : (name.split(".").at(-1) ?? name));

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

/** Puts values in the places of placeholders. For HTML, values are escaped. */
export const fill = (text: string, values: Record<string, string>, html: boolean): string =>
  text.replace(placeholder, (_whole, name: string) => (html ? escapeHtml(values[name] ?? "") : (values[name] ?? "")));

const gsm = /^[@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,\-./0-9:;<=>?¡A-ZÄÖÑÜ§¿a-zäöñüà^{}\\[~\]|€]*$/;
const gsmTwice = /[\^{}\\[~\]|€]/g;

/** How many parts a text message has (GSM 03.38: 160 or 153 characters for each part; other characters: 70 or 67). */
export function smsParts(text: string): { characters: number; parts: number } {
  const plain = gsm.test(text);
  const length = plain ? text.length + (text.match(gsmTwice)?.length ?? 0) : text.length;
  const [single, each] = plain ? [160, 153] : [70, 67];
  return { characters: text.length, parts: length <= single ? (length === 0 ? 0 : 1) : Math.ceil(length / each) };
}

/** ETag of a template. */
export const etagOf = ({ version }: Template): string => `"${version}"`;

/** What the user types to confirm an action: the name, or the beginning of a long one. */
export const confirmNameOf = (name: string): string => [...name.trim()].slice(0, 24).join("").trim();
