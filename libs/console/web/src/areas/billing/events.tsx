import { Archive } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { useSearch } from "../../router/index.tsx";
import { useClients } from "../../session/index.ts";
import { Button, DataTable, DateTime, EmptyState, PageHeader, SearchField, Select, TextField, usePages, type Column } from "../../ui/index.ts";
import { EventDialog } from "./event-dialog.tsx";
import { EventName, ResultBadge, useEventName } from "./labels.tsx";
import { eventTypes, isKnownType, momentOf, results, type BillingEvent } from "./model.ts";
import { BillingTabs } from "./tabs.tsx";

const pageSize = 50;

/** The archive of events, newest first. The address has the filter. */
export function Events(): ReactNode {
  const t = useT("billing");
  const { billing } = useClients();
  const [params, setParams] = useSearch();
  const [open, setOpen] = useState<BillingEvent | null>(null);
  const of = (name: string): string => params.get(name) ?? "";
  const eventAfter = momentOf(of("from"));
  // The last day is included.
  const eventBefore = momentOf(of("to"), 1);
  const result = results.find((one) => one === of("result"));
  const query = {
    limit: pageSize,
    ...(of("user") && { userId: of("user") }),
    ...(of("type") && { type: of("type") }),
    ...(result && { result }),
    ...(eventAfter && { eventAfter }),
    ...(eventBefore && { eventBefore }),
  };
  const pages = usePages<BillingEvent>(["billing", "events", query], (cursor, signal) => billing.listEvents({ ...query, ...cursor }, { signal }), { refetchInterval: 15_000 });
  const columns = useColumns();
  const narrowed = Object.keys(query).length > 1;
  const clear = (): void => setParams({ user: null, type: null, result: null, from: null, to: null });
  return (
    <>
      <PageHeader title={t("tabs.events")} description={t("events.text")} tabs={<BillingTabs />} />
      <DataTable
        label={t("tabs.events")}
        columns={columns}
        source={pages}
        rowId={(event) => event.eventId}
        onRowPress={setOpen}
        csvName="events"
        toolbar={<Filters of={of} onChange={setParams} narrowed={narrowed} onClear={clear} />}
        empty={
          narrowed ? (
            <EmptyState icon={<Archive aria-hidden />} title={t("events.noMatch")} text={t("events.noMatchText")} action={<Button onPress={clear}>{t("filter.clear")}</Button>} />
          ) : (
            <EmptyState icon={<Archive aria-hidden />} title={t("events.none")} text={t("events.noneText")} />
          )
        }
      />
      {open && <EventDialog event={open} onClose={() => setOpen(null)} />}
    </>
  );
}

const waitMs = 400;

function Filters({ of, onChange, narrowed, onClear }: { of: (name: string) => string; onChange: (changes: Record<string, string | null>) => void; narrowed: boolean; onClear: () => void }): ReactNode {
  const t = useT("billing");
  const name = useEventName();
  const user = of("user");
  const [text, setText] = useState(user);
  useEffect(() => setText(user), [user]);
  useEffect(() => {
    if (text === user) return undefined;
    const timer = setTimeout(() => onChange({ user: text || null }), waitMs);
    return () => clearTimeout(timer);
  }, [text, user, onChange]);
  const type = of("type");
  return (
    <div className="filters">
      <SearchField label={t("events.user")} value={text} onChange={setText} />
      <Select
        size="s"
        hideLabel
        label={t("column.type")}
        value={type || "all"}
        onChange={(value) => onChange({ type: value === "all" ? null : value })}
        options={[
          { value: "all", label: t("events.allTypes") },
          ...eventTypes.map((value) => ({ value: value as string, label: name(value), description: value })),
          ...(type && !isKnownType(type) ? [{ value: type, label: type }] : []),
        ]}
      />
      <Select
        size="s"
        hideLabel
        label={t("column.result")}
        value={of("result") || "all"}
        onChange={(value) => onChange({ result: value === "all" ? null : value })}
        options={[{ value: "all", label: t("events.allResults") }, ...results.map((value) => ({ value: value as string, label: t(`result.${value}`) }))]}
      />
      <span className="billing-dates">
        <TextField className="billing-date" hideLabel label={t("events.from")} type="date" value={of("from")} onChange={(value) => onChange({ from: value || null })} />
        <span aria-hidden className="faint">
          –
        </span>
        <TextField className="billing-date" hideLabel label={t("events.to")} type="date" value={of("to")} onChange={(value) => onChange({ to: value || null })} />
      </span>
      {narrowed && (
        <Button size="s" variant="ghost" onPress={onClear}>
          {t("filter.clear")}
        </Button>
      )}
    </div>
  );
}

function useColumns(): Column<BillingEvent>[] {
  const t = useT("billing");
  return [
    { id: "type", header: t("column.type"), cell: (event) => <EventName event={event} />, csv: (event) => event.type, width: "minmax(0, 1.5fr)", phone: "title" },
    {
      id: "user",
      header: t("column.user"),
      cell: (event) =>
        event.userId === null ? (
          <span className="faint">—</span>
        ) : (
          <span className="truncate billing-user-cell" dir="auto" title={event.userId}>
            {event.userId}
          </span>
        ),
      csv: (event) => event.userId,
      width: "minmax(0, 1.5fr)",
    },
    { id: "provider", header: t("column.provider"), cell: (event) => t(`provider.${event.provider}`), csv: (event) => event.provider, width: "120px", phone: "hidden" },
    { id: "result", header: t("column.result"), cell: (event) => <ResultBadge result={event.result} />, csv: (event) => event.result, width: "110px" },
    { id: "reason", header: t("column.reason"), csv: (event) => event.reason },
    { id: "eventAt", header: t("column.eventAt"), cell: (event) => <DateTime value={event.eventAt} />, csv: (event) => event.eventAt, width: "180px" },
    { id: "receivedAt", header: t("column.receivedAt"), cell: (event) => <DateTime value={event.receivedAt} />, csv: (event) => event.receivedAt, width: "180px", phone: "hidden" },
    { id: "id", header: t("column.id"), csv: (event) => event.eventId },
  ];
}
