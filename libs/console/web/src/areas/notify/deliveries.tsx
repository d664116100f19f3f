import { Megaphone, Send, SearchX, X } from "lucide-react";
import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { useSearch } from "../../router/index.tsx";
import { Button, DataTable, EmptyState, LinkButton, PageHeader, RowLink, SearchField, Select, TimeAgo, useShortcuts, type Column } from "../../ui/index.ts";
import { ChannelLabel, NotifyTabs, StatusBadge, useChannelOptions, usePeriodOptions, useReason, useStatusOptions } from "./labels.tsx";
import { isNarrowed, notificationHref, readFilter, type Filter, type Notification } from "./model.ts";
import { useNotifications, useSettled } from "./queries.ts";
import { SendDialog } from "./send-dialog.tsx";

const latestOf = ({ openedAt, deliveredAt, failedAt, sentAt, createdAt }: Notification): string => openedAt ?? deliveredAt ?? failedAt ?? sentAt ?? createdAt;

function useColumns(): Column<Notification>[] {
  const t = useT("notify");
  const explain = useReason();
  return useMemo(
    () => [
      {
        id: "to",
        header: t("column.recipient"),
        phone: "title",
        width: "minmax(0, 1.5fr)",
        csv: (one) => one.to,
        cell: (one) => (
          <div className="notify-row">
            <RowLink href={notificationHref(one.notificationId)}>{one.to}</RowLink>
            {one.failureReason && (
              <span className="notify-row-reason" dir="auto" title={one.failureReason}>
                {explain(one.failureReason) ?? one.failureReason}
              </span>
            )}
          </div>
        ),
      },
      { id: "status", header: t("column.status"), width: "112px", csv: (one) => one.status, cell: (one) => <StatusBadge status={one.status} /> },
      { id: "channel", header: t("column.channel"), width: "116px", csv: (one) => one.channel, cell: (one) => <ChannelLabel channel={one.channel} /> },
      { id: "template", header: t("column.template"), width: "minmax(0, 1fr)", csv: (one) => one.templateName, cell: (one) => <span className="truncate notify-cell" dir="auto">{one.templateName}</span> },
      { id: "attempts", header: t("column.attempts"), csv: (one) => one.attempts },
      { id: "reason", header: t("column.reason"), csv: (one) => one.failureReason },
      { id: "changed", header: t("column.changed"), width: "128px", phone: "hidden", csv: latestOf, cell: (one) => <span className="small muted nowrap"><TimeAgo value={latestOf(one)} /></span> },
      { id: "created", header: t("column.created"), width: "128px", csv: (one) => one.createdAt, cell: (one) => <span className="small muted nowrap"><TimeAgo value={one.createdAt} /></span> },
      { id: "id", header: t("column.id"), csv: (one) => one.notificationId },
    ],
    [t, explain],
  );
}

/** The notifications of the environment with their live status. */
export function Deliveries(): ReactNode {
  const t = useT("notify");
  const [params, setSearch] = useSearch();
  const filter = useMemo(() => readFilter(params), [params]);
  const pages = useNotifications(filter);
  const columns = useColumns();
  const [sending, setSending] = useState(false);
  const [to, setTo] = useState(filter.to);
  const searchInput = useRef<HTMLInputElement>(null);
  const settledTo = useSettled(to, 350);
  const change = (next: Partial<Filter>): void => setSearch(next);
  useEffect(() => {
    if (settledTo.trim() !== filter.to) setSearch({ to: settledTo.trim() });
    // Only a change of the text counts. The address can change for other reasons.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [settledTo]);
  useEffect(() => setTo(filter.to), [filter.to]);
  useShortcuts({ "/": () => searchInput.current?.focus(), n: () => setSending(true) });
  const clear = (): void => {
    setTo("");
    setSearch({ status: null, channel: null, to: null, period: null });
  };
  const sendButton = (
    <>
      <LinkButton icon={<Megaphone aria-hidden />} href="/console/notify/broadcasts/new">
        {t("template.broadcast")}
      </LinkButton>
      <Button variant="primary" icon={<Send aria-hidden />} onPress={() => setSending(true)}>
        {t("send.action")}
      </Button>
    </>
  );
  return (
    <>
      <PageHeader title={t("title")} description={t("deliveries.text")} actions={sendButton} tabs={<NotifyTabs />} />
      <div className="stack">
        <div className="filters notify-filters" role="search" aria-label={t("filter.label")}>
          <SearchField label={t("filter.to")} placeholder={t("filter.toPlaceholder")} value={to} onChange={setTo} onSubmit={(value) => change({ to: value.trim() })} inputRef={searchInput} />
          <div className="notify-filter-row">
            <Select label={t("column.status")} hideLabel size="s" options={useStatusOptions()} value={filter.status || "all"} onChange={(status) => change({ status: status === "all" ? "" : status })} />
            <Select label={t("column.channel")} hideLabel size="s" options={[{ value: "all" as const, label: t("filter.anyChannel") }, ...useChannelOptions()]} value={filter.channel || "all"} onChange={(channel) => change({ channel: channel === "all" ? "" : channel })} />
            <Select label={t("filter.period")} hideLabel size="s" options={usePeriodOptions()} value={filter.period || "all"} onChange={(period) => change({ period: period === "all" ? "" : period })} />
            {isNarrowed(filter) && (
              <Button size="s" variant="ghost" icon={<X aria-hidden />} onPress={clear}>
                {t("filter.clear")}
              </Button>
            )}
          </div>
        </div>
        <DataTable
          label={t("tabs.deliveries")}
          columns={columns}
          source={pages}
          rowId={(one) => one.notificationId}
          rowHref={(one) => notificationHref(one.notificationId)}
          csvName="notifications"
          toolbar={<span className="notify-live" aria-hidden>{t("deliveries.live")}</span>}
          empty={
            isNarrowed(filter) ? (
              <EmptyState icon={<SearchX aria-hidden />} title={t("deliveries.nothingFound")} text={t("deliveries.nothingFoundText")} action={<Button onPress={clear}>{t("filter.clear")}</Button>} />
            ) : (
              <EmptyState icon={<Send aria-hidden />} title={t("deliveries.empty")} text={t("deliveries.emptyText")} action={sendButton} />
            )
          }
        />
      </div>
      {sending && <SendDialog isOpen onClose={() => setSending(false)} />}
    </>
  );
}
