import { Bell, CreditCard, MessagesSquare, ShieldCheck } from "lucide-react";
import type { ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { Badge, ErrorNotice, NavTabs, Select, Spinner, type Option, type Tone } from "../../ui/index.ts";
import type { Delivery, Service, Webhook } from "./model.ts";
import type { Merged } from "./queries.ts";

const root = "/console/developers";
const icons: Record<Service, ReactNode> = { auth: <ShieldCheck aria-hidden />, feedback: <MessagesSquare aria-hidden />, notify: <Bell aria-hidden />, billing: <CreditCard aria-hidden /> };

/** The parts of the area. */
export function DeveloperTabs(): ReactNode {
  const t = useT("developers");
  return (
    <NavTabs
      label={t("title")}
      tabs={[
        { href: root, label: t("tabs.keys") },
        { href: `${root}/webhooks`, label: t("tabs.webhooks"), also: [`${root}/webhooks/:service/:id`] },
        { href: `${root}/origins`, label: t("tabs.origins") },
        { href: `${root}/audit`, label: t("tabs.audit") },
        { href: `${root}/examples`, label: t("tabs.examples") },
      ]}
    />
  );
}

export function ServiceLabel({ service }: { service: Service }): ReactNode {
  const t = useT("developers");
  return (
    <span className="dev-service">
      {icons[service]}
      {t(`service.${service}`)}
    </span>
  );
}

export function useServiceOptions<Of extends Service>(of: readonly Of[]): Option<Of>[] {
  const t = useT("developers");
  return of.map((value) => ({ value, label: t(`service.${value}`), icon: icons[value] }));
}

/** A filter for the rows of one service. An empty value shows all. */
export function ServiceFilter<Of extends Service>({ of, value, onChange }: { of: readonly Of[]; value: Of | ""; onChange: (value: Of | "") => void }): ReactNode {
  const t = useT("developers");
  const options = useServiceOptions(of);
  if (of.length < 2) return null;
  return <Select label={t("column.service")} hideLabel size="s" value={value || "all"} onChange={(next) => onChange(next === "all" ? "" : next)} options={[{ value: "all" as const, label: t("filter.anyService") }, ...options]} />;
}

/** The lists that failed, and the content, as soon as one service has answered. */
export function MergedState<Item>({ merged, title, children }: { merged: Merged<Item>; title: (service: string) => string; children: ReactNode }): ReactNode {
  const t = useT("developers");
  if (merged.pending)
    return (
      <div className="center table-loading">
        <Spinner />
      </div>
    );
  return (
    <>
      {merged.failed.map(({ service, error, retry }) => (
        <ErrorNotice key={service} error={error} title={title(t(`service.${service}`))} onRetry={retry} />
      ))}
      {children}
    </>
  );
}

/** Says that a list is read again by the clock. */
export function Live(): ReactNode {
  const t = useT("developers");
  return (
    <span className="dev-live" aria-hidden>
      {t("live")}
    </span>
  );
}

const deliveryTones: Record<Delivery["status"], Tone> = { pending: "warning", delivered: "success", failed: "danger" };

export function DeliveryBadge({ status }: { status: Delivery["status"] }): ReactNode {
  const t = useT("developers");
  return (
    <Badge tone={deliveryTones[status]} dot>
      {t(`delivery.${status}`)}
    </Badge>
  );
}

/** Whether events are sent. A webhook that the service has disabled needs attention. */
export function WebhookBadge({ webhook: { enabled, disabledReason } }: { webhook: Webhook }): ReactNode {
  const t = useT("developers");
  return (
    <Badge tone={enabled ? "success" : disabledReason ? "danger" : "neutral"} dot>
      {t(enabled ? "webhook.on" : disabledReason ? "webhook.stopped" : "webhook.off")}
    </Badge>
  );
}

/** Names of event types. Without names, the webhook gets all events. */
export function EventTypes({ events }: { events: readonly string[] }): ReactNode {
  const t = useT("developers");
  if (events.length === 0) return t("webhook.allEvents");
  return (
    <span className="dev-chips">
      {events.map((name) => (
        <code key={name} className="dev-chip" dir="ltr">
          {name}
        </code>
      ))}
    </span>
  );
}

/** The beginning of an endpoint's response. It comes from a foreign server, so it is only text. */
export function Excerpt({ text }: { text: string | null }): ReactNode {
  const t = useT("developers");
  if (!text) return null;
  return (
    <figure className="stack-s">
      <figcaption className="small muted">{t("column.excerpt")}</figcaption>
      <pre className="dev-excerpt" dir="auto" tabIndex={0} role="region" aria-label={t("column.excerpt")}>
        {text}
      </pre>
    </figure>
  );
}
