import { useMutation, useQueryClient } from "@tanstack/react-query";
import { LockKeyhole, Send, Users } from "lucide-react";
import { useCallback, useEffect, useImperativeHandle, useRef, useState, type DragEvent, type ReactNode, type Ref } from "react";
import { useT } from "../../i18n/index.ts";
import { useClients, useMe } from "../../session/index.ts";
import { Button, ErrorNotice, RadioGroup, TextArea, toast } from "../../ui/index.ts";
import { AttachButton, UploadList, useUploads } from "./attachments.tsx";
import type { Thread } from "./model.ts";
import { keys, useSettings } from "./queries.ts";

/** Lets the page put the cursor into the field. */
export interface ComposerHandle {
  focus: (internal: boolean) => void;
}

/** A text that is not sent, for this tab and this account. */
interface Draft {
  internal: boolean;
  body: string;
}

const draftKey = (userId: string, threadId: string): string => `tetrad.console.feedback.draft.${userId}.${threadId}`;

function readDraft(key: string): Draft {
  const stored = sessionStorage.getItem(key);
  return stored === null ? { internal: false, body: "" } : (JSON.parse(stored) as Draft);
}

function storeDraft(key: string, draft: Draft): void {
  if (draft.body === "") return sessionStorage.removeItem(key);
  try {
    sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // The storage is full. The text stays in the field.
  }
}

/** Writes a public reply or an internal note. An unsent text survives a reload of the tab. */
export function Composer({ thread, ref }: { thread: Thread; ref: Ref<ComposerHandle> }): ReactNode {
  const t = useT("feedback");
  const { feedback } = useClients();
  const client = useQueryClient();
  const settings = useSettings();
  const field = useRef<HTMLTextAreaElement>(null);
  const { feedbackId: id } = thread;
  const draft = draftKey(useMe().sub, id);
  const [begin] = useState(() => readDraft(draft));
  const [internal, setInternal] = useState(begin.internal);
  const [body, setBody] = useState(begin.body);
  const [dragging, setDragging] = useState(false);
  const uploads = useUploads();

  const focus = useCallback((note: boolean) => {
    setInternal(note);
    field.current?.focus();
    field.current?.scrollIntoView({ block: "nearest" });
  }, []);
  useImperativeHandle(ref, () => ({ focus }), [focus]);
  useEffect(() => storeDraft(draft, { internal, body }), [draft, internal, body]);

  const send = useMutation({
    mutationFn: async (resolve: boolean) => {
      const text = body.trim();
      await feedback.postReply(id, { body: text, internal, attachmentIds: uploads.ids });
      // The reply is sent: a failure of the next step must not offer it again.
      setBody("");
      uploads.clear();
      if (resolve) await feedback.updateFeedback(id, { status: "resolved" });
      return resolve;
    },
    meta: { silent: true },
    onSuccess: (resolved) => toast.success(t(internal ? "composer.noteSaved" : resolved ? "composer.sentAndResolved" : "composer.sent")),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: keys.thread(id) });
      void client.invalidateQueries({ queryKey: keys.lists });
    },
  });
  const ready = body.trim() !== "" && !uploads.isBusy && !send.isPending;
  const submit = (resolve = false): void => {
    if (ready) send.mutate(resolve);
  };
  // What is added while a text is sent would be removed with it.
  const addFiles = (files: Iterable<File>): void => {
    if (!send.isPending) uploads.add(files);
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setDragging(false);
    addFiles(event.dataTransfer.files);
  };
  const emails = settings.data?.notifyUsers !== false;
  const hint = internal ? t("composer.noteHint") : !emails ? t("composer.noEmailHint") : thread.userEmailVerified ? t("composer.emailHint") : t("composer.unverifiedHint");
  return (
    <section
      className={`card feedback-composer${internal ? " feedback-note" : ""}${dragging ? " feedback-dragging" : ""}`}
      aria-label={t("composer.label")}
      onDragOver={(event) => {
        event.preventDefault();
        setDragging(true);
      }}
      onDragLeave={() => setDragging(false)}
      onDrop={onDrop}
      onPaste={(event) => {
        if (event.clipboardData.files.length > 0) addFiles(event.clipboardData.files);
      }}
    >
      <RadioGroup
        label={t("composer.kind")}
        hideLabel
        look="segments"
        value={internal ? "note" : "reply"}
        onChange={(value) => setInternal(value === "note")}
        options={[
          { value: "reply", label: t("composer.reply"), icon: <Users aria-hidden /> },
          { value: "note", label: t("composer.note"), icon: <LockKeyhole aria-hidden /> },
        ]}
      />
      <TextArea
        label={t(internal ? "composer.note" : "composer.reply")}
        hideLabel
        inputRef={field}
        rows={5}
        maxLength={20_000}
        placeholder={t(internal ? "composer.notePlaceholder" : "composer.replyPlaceholder")}
        value={body}
        onChange={setBody}
        isReadOnly={send.isPending}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            submit();
          }
        }}
      />
      <UploadList uploads={uploads.uploads} onRemove={uploads.remove} />
      {send.error && <ErrorNotice error={send.error} title={t("composer.notSent")} />}
      <div className="feedback-composer-foot">
        <span className="faint small">{hint}</span>
        <span className="row wrap feedback-composer-actions">
          <AttachButton onFiles={addFiles} />
          {!internal && thread.status !== "resolved" && thread.status !== "closed" && (
            <Button isDisabled={!ready} onPress={() => submit(true)}>
              {t("composer.sendAndResolve")}
            </Button>
          )}
          <Button variant="primary" icon={internal ? <LockKeyhole aria-hidden /> : <Send aria-hidden className="flip" />} isDisabled={!ready} isPending={send.isPending} onPress={() => submit()}>
            {t(internal ? "composer.saveNote" : "composer.send")}
          </Button>
        </span>
      </div>
    </section>
  );
}
