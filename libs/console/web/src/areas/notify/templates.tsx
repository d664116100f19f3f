import { FileText, Plus, SearchX } from "lucide-react";
import { useMemo, useRef, useState, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { useSearch } from "../../router/index.tsx";
import { DataTable, EmptyState, LinkButton, PageHeader, QueryState, RowLink, SearchField, Select, TimeAgo, useShortcuts, type Column } from "../../ui/index.ts";
import { ChannelLabel, NotifyTabs, useChannelOptions } from "./labels.tsx";
import { channels, templateHref, type Template } from "./model.ts";
import { useTemplates } from "./queries.ts";

/** The templates of the tenant. */
export function Templates(): ReactNode {
  const t = useT("notify");
  const query = useTemplates();
  const [params, setSearch] = useSearch();
  const [text, setText] = useState(params.get("q") ?? "");
  const searchInput = useRef<HTMLInputElement>(null);
  const channelOptions = useChannelOptions();
  const channel = channels.find((one) => one === params.get("channel")) ?? "all";
  useShortcuts({ "/": () => searchInput.current?.focus() });
  const columns = useMemo<Column<Template>[]>(
    () => [
      {
        id: "name",
        header: t("column.template"),
        phone: "title",
        width: "minmax(0, 2fr)",
        csv: (one) => one.name,
        cell: (one) => (
          <div className="notify-row">
            <RowLink href={templateHref(one.templateId)}>{one.name}</RowLink>
            <span className="notify-row-detail" dir="auto">{one.subject || one.body.slice(0, 200)}</span>
          </div>
        ),
      },
      { id: "channel", header: t("column.channel"), width: "130px", csv: (one) => one.channel, cell: (one) => <ChannelLabel channel={one.channel} /> },
      { id: "placeholders", header: t("column.placeholders"), width: "minmax(0, 1fr)", phone: "hidden", csv: (one) => one.placeholders.join(" "), cell: (one) => one.placeholders.length > 0 ? <span className="truncate notify-cell small muted">{one.placeholders.join(", ")}</span> : <span className="faint">—</span> },
      { id: "version", header: t("column.version"), width: "72px", phone: "hidden", csv: (one) => one.version, cell: (one) => <span className="muted">{one.version}</span> },
      { id: "updated", header: t("column.updated"), width: "128px", csv: (one) => one.updatedAt, cell: (one) => <span className="small muted nowrap"><TimeAgo value={one.updatedAt} /></span> },
      { id: "id", header: t("column.id"), csv: (one) => one.templateId },
    ],
    [t],
  );
  const create = (
    <LinkButton variant="primary" icon={<Plus aria-hidden />} href="/console/notify/templates/new">
      {t("templates.create")}
    </LinkButton>
  );
  return (
    <>
      <PageHeader title={t("tabs.templates")} description={t("templates.text")} actions={create} tabs={<NotifyTabs />} />
      <QueryState query={query}>
        {(templates) => {
          const wanted = text.trim().toLocaleLowerCase();
          const items = templates.filter((one) => (channel === "all" || one.channel === channel) && (!wanted || `${one.name}\n${one.subject}`.toLocaleLowerCase().includes(wanted)));
          return (
            <div className="stack">
              {templates.length > 0 && (
                <div className="filters notify-filters" role="search" aria-label={t("filter.label")}>
                  <SearchField label={t("templates.search")} value={text} onChange={(value) => { setText(value); setSearch({ q: value.trim() }); }} inputRef={searchInput} />
                  <Select label={t("column.channel")} hideLabel size="s" options={[{ value: "all" as const, label: t("filter.anyChannel") }, ...channelOptions]} value={channel} onChange={(value) => setSearch({ channel: value === "all" ? null : value })} />
                </div>
              )}
              <DataTable
                label={t("tabs.templates")}
                columns={columns}
                source={{ items }}
                rowId={(one) => one.templateId}
                rowHref={(one) => templateHref(one.templateId)}
                csvName="templates"
                estimate={57.5}
                empty={templates.length > 0 ? <EmptyState icon={<SearchX aria-hidden />} title={t("templates.nothingFound")} text={t("templates.nothingFoundText")} /> : <EmptyState icon={<FileText aria-hidden />} title={t("templates.empty")} text={t("templates.emptyText")} action={create} />}
              />
            </div>
          );
        }}
      </QueryState>
    </>
  );
}
