import { Plus, Webhook as WebhookIcon } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { useSearch } from "../../router/index.tsx";
import { Button, DataTable, EmptyState, PageHeader, RowLink, TimeAgo, type Column } from "../../ui/index.ts";
import { DeveloperTabs, EventTypes, MergedState, ServiceFilter, ServiceLabel, WebhookBadge } from "./labels.tsx";
import { deliveryStatuses, nameOfWebhook, webhookHref, type Service, type Webhook } from "./model.ts";
import { recentDeliveries, useRecentDeliveries, useServices, useWebhooks, type Of } from "./queries.ts";
import { NewWebhookDialog } from "./webhook-dialogs.tsx";

type Row = Of<Webhook>;

/** The results of the newest deliveries, oldest first, as marks. */
function Recent({ service, webhookId }: Row): ReactNode {
  const t = useT("developers");
  const { data } = useRecentDeliveries(service, webhookId);
  if (!data) return null;
  if (data.length === 0) return <span className="small faint">{t("webhook.noEvents")}</span>;
  const counts = deliveryStatuses.map((status) => [status, data.filter((one) => one.status === status).length] as const).filter(([, count]) => count > 0);
  return (
    <span className="dev-recent" role="img" aria-label={counts.map(([status, count]) => t(`recent.${status}`, { count })).join(", ")}>
      {Array.from({ length: recentDeliveries - data.length }, (_, index) => (
        <span key={index} className="dev-mark" />
      ))}
      {data.toReversed().map((one) => (
        <span key={one.deliveryId} className={`dev-mark dev-mark-${one.status}`} />
      ))}
    </span>
  );
}

function useColumns(): Column<Row>[] {
  const t = useT("developers");
  return useMemo(
    () => [
      {
        id: "url",
        header: t("column.endpoint"),
        phone: "title",
        width: "minmax(0, 1.6fr)",
        csv: (one) => one.url,
        cell: (one) => (
          <span className="dev-two">
            <RowLink href={webhookHref(one.service, one.webhookId)}>{nameOfWebhook(one)}</RowLink>
            <code className="small faint truncate" dir="ltr" title={one.url}>
              {one.url}
            </code>
          </span>
        ),
      },
      { id: "service", header: t("column.service"), width: "140px", csv: (one) => one.service, cell: (one) => <ServiceLabel service={one.service} /> },
      { id: "status", header: t("column.status"), width: "110px", csv: (one) => (one.enabled ? "enabled" : "disabled"), cell: (one) => <WebhookBadge webhook={one} /> },
      {
        id: "events",
        header: t("column.events"),
        width: "minmax(0, 1fr)",
        phone: "hidden",
        csv: (one) => one.events.join(" "),
        cell: (one) => <span className="small muted">{one.events.length > 1 ? t("webhook.eventCount", { count: one.events.length }) : <EventTypes events={one.events} />}</span>,
      },
      { id: "recent", header: t("column.recent"), width: "168px", cell: (one) => <Recent {...one} /> },
      { id: "created", header: t("column.created"), width: "116px", phone: "hidden", csv: (one) => one.createdAt, cell: (one) => <span className="small muted nowrap"><TimeAgo value={one.createdAt} /></span> },
      { id: "description", header: t("column.description"), csv: (one) => one.description },
      { id: "reason", header: t("column.reason"), csv: (one) => one.disabledReason },
      { id: "id", header: t("column.id"), csv: (one) => one.webhookId },
    ],
    [t],
  );
}

/** The endpoints that receive events, of all services. */
export function Webhooks(): ReactNode {
  const t = useT("developers");
  const of = useServices();
  const merged = useWebhooks(of);
  const columns = useColumns();
  const [params, setSearch] = useSearch();
  const service: Service | "" = of.find((one) => one === params.get("service")) ?? "";
  const [creating, setCreating] = useState(false);
  const rows = useMemo(() => (service ? merged.items.filter((one) => one.service === service) : merged.items), [merged, service]);
  const create = (
    <Button variant="primary" icon={<Plus aria-hidden />} onPress={() => setCreating(true)}>
      {t("webhook.create")}
    </Button>
  );
  return (
    <>
      <PageHeader title={t("tabs.webhooks")} description={t("webhooks.text")} actions={create} tabs={<DeveloperTabs />} />
      <div className="stack">
        <MergedState merged={merged} title={(name) => t("webhooks.failed", { service: name })}>
          <DataTable
            label={t("tabs.webhooks")}
            columns={columns}
            source={{ items: rows }}
            rowId={(one) => `${one.service} ${one.webhookId}`}
            rowHref={(one) => webhookHref(one.service, one.webhookId)}
            csvName="webhooks"
            estimate={60}
            toolbar={<ServiceFilter of={of} value={service} onChange={(next) => setSearch({ service: next })} />}
            empty={<EmptyState icon={<WebhookIcon aria-hidden />} title={service ? t("webhooks.noneOf", { service: t(`service.${service}`) }) : t("webhooks.none")} text={t("webhooks.noneText")} action={create} />}
          />
        </MergedState>
      </div>
      {creating && <NewWebhookDialog of={of} preset={service} onClose={() => setCreating(false)} />}
    </>
  );
}
