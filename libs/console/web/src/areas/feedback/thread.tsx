import { ArrowLeft, ArrowRight, ChevronLeft, CircleCheck, CircleHelp, Ellipsis, ExternalLink, GitMerge, Link2, RotateCcw, Trash2, ThumbsUp } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { useFormats, useT } from "../../i18n/index.ts";
import { Link, navigate } from "../../router/index.tsx";
import { useClients, useConfig, useMe } from "../../session/index.ts";
import { NotFound } from "../../shell/shell.tsx";
import { Badge, Button, ConfirmDialog, ErrorNotice, IconButton, isNotFound, LinkButton, Menu, Notice, PageHeader, readAgain, Spinner, toast, usePhone, useShortcuts, type MenuPart } from "../../ui/index.ts";
import { Composer, type ComposerHandle } from "./composer.tsx";
import { Conversation } from "./conversation.tsx";
import { StatusBadge } from "./labels.tsx";
import { MergeDialog } from "./merge-dialog.tsx";
import { threadHref, type Status, type Thread } from "./model.ts";
import { Properties } from "./properties.tsx";
import { keys, lastInbox, useSettings, useThread, useUpdateThread } from "./queries.ts";
import { ShortcutsDialog } from "./shortcuts-dialog.tsx";
import { VotersDialog } from "./voters-dialog.tsx";

const inboxHref = (): string => `/console/feedback${lastInbox.search}`;

/** The page of one thread. */
export function ThreadPage({ id }: { id: string }): ReactNode {
  const t = useT("feedback");
  const query = useThread(id);
  if (query.data) return <Loaded key={id} thread={query.data} />;
  if (isNotFound(query.error)) return <NotFound title={t("thread.unknown")} text={t("thread.unknownText")} action={<LinkButton href="/console/feedback">{t("thread.toInbox")}</LinkButton>} />;
  if (query.error) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <div className="center page-loading">
      <Spinner />
    </div>
  );
}

/** The neighbours in the list from which the user came. */
function neighbours(id: string): { previous: string | undefined; next: string | undefined } {
  const index = lastInbox.ids.indexOf(id);
  return index < 0 ? { previous: undefined, next: undefined } : { previous: lastInbox.ids[index - 1], next: lastInbox.ids[index + 1] };
}

