import { useMutation, useQueryClient } from "@tanstack/react-query";
import { LockKeyhole, Send, Users } from "lucide-react";
import { useCallback, useEffect, useImperativeHandle, useRef, useState, type DragEvent, type ReactNode, type Ref } from "react";
import { useT } from "../../i18n/index.ts";
import { useClients } from "../../session/index.ts";
import { Button, ErrorNotice, RadioGroup, TextArea, toast } from "../../ui/index.ts";
import { AttachButton, UploadList, useUploads } from "./attachments.tsx";
import type { Thread } from "./model.ts";
import { keys, useSettings } from "./queries.ts";

/** Lets the page put the cursor into the field. */
export interface ComposerHandle {
  focus: (internal: boolean) => void;
}

const draftKey = (id: string): string => `tetrad.console.feedback.draft.${id}`;

/** Writes a public reply or an internal note. An unsent text survives a reload of the tab. */
export function Composer({ thread, ref }: { thread: Thread; ref: Ref<ComposerHandle> }): ReactNode {
  const t = useT("feedback");
  const { feedback } = useClients();
  const client = useQueryClient();
  const settings = useSettings();
  const field = useRef<HTMLTextAreaElement>(null);
  const [internal, setInternal] = useState(false);
  const [body, setBody] = useState(() => sessionStorage.getItem(draftKey(thread.feedbackId)) ?? "");
  const [dragging, setDragging] = useState(false);
  const uploads = useUploads();
  const { feedbackId: id } = thread;

  const focus = useCallback((note: boolean) => {
    setInternal(note);
    field.current?.focus();
    field.current?.scrollIntoView({ block: "nearest" });
  }, []);
  useImperativeHandle(ref, () => ({ focus }), [focus]);
  useEffect(() => {
    if (body === "") sessionStorage.removeItem(draftKey(id));
    else sessionStorage.setItem(draftKey(id), body);
  }, [id, body]);

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
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setDragging(false);
    uploads.add(event.dataTransfer.files);
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
        if (event.clipboardData.files.length > 0) uploads.add(event.clipboardData.files);
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
          <AttachButton onFiles={uploads.add} />
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
