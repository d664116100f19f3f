import { Megaphone, Plus } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { DataTable, EmptyState, LinkButton, PageHeader, RowLink, TimeAgo, type Column } from "../../ui/index.ts";
import { BroadcastBadge, NotifyTabs } from "./labels.tsx";
import { broadcastHref, broadcastState, countsOf, type Broadcast } from "./model.ts";
import { useBroadcasts } from "./queries.ts";

/** Sent, gone, failed and waiting devices as parts of one bar. */
export function CountBar({ broadcast, tall = false }: { broadcast: Broadcast; tall?: boolean }): ReactNode {
  const { total } = countsOf(broadcast);
  const part = (count: number): string => `${total === 0 ? 0 : (count / total) * 100}%`;
  return (
    <span className={`notify-bar${tall ? " notify-bar-tall" : ""}`} aria-hidden>
      <span className="notify-bar-sent" style={{ inlineSize: part(broadcast.sentCount) }} />
      <span className="notify-bar-gone" style={{ inlineSize: part(broadcast.invalidTokenCount) }} />
      <span className="notify-bar-failed" style={{ inlineSize: part(broadcast.failedCount) }} />
    </span>
  );
}

/** The broadcasts of the environment. */
export function Broadcasts(): ReactNode {
  const t = useT("notify");
  const formats = useFormats();
  const pages = useBroadcasts();
  const columns = useMemo<Column<Broadcast>[]>(
    () => [
      {
        id: "template",
        header: t("column.template"),
        phone: "title",
        width: "minmax(0, 1.5fr)",
        csv: (one) => one.templateName,
        cell: (one) => (
          <div className="notify-row">
            <RowLink href={broadcastHref(one.broadcastId)}>{one.templateName}</RowLink>
            {one.dedupeKey && <span className="notify-row-detail" dir="auto">{one.dedupeKey}</span>}
          </div>
        ),
      },
      { id: "status", header: t("column.status"), width: "128px", csv: (one) => t(`broadcast.state.${broadcastState(one)}`), cell: (one) => <BroadcastBadge broadcast={one} /> },
      {
        id: "progress",
        header: t("column.progress"),
        width: "minmax(120px, 1fr)",
        cell: (one) => (
          <span className="notify-progress-cell">
            <CountBar broadcast={one} />
            <span className="small muted nowrap">{t("broadcast.doneOf", { done: formats.number(countsOf(one).done), total: formats.number(countsOf(one).total) })}</span>
          </span>
        ),
      },
      { id: "sent", header: t("count.sent"), width: "88px", align: "end", phone: "hidden", csv: (one) => one.sentCount, cell: (one) => formats.number(one.sentCount) },
      { id: "failed", header: t("count.failed"), width: "88px", align: "end", phone: "hidden", csv: (one) => one.failedCount, cell: (one) => formats.number(one.failedCount) },
      { id: "gone", header: t("count.gone"), csv: (one) => one.invalidTokenCount },
      { id: "enqueued", header: t("count.enqueued"), csv: (one) => one.enqueuedDevices },
      { id: "created", header: t("column.created"), width: "136px", align: "end", csv: (one) => one.createdAt, cell: (one) => <span className="small muted nowrap"><TimeAgo value={one.createdAt} /></span> },
      { id: "completed", header: t("column.completed"), csv: (one) => one.completedAt },
      { id: "id", header: t("column.id"), csv: (one) => one.broadcastId },
    ],
    [t, formats],
  );
  const create = (
    <LinkButton variant="primary" icon={<Plus aria-hidden />} href="/console/notify/broadcasts/new">
      {t("broadcasts.create")}
    </LinkButton>
  );
  return (
    <>
      <PageHeader title={t("tabs.broadcasts")} description={t("broadcasts.text")} actions={create} tabs={<NotifyTabs />} />
      <DataTable
        label={t("tabs.broadcasts")}
        columns={columns}
        source={pages}
        rowId={(one) => one.broadcastId}
        rowHref={(one) => broadcastHref(one.broadcastId)}
        csvName="broadcasts"
        estimate={57.5}
        empty={<EmptyState icon={<Megaphone aria-hidden />} title={t("broadcasts.empty")} text={t("broadcasts.emptyText")} action={create} />}
      />
    </>
  );
}
