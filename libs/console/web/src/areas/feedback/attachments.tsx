import { useQueryClient } from "@tanstack/react-query";
import { Download, FileText, Paperclip, X } from "lucide-react";
import { useRef, useState, type ReactNode } from "react";
import { FileTrigger } from "react-aria-components";
import { useFormats, useT } from "../../i18n/index.ts";
import { useClients } from "../../session/index.ts";
import { Button, describeError, IconButton, isCancelled, toast } from "../../ui/index.ts";
import { contentTypeOf, maxFileBytes, maxFiles, plainName } from "./model.ts";
import { keys, useAttachment } from "./queries.ts";

/** A file of a thread or reply. A press gets a fresh address and stores the file. */
function AttachmentItem({ id }: { id: string }): ReactNode {
  const t = useT("feedback");
  const formats = useFormats();
  const { feedback } = useClients();
  const client = useQueryClient();
  const attachment = useAttachment(id);
  const [pending, setPending] = useState(false);
  const load = async (): Promise<void> => {
    setPending(true);
    try {
      const { downloadUrl, filename } = await client.fetchQuery({ queryKey: keys.attachment(id), queryFn: () => feedback.getAttachment(id).then((value) => value), staleTime: 30_000 });
      if (!downloadUrl) throw new Error(t("attachment.gone"));
      const link = document.createElement("a");
      link.href = downloadUrl;
      link.download = plainName(filename);
      link.rel = "noopener";
      link.target = "_blank"; // an error of another origin must not replace the console
      link.click();
    } catch (error) {
      toast.error(error, t("attachment.failed"));
    } finally {
      setPending(false);
    }
  };
  if (attachment.error) return <li className="feedback-file faint">{t("attachment.gone")}</li>;
  const { data } = attachment;
  const name = data ? plainName(data.filename) : "…";
  return (
    <li className="feedback-file">
      <FileText aria-hidden />
      <span className="truncate" dir="auto">
        {name}
      </span>
      {data && <span className="faint nowrap">{formats.bytes(data.sizeBytes)}</span>}
      <IconButton size="s" label={t("attachment.download", { name })} icon={<Download aria-hidden />} isPending={pending} isDisabled={!data} onPress={() => void load()} />
    </li>
  );
}

export function AttachmentList({ ids }: { ids: readonly string[] }): ReactNode {
  const t = useT("feedback");
  if (ids.length === 0) return null;
  return (
    <ul className="feedback-files" aria-label={t("attachment.label")}>
      {ids.map((id) => (
        <AttachmentItem key={id} id={id} />
      ))}
    </ul>
  );
}

/** A file that is being uploaded, or waits to be sent. */
export interface Upload {
  key: number;
  name: string;
  size: number;
  sent: number;
  attachmentId?: string;
  error?: string;
  abort: () => void;
}

/** Uploads files for a reply. */
export function useUploads(): { uploads: Upload[]; add: (files: Iterable<File>) => void; remove: (key: number) => void; clear: () => void; isBusy: boolean; ids: string[] } {
  const t = useT("feedback");
  const formats = useFormats();
  const { feedback } = useClients();
  const [uploads, setUploads] = useState<Upload[]>([]);
  const last = useRef(0);
  const count = useRef(0);
  count.current = uploads.length;
  const patch = (key: number, changes: Partial<Upload>): void => setUploads((all) => all.map((one) => (one.key === key ? { ...one, ...changes } : one)));

  const start = (file: File): void => {
    const key = (last.current += 1);
    const controller = new AbortController();
    const entry: Upload = { key, name: file.name, size: file.size, sent: 0, abort: () => controller.abort() };
    const contentType = contentTypeOf(file.name, file.type);
    if (file.size > maxFileBytes) entry.error = t("attachment.tooLarge", { limit: formats.bytes(maxFileBytes) });
    else if (file.size === 0) entry.error = t("attachment.emptyFile");
    else if (!contentType) entry.error = t("attachment.wrongType");
    setUploads((all) => [...all, entry]);
    if (entry.error) return;
    feedback
      .uploadAttachment({ filename: file.name, contentType: contentType as "text/plain" }, file, { signal: controller.signal, onProgress: (sent) => patch(key, { sent }) })
      .then(
        ({ attachmentId }) => patch(key, { attachmentId, sent: file.size }),
        (error: unknown) => {
          if (isCancelled(error)) return;
          const described = describeError(error);
          patch(key, { error: described.fields[0]?.detail ?? described.detail ?? described.title });
        },
      );
  };
  return {
    uploads,
    add: (files) => {
      for (const file of files) {
        if (count.current >= maxFiles) {
          toast.error(new Error(t("attachment.tooMany", { count: maxFiles })), t("attachment.notAdded"));
          return;
        }
        count.current += 1;
        start(file);
      }
    },
    remove: (key) =>
      setUploads((all) => {
        all.find((one) => one.key === key)?.abort();
        return all.filter((one) => one.key !== key);
      }),
    clear: () => setUploads([]),
    isBusy: uploads.some((one) => !one.attachmentId && !one.error),
    ids: uploads.flatMap((one) => one.attachmentId ?? []),
  };
}

export function UploadList({ uploads, onRemove }: { uploads: Upload[]; onRemove: (key: number) => void }): ReactNode {
  const t = useT("feedback");
  const formats = useFormats();
  if (uploads.length === 0) return null;
  return (
    <ul className="feedback-files" aria-label={t("attachment.label")}>
      {uploads.map((upload) => (
        <li key={upload.key} className={`feedback-file${upload.error ? " feedback-file-failed" : ""}`}>
          <FileText aria-hidden />
          <span className="truncate" dir="auto">
            {upload.name}
          </span>
          {upload.error ? (
            <span className="field-error" role="alert">
              {upload.error}
            </span>
          ) : upload.attachmentId ? (
            <span className="faint nowrap">{formats.bytes(upload.size)}</span>
          ) : (
            <progress className="progress feedback-file-progress" aria-label={t("attachment.uploading", { name: upload.name })} value={upload.sent} max={upload.size} />
          )}
          <IconButton size="s" label={t("attachment.remove", { name: upload.name })} icon={<X aria-hidden />} onPress={() => onRemove(upload.key)} />
        </li>
      ))}
    </ul>
  );
}

export function AttachButton({ onFiles }: { onFiles: (files: Iterable<File>) => void }): ReactNode {
  const t = useT("feedback");
  return (
    <FileTrigger allowsMultiple onSelect={(files) => files && onFiles(Array.from(files))}>
      <Button size="s" variant="ghost" icon={<Paperclip aria-hidden />}>
        {t("attachment.add")}
      </Button>
    </FileTrigger>
  );
}
