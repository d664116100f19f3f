import { CircleHelp, Download, Ellipsis, Inbox as InboxIcon, SearchX } from "lucide-react";
import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { Link, navigate, useSearch } from "../../router/index.tsx";
import { useClients, useMe } from "../../session/index.ts";
import { Button, DataTable, download, EmptyState, IconButton, LinkButton, Menu, PageHeader, RowLink, TimeAgo, toast, useShortcuts, type Column } from "../../ui/index.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { Marked, PriorityLabel, StatusBadge } from "./labels.tsx";
import { emptyFilter, isNarrowed, queryOf, readFilter, searchOf, threadHref, writeFilter, type Filter, type Status, type Thread } from "./model.ts";
import { lastInbox, useSettings, useThreads, useUpdateThread } from "./queries.ts";
import { ShortcutsDialog } from "./shortcuts-dialog.tsx";
import { FeedbackTabs } from "./tabs.tsx";
import { Views } from "./views-bar.tsx";

function useColumns(): Column<Thread>[] {
  const t = useT("feedback");
  const formats = useFormats();
  return useMemo(
    () => [
      {
        id: "title",
        header: t("column.thread"),
        phone: "title",
        width: "minmax(0, 1fr)",
        csv: (thread) => thread.title,
        cell: (thread) => (
          <div className="feedback-row">
            <RowLink href={threadHref(thread.feedbackId)}>
              <Marked text={thread.title} highlights={thread.highlights} field="title" />
            </RowLink>
            <span className="feedback-row-detail">
              <span>{t(`category.${thread.category}`)}</span>
              {thread.userEmail && (
                <span className="truncate" dir="auto">
                  {thread.userEmail}
                </span>
              )}
              {thread.visibility === "public" && <span>{t("visibility.public")}</span>}
              {thread.deletedAt && <span className="feedback-deleted">{t("thread.deleted")}</span>}
              {thread.tags.map((tag) => (
                <span key={tag} className="feedback-tag" dir="auto">
                  {tag}
                </span>
              ))}
            </span>
          </div>
        ),
      },
      { id: "status", header: t("column.status"), width: "112px", csv: (thread) => thread.status, cell: (thread) => <StatusBadge status={thread.status as Status} /> },
      { id: "category", header: t("column.category"), csv: (thread) => thread.category },
      { id: "priority", header: t("column.priority"), width: "86px", csv: (thread) => thread.priority, cell: (thread) => <PriorityLabel priority={thread.priority} /> },
      { id: "votes", header: t("column.votes"), width: "58px", align: "end", csv: (thread) => thread.voteCount, phone: "hidden", cell: (thread) => formats.number(thread.voteCount) },
      { id: "replies", header: t("column.replies"), width: "70px", align: "end", csv: (thread) => thread.replyCount, phone: "hidden", cell: (thread) => formats.number(thread.replyCount) },
      {
        id: "assignee",
        header: t("column.assignee"),
        width: "120px",
        csv: (thread) => thread.assigneeEmail ?? thread.assigneeId,
        phone: "hidden",
        cell: (thread) => <span className="truncate feedback-assignee">{thread.assigneeEmail ?? thread.assigneeId ?? <span className="faint">—</span>}</span>,
      },
      { id: "activity", header: t("column.activity"), width: "110px", csv: (thread) => thread.lastReplyAt ?? thread.createdAt, cell: (thread) => <span className="small muted nowrap"><TimeAgo value={thread.lastReplyAt ?? thread.createdAt} /></span> },
      { id: "user", header: t("column.user"), csv: (thread) => thread.userEmail ?? thread.userId },
      { id: "created", header: t("column.created"), csv: (thread) => thread.createdAt },
      { id: "id", header: t("column.id"), csv: (thread) => thread.feedbackId },
    ],
    [t, formats],
  );
}

function Empty({ filter, onClear }: { filter: Filter; onClear: () => void }): ReactNode {
  const t = useT("feedback");
  const settings = useSettings();
  if (isNarrowed(filter)) return <EmptyState icon={<SearchX aria-hidden />} title={t("inbox.nothingFound")} text={t("inbox.nothingFoundText")} action={<Button onPress={onClear}>{t("inbox.clear")}</Button>} />;
  if (filter.status.length > 0)
    return <EmptyState icon={<InboxIcon aria-hidden />} title={t("inbox.done")} text={t("inbox.doneText")} action={<LinkButton href={`/console/feedback${searchOf(emptyFilter)}`}>{t("inbox.showAll")}</LinkButton>} />;
  return (
    <EmptyState
      icon={<InboxIcon aria-hidden />}
      title={t("inbox.empty")}
      text={t("inbox.emptyText")}
      action={!settings.data?.publicBoard && <LinkButton variant="primary" href="/console/feedback/board">{t("inbox.turnOnBoard")}</LinkButton>}
    />
  );
}