function Loaded({ thread }: { thread: Thread }): ReactNode {
  const t = useT("feedback");
  const common = useT("common");
  const formats = useFormats();
  const me = useMe();
  const phone = usePhone();
  const { feedback } = useClients();
  const { feedbackUrl } = useConfig();
  const client = useQueryClient();
  const settings = useSettings();
  const update = useUpdateThread();
  const [composer, setComposer] = useState<ComposerHandle | null>(null);
  const [open, setOpen] = useState<"merge" | "delete" | "help" | "voters" | null>(null);
  const { feedbackId: id } = thread;
  const { previous, next } = neighbours(id);
  const frozen = thread.mergedInto !== null || thread.deletedAt !== null;
  const finished = thread.status === "resolved" || thread.status === "closed";
  const go = (to: string | undefined): void => {
    if (to) navigate(threadHref(to), { replace: true });
  };
  const setStatus = (status: Status): void => update.mutate({ thread, set: { status }, done: t("thread.statusChanged", { status: t(`status.${status}`) }) });
  const toggleResolved = (): void => setStatus(finished ? "open" : "resolved");
  const close = (): void => setOpen(null);

  // The inbox leads here with the kind of text that the user wants to write.
  useEffect(() => {
    if (composer && (location.hash === "#reply" || location.hash === "#note")) {
      composer.focus(location.hash === "#note");
      history.replaceState(null, "", location.pathname + location.search);
    }
  }, [composer]);

  useShortcuts({
    j: () => go(next),
    k: () => go(previous),
    u: () => navigate(inboxHref()),
    Escape: () => navigate(inboxHref()),
    r: () => composer?.focus(false),
    n: () => composer?.focus(true),
    "?": () => setOpen("help"),
    ...(!frozen && {
      e: toggleResolved,
      m: () => setOpen("merge"),
      a: () => update.mutate({ thread, set: { assigneeId: me.sub, assigneeEmail: me.email }, done: t("thread.assignedToYou") }),
    }),
  });

  const onBoard = thread.visibility === "public" && settings.data?.publicBoard === true && !frozen;
  const parts: MenuPart[] = [
    { id: "link", label: t("thread.copyLink"), icon: <Link2 aria-hidden />, onAction: () => void navigator.clipboard.writeText(location.href).then(() => toast.success(common("action.copied"))) },
    ...(onBoard ? [{ id: "board", label: t("thread.openOnBoard"), icon: <ExternalLink aria-hidden />, onAction: () => window.open(`${feedbackUrl}/board/posts/${id}`, "_blank", "noopener") }] : []),
    { id: "help", label: t("shortcuts.title"), icon: <CircleHelp aria-hidden />, onAction: () => setOpen("help") },
    ...(frozen ? [] : [{ id: "line", separator: true as const }, { id: "delete", label: t("thread.delete"), icon: <Trash2 aria-hidden />, tone: "danger" as const, onAction: () => setOpen("delete") }]),
  ];

  return (
    <div className="feedback-thread">
      <PageHeader
        title={thread.title}
        before={
          <div className="row between">
            <Link href={inboxHref()}>
              <ChevronLeft aria-hidden className="flip" />
              {t("thread.toInbox")}
            </Link>
            {(previous ?? next) && (
              <span className="row">
                <IconButton size="s" label={t("thread.previous")} icon={<ArrowLeft aria-hidden className="flip" />} isDisabled={!previous} onPress={() => go(previous)} />
                <IconButton size="s" label={t("thread.next")} icon={<ArrowRight aria-hidden className="flip" />} isDisabled={!next} onPress={() => go(next)} />
              </span>
            )}
          </div>
        }
        description={
          <span className="row wrap">
            <StatusBadge status={thread.status as Status} />
            <Badge>{t(`category.${thread.category}`)}</Badge>
            <button type="button" className="feedback-votes" onClick={() => setOpen("voters")}>
              <ThumbsUp aria-hidden />
              {t("thread.votes", { count: thread.voteCount })}
            </button>
            <span className="faint">{formats.dateTime(thread.createdAt)}</span>
          </span>
        }
        actions={
          <>
            {!frozen && (
              <>
                <Button icon={finished ? <RotateCcw aria-hidden /> : <CircleCheck aria-hidden />} onPress={toggleResolved}>
                  {t(finished ? "thread.reopen" : "thread.resolve")}
                </Button>
                <Button icon={<GitMerge aria-hidden />} onPress={() => setOpen("merge")}>
                  {t("merge.action")}
                </Button>
              </>
            )}
            <Menu label={t("thread.more")} trigger={<IconButton label={t("thread.more")} icon={<Ellipsis aria-hidden />} />} parts={parts} />
          </>
        }
      />
      {thread.mergedInto && (
        <Notice tone="warning" title={t("thread.merged")}>
          <Link href={threadHref(thread.mergedInto)}>{t("thread.openTarget")}</Link>
        </Notice>
      )}
      {thread.deletedAt && <Notice tone="warning" title={t("thread.deletedAt", { time: formats.dateTime(thread.deletedAt) })} />}
      <div className="feedback-columns">
        {phone ? (
          <details className="card feedback-phone-details">
            <summary>{t("properties.title")}</summary>
            <Properties thread={thread} frozen={frozen} />
          </details>
        ) : (
          <aside className="card feedback-side" aria-label={t("properties.title")}>
            <Properties thread={thread} frozen={frozen} />
          </aside>
        )}
        <div className="feedback-main">
          <Conversation thread={thread} frozen={frozen} />
          {!frozen && <Composer ref={setComposer} thread={thread} />}
        </div>
      </div>
      {open === "merge" && <MergeDialog thread={thread} onClose={close} />}
      {open === "voters" && <VotersDialog thread={thread} onClose={close} />}
      <ShortcutsDialog isOpen={open === "help"} onClose={close} />
      <ConfirmDialog
        isOpen={open === "delete"}
        onClose={close}
        title={t("thread.deleteTitle")}
        confirmLabel={t("thread.delete")}
        onConfirm={async () => {
          await feedback.deleteFeedback(id);
          void readAgain(client, keys.lists);
          void client.invalidateQueries({ queryKey: keys.thread(id) });
          toast.success(t("thread.wasDeleted"));
          navigate(inboxHref());
        }}
      >
        <p>{t("thread.deleteText")}</p>
      </ConfirmDialog>
    </div>
  );
}
