import { Bell, CreditCard, Mail, MessageSquare, MessagesSquare, Smartphone } from "lucide-react";
import type { ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { Badge, Card, DateTime, LinkButton, QueryState, TimeAgo, type Tone } from "../../ui/index.ts";
import type { Entitlement, Member, Notification, Thread } from "./model.ts";
import { useDevicesOf, useEntitlementsOf, useNotificationsOf, useProductNames, useThreadsOf } from "./queries.ts";

/** A card without entries. */
export function CardEmpty({ children }: { children: ReactNode }): ReactNode {
  return <p className="users-card-empty">{children}</p>;
}

/** The entitlements of a user. */
export function AccessCard({ id }: { id: string }): ReactNode {
  const t = useT("users");
  const query = useEntitlementsOf(id);
  const names = useProductNames();
  return (
    <Card title={t("access.title")} flush className="users-service" actions={<LinkButton size="s" variant="ghost" href={`/console/billing/users/${encodeURIComponent(id)}`}>{t("access.all")}</LinkButton>}>
      <QueryState query={query}>
        {(entitlements) =>
          entitlements.length === 0 ? (
            <CardEmpty>{t("access.none")}</CardEmpty>
          ) : (
            <ul className="users-rows">
              {entitlements.slice(0, 6).map((entitlement) => (
                <EntitlementRow key={entitlement.entitlementId} entitlement={entitlement} name={(entitlement.productId && names.get(entitlement.productId)) || entitlement.providerProductId} />
              ))}
            </ul>
          )
        }
      </QueryState>
    </Card>
  );
}

function EntitlementRow({ entitlement, name }: { entitlement: Entitlement; name: string }): ReactNode {
  const t = useT("users");
  const formats = useFormats();
  const { accessUntil, isActive, source, store, features, price, willRenew } = entitlement;
  const until = accessUntil === null ? t("access.forever") : t(isActive ? (willRenew ? "access.renews" : "access.until") : "access.ended", { date: formats.date(accessUntil) });
  return (
    <li className="users-row">
      <CreditCard aria-hidden className="users-row-icon" />
      <span className="users-row-main">
        <span className="strong" dir="auto">
          {name}
        </span>
        <span className="users-row-detail">
          <span>{t(`access.source.${source}`)}</span>
          {store && (
            <span>
              <bdi>{store}</bdi>
            </span>
          )}
          {price && <span>{formats.money(price.amount, price.currency)}</span>}
          {features.length > 0 && (
            <span>
              <bdi>{features.slice(0, 6).join(", ")}</bdi>
            </span>
          )}
        </span>
      </span>
      <span className="users-row-end">
        <Badge tone={isActive ? "success" : "neutral"} dot>
          {t(isActive ? "access.active" : "access.inactive")}
        </Badge>
        <span>{until}</span>
      </span>
    </li>
  );
}

const threadTones: Record<Thread["status"], Tone> = { open: "accent", "in-progress": "warning", resolved: "success", closed: "neutral" };

/** The newest feedback threads of a user. */
export function ThreadsCard({ id }: { id: string }): ReactNode {
  const t = useT("users");
  const query = useThreadsOf(id);
  const all = `/console/feedback?status=all&user=${encodeURIComponent(id)}`;
  return (
    <Card title={t("threads.title")} flush className="users-service" actions={query.data && query.data.items.length > 0 && <LinkButton size="s" variant="ghost" href={all}>{t("threads.all")}</LinkButton>}>
      <QueryState query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <CardEmpty>{t("threads.none")}</CardEmpty>
          ) : (
            <ul className="users-rows">
              {items.map((thread) => (
                <li key={thread.feedbackId}>
                  <Link href={`/console/feedback/${thread.feedbackId}`} className="users-row">
                    <MessagesSquare aria-hidden className="users-row-icon" />
                    <span className="users-row-main">
                      <span className="strong users-clamp" dir="auto">
                        {thread.title}
                      </span>
                      <span className="users-row-detail">
                        <span>{t("threads.replies", { count: thread.replyCount })}</span>
                        <span>{t("threads.votes", { count: thread.voteCount })}</span>
                      </span>
                    </span>
                    <span className="users-row-end">
                      <Badge tone={threadTones[thread.status]}>{t(`threads.status.${thread.status}`)}</Badge>
                      <TimeAgo value={thread.lastReplyAt ?? thread.createdAt} />
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </QueryState>
    </Card>
  );
}

const notificationTones: Record<Notification["status"], Tone> = { queued: "info", sent: "accent", delivered: "success", opened: "success", failed: "danger" };
const channelIcons = { email: Mail, push: Bell, sms: MessageSquare };

/** The newest notifications to a user and to the addresses of the account. */
export function NotificationsCard({ id, member }: { id: string; member: Member | null }): ReactNode {
  const t = useT("users");
  const query = useNotificationsOf(id, member);
  return (
    <Card title={t("notifications.title")} flush className="users-service" actions={query.data && query.data.length > 0 && <LinkButton size="s" variant="ghost" href={`/console/notify?to=${encodeURIComponent(query.data[0]!.to)}`}>{t("notifications.all")}</LinkButton>}>
      <QueryState query={query}>
        {(items) =>
          items.length === 0 ? (
            <CardEmpty>{t("notifications.none")}</CardEmpty>
          ) : (
            <ul className="users-rows">
              {items.map((notification) => {
                const Icon = channelIcons[notification.channel];
                return (
                  <li key={notification.notificationId}>
                    <Link href={`/console/notify/deliveries/${notification.notificationId}`} className="users-row">
                      <Icon aria-hidden className="users-row-icon" />
                      <span className="users-row-main">
                        <span className="strong users-clamp" dir="auto">
                          {notification.templateName ?? t(`channel.${notification.channel}`)}
                        </span>
                        <span className="users-row-detail">
                          <span>{t(`channel.${notification.channel}`)}</span>
                          {notification.channel !== "push" && (
                            <span>
                              <bdi dir="ltr">{notification.to}</bdi>
                            </span>
                          )}
                          {notification.failureReason && (
                            <span className="users-refused">
                              <bdi>{notification.failureReason}</bdi>
                            </span>
                          )}
                        </span>
                      </span>
                      <span className="users-row-end">
                        <Badge tone={notificationTones[notification.status]}>{t(`notifications.status.${notification.status}`)}</Badge>
                        <TimeAgo value={notification.createdAt} />
                      </span>
                    </Link>
                  </li>
                );
              })}
            </ul>
          )
        }
      </QueryState>
    </Card>
  );
}

/** The devices of a user that get pushes. */
export function DevicesCard({ id }: { id: string }): ReactNode {
  const t = useT("users");
  const query = useDevicesOf(id);
  return (
    <Card title={t("devices.title")} className="users-devices" actions={query.data && query.data.length > 0 && <LinkButton size="s" variant="ghost" href={`/console/notify/devices?user=${encodeURIComponent(id)}`}>{t("devices.all")}</LinkButton>}>
      <QueryState query={query}>
        {(devices) =>
          devices.length === 0 ? (
            <p className="muted">{t("devices.none")}</p>
          ) : (
            <ul className="users-factors">
              {devices.map((device) => (
                <li key={device.token}>
                  <Smartphone aria-hidden />
                  <span className="grow">
                    {t(`devices.${device.platform}`)}
                    <span className="users-factor-detail truncate" dir="ltr" title={device.token}>
                      {device.token}
                    </span>
                    <span className="users-factor-detail">
                      <DateTime value={device.updatedAt} />
                    </span>
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </QueryState>
    </Card>
  );
}
