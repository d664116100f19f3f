import { Apple, Globe, Mail, MessageSquare, Monitor, Smartphone } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { Badge, NavTabs, type Option, type Tone } from "../../ui/index.ts";
import { broadcastState, channels, periods, statuses, type Broadcast, type BroadcastState, type Channel, type Device, type Period, type PlatformKind, type Status } from "./model.ts";

const statusTones: Record<Status, Tone> = { queued: "warning", sent: "info", delivered: "success", opened: "violet", failed: "danger" };
const broadcastTones: Record<BroadcastState, Tone> = { queued: "warning", enqueuing: "accent", sending: "accent", completed: "success", cancelling: "warning", cancelled: "neutral" };
const channelIcons: Record<Channel, ReactNode> = { email: <Mail aria-hidden />, push: <Smartphone aria-hidden />, sms: <MessageSquare aria-hidden /> };
const deviceIcons: Record<Device["platform"], ReactNode> = { ios: <Apple aria-hidden />, android: <Smartphone aria-hidden />, web: <Monitor aria-hidden /> };
export const platformIcons: Record<PlatformKind, ReactNode> = { fcm: <Smartphone aria-hidden />, apns: <Apple aria-hidden />, webpush: <Globe aria-hidden /> };

/** The parts of the area. */
export function NotifyTabs(): ReactNode {
  const t = useT("notify");
  const root = "/console/notify";
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On phones not all parts fit. The current one must be visible.
    box.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, []);
  return (
    <div ref={box} className="notify-tabs">
      <NavTabs
        label={t("title")}
        tabs={[
          { href: root, label: t("tabs.deliveries"), also: [`${root}/deliveries/:id`] },
          { href: `${root}/templates`, label: t("tabs.templates"), also: [`${root}/templates/:id`] },
          { href: `${root}/broadcasts`, label: t("tabs.broadcasts"), also: [`${root}/broadcasts/:id`] },
          { href: `${root}/devices`, label: t("tabs.devices") },
          { href: `${root}/suppressions`, label: t("tabs.suppressions") },
          { href: `${root}/domain`, label: t("tabs.domain") },
          { href: `${root}/push`, label: t("tabs.push") },
        ]}
      />
    </div>
  );
}

export function StatusBadge({ status }: { status: Status }): ReactNode {
  const t = useT("notify");
  return (
    <Badge tone={statusTones[status]} dot>
      {t(`status.${status}`)}
    </Badge>
  );
}

export function BroadcastBadge({ broadcast }: { broadcast: Broadcast }): ReactNode {
  const t = useT("notify");
  const state = broadcastState(broadcast);
  return (
    <Badge tone={broadcastTones[state]} dot>
      {t(`broadcast.state.${state}`)}
    </Badge>
  );
}

export function ChannelLabel({ channel }: { channel: Channel }): ReactNode {
  const t = useT("notify");
  return (
    <span className="notify-channel">
      {channelIcons[channel]}
      {t(`channel.${channel}`)}
    </span>
  );
}

export function DeviceLabel({ platform }: { platform: Device["platform"] }): ReactNode {
  const t = useT("notify");
  return (
    <span className="notify-channel">
      {deviceIcons[platform]}
      {t(`device.${platform}`)}
    </span>
  );
}

type Any<Value extends string> = Option<Value | "all">[];

export function useStatusOptions(): Any<Status> {
  const t = useT("notify");
  return [{ value: "all", label: t("filter.anyStatus") }, ...statuses.map((value) => ({ value, label: t(`status.${value}`), icon: <span aria-hidden className={`notify-dot notify-dot-${value}`} /> }))];
}
export function useChannelOptions(): Option<Channel>[] {
  const t = useT("notify");
  return channels.map((value) => ({ value, label: t(`channel.${value}`), icon: channelIcons[value] }));
}
export function usePeriodOptions(): Any<Period> {
  const t = useT("notify");
  return [{ value: "all", label: t("filter.anyTime") }, ...periods.map((value) => ({ value, label: t(`period.${value}`) }))];
}

const knownReasons = ["CANCELLED", "NO_DEVICES", "SUPPRESSED", "OPTED_OUT", "ATTACHMENT_MISSING", "PLATFORM_NOT_CONFIGURED", "DEVICE_REMOVED", "SMS_DAILY_LIMIT", "SMS_SENDER_LIMIT", "CONNECT_FAILED", "NO_ANSWER", "INTERNAL", "NOT_SENT_IN_TIME", "UNREGISTERED", "CARRIER_DOWN", "21610"] as const;
type KnownReason = (typeof knownReasons)[number];
const isKnown = (reason: string): reason is KnownReason => (knownReasons as readonly string[]).includes(reason);

/** What a reason of the service means, or undefined for an answer of a provider. */
export function useReason(): (reason: string) => string | undefined {
  const t = useT("notify");
  return (reason) => (isKnown(reason) ? t(`reason.${reason}`) : undefined);
}