/** Stores all matches of the filter as the service exports them. */
function useExport(filter: Filter): (format: "csv" | "ndjson", withReplies: boolean) => void {
  const { feedback } = useClients();
  const me = useMe();
  const t = useT("feedback");
  return (format, withReplies) => {
    const { sort: _sort, ...query } = queryOf(filter, me.sub);
    const run = async (): Promise<void> => {
      const response = await feedback.exportFeedbacks({ ...query, format, ...(withReplies && { include: "replies" }) }).response();
      download(`feedback.${format}`, await response.blob());
    };
    run().catch((error: unknown) => toast.error(error, t("export.failed")));
  };
}

/** The list of threads. */
export function Inbox(): ReactNode {
  const t = useT("feedback");
  const me = useMe();
  const [params, setSearch] = useSearch();
  const filter = useMemo(() => readFilter(params), [params]);
  const pages = useThreads(filter);
  const update = useUpdateThread();
  const columns = useColumns();
  const runExport = useExport(filter);
  const searchInput = useRef<HTMLInputElement>(null);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState<string | null>(null);
  const [help, setHelp] = useState(false);
  const threads = pages.items;
  const search = searchOf(filter);

  useEffect(() => {
    lastInbox.search = search;
    lastInbox.ids = threads.map((thread) => thread.feedbackId);
  }, [threads, search]);
  useEffect(() => {
    setSelected(new Set());
    setActive(null);
  }, [search]);

  const change = (next: Partial<Filter>): void => setSearch(writeFilter({ ...filter, ...next }));
  const clear = (): void => setSearch(writeFilter({ ...emptyFilter, status: filter.status }));
  const index = threads.findIndex((thread) => thread.feedbackId === active);
  const current = threads[index];
  const move = (by: number): void => setActive(threads[Math.min(threads.length - 1, Math.max(0, index + by))]?.feedbackId ?? null);
  const toggle = (): void => {
    if (!active) return;
    const next = new Set(selected);
    if (!next.delete(active)) next.add(active);
    setSelected(next);
  };
  const openCurrent = (more = ""): void => {
    if (active) navigate(threadHref(active) + more);
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => openCurrent(),
    o: () => openCurrent(),
    r: () => openCurrent("#reply"),
    n: () => openCurrent("#note"),
    x: toggle,
    e: () => current && update.mutate({ thread: current, set: { status: current.status === "resolved" ? "open" : "resolved" }, done: t(current.status === "resolved" ? "thread.reopened" : "thread.resolved") }),
    a: () => current && update.mutate({ thread: current, set: { assigneeId: me.sub, assigneeEmail: me.email }, done: t("thread.assignedToYou") }),
    "/": () => searchInput.current?.focus(),
    Escape: () => setSelected(new Set()),
    "?": () => setHelp(true),
  });

  return (
    <>
      <PageHeader
        title={t("inbox.title")}
        actions={
          <>
            <IconButton label={t("shortcuts.title")} icon={<CircleHelp aria-hidden />} onPress={() => setHelp(true)} />
            <Menu
              label={t("inbox.more")}
              trigger={<IconButton label={t("inbox.more")} icon={<Ellipsis aria-hidden />} />}
              parts={[
                { id: "deleted", label: t("filter.deleted"), isSelected: filter.deleted, onAction: () => change({ deleted: !filter.deleted }) },
                {
                  id: "export",
                  title: t("export.title"),
                  entries: [
                    { id: "csv", label: t("export.csv"), icon: <Download aria-hidden />, onAction: () => runExport("csv", false) },
                    { id: "csv-replies", label: t("export.csvReplies"), icon: <Download aria-hidden />, onAction: () => runExport("csv", true) },
                    { id: "ndjson", label: t("export.ndjson"), icon: <Download aria-hidden />, onAction: () => runExport("ndjson", true) },
                  ],
                },
              ]}
            />
          </>
        }
        tabs={<FeedbackTabs />}
      />
      <div className="stack">
        <Views filter={filter} />
        <FilterBar filter={filter} onChange={change} onClear={clear} searchInput={searchInput} />
        {filter.user && (
          <p className="small muted">
            {t("inbox.ofUser", { user: threads[0]?.userEmail ?? filter.user })} <Link href={`/console/feedback${searchOf({ ...filter, user: "" })}`}>{t("inbox.ofAll")}</Link>
          </p>
        )}
        {selected.size > 0 && <BulkBar threads={threads.filter((thread) => selected.has(thread.feedbackId))} onDone={setSelected} />}
        <span role="status" className="visually-hidden">
          {current?.title}
        </span>
        <DataTable
          label={t("inbox.title")}
          columns={columns}
          source={pages}
          rowId={(thread) => thread.feedbackId}
          rowHref={(thread) => threadHref(thread.feedbackId)}
          activeId={active}
          estimate={60}
          selection={{ selected, onChange: setSelected, label: (id) => t("inbox.select", { title: threads.find((thread) => thread.feedbackId === id)?.title ?? id }) }}
          empty={<Empty filter={filter} onClear={clear} />}
        />
      </div>
      <ShortcutsDialog isOpen={help} onClose={() => setHelp(false)} />
    </>
  );
}
