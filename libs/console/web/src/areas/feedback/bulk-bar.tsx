import { useQueryClient } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { useClients, useMe } from "../../session/index.ts";
import { Button, Dialog, IconButton, Menu, readAgain, toast, type MenuEntry } from "../../ui/index.ts";
import { usePriorityOptions, useStatusOptions } from "./labels.tsx";
import { MergeDialog } from "./merge-dialog.tsx";
import { threadHref, type Changes, type Thread } from "./model.ts";
import { keys, useStaff } from "./queries.ts";

const most = 100;

interface Failure {
  thread: Thread;
  status: number;
}

/** Changes all selected threads. Threads that could not be changed are listed, and stay selected. */
export function BulkBar({ threads, onDone }: { threads: Thread[]; onDone: (selected: ReadonlySet<string>) => void }): ReactNode {
  const t = useT("feedback");
  const me = useMe();
  const client = useQueryClient();
  const { feedback } = useClients();
  const staff = useStaff();
  const statusOptions = useStatusOptions();
  const priorityOptions = usePriorityOptions();
  const [pending, setPending] = useState(false);
  const [failures, setFailures] = useState<Failure[] | null>(null);

  const [merging, setMerging] = useState(false);
  // Usually the newer thread is the duplicate.
  const [newer, older] = threads.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
  const apply = async (set: Changes): Promise<void> => {
    setPending(true);
    const ids = threads.map((thread) => thread.feedbackId);
    const failed: Failure[] = [];
    let changed = 0;
    try {
      for (let from = 0; from < ids.length; from += most) {
        const { results } = await feedback.updateFeedbacks({ feedbackIds: ids.slice(from, from + most), set });
        for (const [index, result] of results.entries()) {
          if (result.status === 200) changed += 1;
          else failed.push({ thread: threads[from + index]!, status: result.status });
        }
      }
      if (changed > 0) toast.success(t("bulk.changed", { count: changed }));
      if (failed.length > 0) setFailures(failed);
      onDone(new Set(failed.map(({ thread }) => thread.feedbackId)));
    } catch (error) {
      toast.error(error, changed > 0 ? t("bulk.stopped", { count: changed }) : t("bulk.failed"));
    } finally {
      setPending(false);
      void readAgain(client, keys.lists);
    }
  };
  const run = (set: Changes): void => void apply(set);
  const button = (label: string): ReactNode => (
    <Button size="s" isDisabled={pending}>
      {label}
    </Button>
  );
  const people: MenuEntry[] = [
    { id: "me", label: t("filter.me"), onAction: () => run({ assigneeId: me.sub, assigneeEmail: me.email }) },
    ...(staff.data ?? []).filter(({ userId }) => userId !== me.sub).map(({ userId, email }) => ({ id: userId, label: email, onAction: () => run({ assigneeId: userId, assigneeEmail: email }) })),
    { id: "none", label: t("assignee.none"), onAction: () => run({ assigneeId: null, assigneeEmail: null }) },
  ];
  const entriesOf = <Value extends string>(options: { value: Value; label: string; icon?: ReactNode }[], set: (value: Value) => Changes): MenuEntry[] =>
    options.map(({ value, label, icon }) => ({ id: value, label, icon, onAction: () => run(set(value)) }));
  const report = (
    <Dialog isOpen={failures !== null} onClose={() => setFailures(null)} title={t("bulk.partTitle", { count: failures?.length ?? 0 })}>
        <p className="muted">{t("bulk.partText")}</p>
        <ul className="feedback-failures">
          {failures?.map(({ thread, status }) => (
            <li key={thread.feedbackId}>
              <Link href={threadHref(thread.feedbackId)} dir="auto">
                {thread.title}
              </Link>
              <span className="muted">{status === 404 ? t("bulk.404") : t("bulk.409")}</span>
            </li>
          ))}
        </ul>
      </Dialog>
  );
  // A thread that could not be changed may have left the list.
  if (threads.length === 0) return report;
  return (
    <div className="feedback-bulk" role="toolbar" aria-label={t("bulk.label")}>
      <strong role="status">{t("bulk.selected", { count: threads.length })}</strong>
      <Menu label={t("column.status")} placement="top start" trigger={button(t("column.status"))} parts={entriesOf(statusOptions, (status) => ({ status }))} />
      <Menu
        label={t("column.priority")}
        placement="top start"
        trigger={button(t("column.priority"))}
        parts={[...entriesOf(priorityOptions, (priority) => ({ priority })), { id: "none", label: t("priority.none"), onAction: () => run({ priority: null }) }]}
      />
      <Menu label={t("column.assignee")} placement="top start" trigger={button(t("column.assignee"))} parts={people} />
      <Menu
        label={t("column.visibility")}
        placement="top start"
        trigger={button(t("column.visibility"))}
        parts={[
          { id: "public", label: t("visibility.public"), onAction: () => run({ visibility: "public" }) },
          { id: "private", label: t("visibility.private"), onAction: () => run({ visibility: "private" }) },
        ]}
      />
      {threads.length === 2 && (
        <Button size="s" isDisabled={pending} onPress={() => setMerging(true)}>
          {t("merge.action")}
        </Button>
      )}
      {merging && <MergeDialog thread={newer!} suggested={older} onClose={() => setMerging(false)} />}
      {pending && <span className="spinner spinner-s" aria-hidden />}
      <IconButton size="s" className="feedback-bulk-end" label={t("bulk.clear")} icon={<X aria-hidden />} onPress={() => onDone(new Set())} />
      {report}
    </div>
  );
}
