import { useMutation, useQueryClient } from "@tanstack/react-query";
import { CircleDot, Ellipsis, GitMerge, History, LockKeyhole, Pencil, Trash2 } from "lucide-react";
import { memo, useDeferredValue, useMemo, useState, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { useClients, useMe } from "../../session/index.ts";
import { Avatar, Badge, Button, ConfirmDialog, Dialog, ErrorNotice, IconButton, Menu, QueryState, Spinner, TextArea, TimeAgo, toast, usePages, type MenuPart } from "../../ui/index.ts";
import { AttachmentList } from "./attachments.tsx";
import { Marked } from "./labels.tsx";
import { conversationOf, foldText, threadHref, type Entry, type Reply, type Status, type StatusMove, type Thread } from "./model.ts";
import { keys, useHistory, useNameOf, useReplies } from "./queries.ts";


/** A text as it was written. Very long texts are folded. */
function LongText({ children, thread }: { children: string; thread?: Thread }): ReactNode {
  const common = useT("common");
  const [all, setAll] = useState(false);
  const folded = foldText(children);
  const cut = !all && folded !== children;
  return (
    <>
      <div className="feedback-text" dir="auto">
        {cut ? `${folded}…` : thread ? <Marked text={children} highlights={thread.highlights} field="body" /> : children}
      </div>
      {cut && (
        <Button size="s" onPress={() => setAll(true)}>
          {common("action.showAll")}
        </Button>
      )}
    </>
  );
}

/** The opening text, the replies and notes, and the changes of the status. */
export function Conversation({ thread, frozen }: { thread: Thread; frozen: boolean }): ReactNode {
  const t = useT("feedback");
  const common = useT("common");
  const replies = useReplies(thread.feedbackId);
  const history = useHistory(thread.feedbackId);
  const nameOf = useNameOf(thread);
  const { query } = replies;
  const reporter = thread.userEmail ?? (thread.userId ? nameOf(thread.userId) : t("author.none"));
  const complete = query.data !== undefined && !query.hasNextPage;
  const entries = useMemo(() => conversationOf(replies.items, history.items, complete), [replies.items, history.items, complete]);
  return (
    <div className="feedback-conversation">
      <article className="feedback-post card" aria-label={t("thread.firstPost")}>
        <header className="feedback-post-header">
          <Avatar name={reporter} />
          <span className="strong truncate" dir="auto">
            {reporter}
          </span>
          <span className="faint small">
            <TimeAgo value={thread.createdAt} />
          </span>
        </header>
        <LongText thread={thread}>{thread.body}</LongText>
        <AttachmentList ids={thread.attachmentIds} />
      </article>
      {query.error && !query.data ? (
        <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <div className="center">
          <Spinner />
        </div>
      ) : (
        <Entries entries={entries} thread={thread} frozen={frozen} nameOf={nameOf} />
      )}
      {query.hasNextPage && (
        <Button isPending={query.isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
          {common("table.more")}
        </Button>
      )}
    </div>
  );
}

/** So many entries are shown at once. The others of a long conversation follow when these are painted. */
const firstEntries = 12;

function Entries({ entries, thread, frozen, nameOf }: { entries: Entry[]; thread: Thread; frozen: boolean; nameOf: (id: string) => string }): ReactNode {
  const t = useT("feedback");
  const shown = useDeferredValue(entries, entries.slice(0, firstEntries));
  return (
    <ol className="feedback-entries" aria-label={t("thread.conversation")}>
      {shown.map((entry) =>
        entry.kind === "reply" ? (
          <ReplyItem key={entry.reply.replyId} reply={entry.reply} author={nameOf(entry.reply.authorId)} isReporter={entry.reply.authorId === thread.userId} frozen={frozen} />
        ) : (
          <MoveItem key={`${entry.at}${entry.move.to}${entry.move.mergedFrom ?? ""}`} move={entry.move} actor={nameOf(entry.move.actorId)} />
        ),
      )}
    </ol>
  );
}

function MoveItem({ move, actor }: { move: StatusMove; actor: string }): ReactNode {
  const t = useT("feedback");
  const other = move.mergedInto ?? move.mergedFrom;
  return (
    <li className="feedback-move">
      <span className="feedback-move-icon">{other ? <GitMerge aria-hidden /> : <CircleDot aria-hidden />}</span>
      <span>
        {other ? (
          <>
            {t(move.mergedInto ? "history.mergedInto" : "history.mergedFrom", { actor })} <Link href={threadHref(other)}>{t("history.thread")}</Link>
          </>
        ) : (
          t("history.status", { actor, from: move.from ? t(`status.${move.from as Status}`) : "—", to: t(`status.${move.to as Status}`) })
        )}{" "}
        <span className="faint">
          <TimeAgo value={move.at} />
        </span>
      </span>
    </li>
  );
}

interface ReplyProps {
  reply: Reply;
  author: string;
  isReporter: boolean;
  frozen: boolean;
}

const ReplyItem = memo(function ReplyItem({ reply, author, isReporter, frozen }: ReplyProps): ReactNode {
  const t = useT("feedback");
  const me = useMe();
  const { feedback } = useClients();
  const client = useQueryClient();
  const [mode, setMode] = useState<"edit" | "delete" | "versions" | null>(null);
  const isStaff = reply.authorRole !== "user";
  const refresh = (): void => void client.invalidateQueries({ queryKey: keys.thread(reply.feedbackId) });
  const parts: MenuPart[] = [
    ...(reply.authorId === me.sub && !frozen ? [{ id: "edit", label: t("reply.edit"), icon: <Pencil aria-hidden />, onAction: () => setMode("edit") }] : []),
    ...(reply.editedAt ? [{ id: "versions", label: t("reply.versions"), icon: <History aria-hidden />, onAction: () => setMode("versions") }] : []),
    ...(frozen ? [] : [{ id: "delete", label: t("reply.delete"), icon: <Trash2 aria-hidden />, tone: "danger" as const, onAction: () => setMode("delete") }]),
  ];
  return (
    <li className={`feedback-reply card${reply.internal ? " feedback-note" : isStaff ? " feedback-staff" : ""}`}>
      <header className="feedback-post-header">
        <Avatar name={reply.authorId === me.sub ? me.email : author} />
        <span className="strong truncate" dir="auto">
          {author}
        </span>
        {reply.internal ? (
          <Badge tone="warning" icon={<LockKeyhole aria-hidden />}>
            {t("reply.note")}
          </Badge>
        ) : isStaff ? (
          <Badge tone="accent">{t("author.team")}</Badge>
        ) : (
          isReporter && <Badge>{t("author.reporter")}</Badge>
        )}
        <span className="faint small">
          <TimeAgo value={reply.createdAt} />
          {reply.editedAt && ` · ${t("reply.edited")}`}
        </span>
        {parts.length > 0 && (
          <span className="feedback-post-menu">
            <Menu label={t("reply.more")} trigger={<IconButton size="s" label={t("reply.more")} icon={<Ellipsis aria-hidden />} />} parts={parts} />
          </span>
        )}
      </header>
      {mode === "edit" ? <EditReply reply={reply} onDone={() => (setMode(null), refresh())} onCancel={() => setMode(null)} /> : <LongText>{reply.body}</LongText>}
      <AttachmentList ids={reply.attachmentIds} />
      {mode === "versions" && <Versions reply={reply} onClose={() => setMode(null)} />}
      {mode === "delete" && (
        <ConfirmDialog
          isOpen
          onClose={() => setMode(null)}
          title={t(reply.internal ? "reply.deleteNoteTitle" : "reply.deleteTitle")}
          confirmLabel={t("reply.delete")}
          onConfirm={async () => {
            await feedback.deleteReply(reply.feedbackId, reply.replyId);
            toast.success(t("reply.deleted"));
            refresh();
          }}
        >
          <p>{t("reply.deleteText")}</p>
        </ConfirmDialog>
      )}
    </li>
  );
});

function EditReply({ reply, onDone, onCancel }: { reply: Reply; onDone: () => void; onCancel: () => void }): ReactNode {
  const t = useT("feedback");
  const common = useT("common");
  const { feedback } = useClients();
  const [body, setBody] = useState(reply.body);
  const save = useMutation({ mutationFn: () => feedback.updateReply(reply.feedbackId, reply.replyId, { body }).then((value) => value), meta: { silent: true }, onSuccess: onDone });
  return (
    <div className="stack-s">
      <TextArea label={t("reply.edit")} hideLabel autoFocus rows={6} value={body} onChange={setBody} maxLength={20_000} />
      {save.error && <ErrorNotice error={save.error} />}
      <div className="row">
        <Button size="s" variant="primary" isPending={save.isPending} isDisabled={body.trim() === ""} onPress={() => save.mutate()}>
          {common("action.save")}
        </Button>
        <Button size="s" onPress={onCancel}>
          {common("action.cancel")}
        </Button>
      </div>
    </div>
  );
}

function Versions({ reply, onClose }: { reply: Reply; onClose: () => void }): ReactNode {
  const t = useT("feedback");
  const { feedback } = useClients();
  const versions = usePages([...keys.replies(reply.feedbackId), reply.replyId, "versions"], (cursor, signal) => feedback.listReplyHistory(reply.feedbackId, reply.replyId, { ...cursor }, { signal }));
  return (
    <Dialog isOpen onClose={onClose} title={t("reply.versions")}>
      <QueryState query={versions.query}>
        {() => (
          <ol className="stack">
            {versions.items.map((version) => (
              <li key={version.editedAt} className="stack-s">
                <span className="faint small">
                  {t("reply.replacedAt")} <TimeAgo value={version.editedAt} />
                </span>
                <LongText>{version.body}</LongText>
              </li>
            ))}
          </ol>
        )}
      </QueryState>
    </Dialog>
  );
}
