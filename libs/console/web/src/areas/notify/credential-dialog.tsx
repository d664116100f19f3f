import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FileUp } from "lucide-react";
import { useState, type FormEvent, type ReactNode } from "react";
import { FileTrigger } from "react-aria-components";
import { useT } from "../../i18n/index.ts";
import { useClients, useMe, useStepUp, useTenant } from "../../session/index.ts";
import { Button, Dialog, ErrorNotice, fieldErrors, Notice, RadioGroup, Switch, TextArea, TextField, toast } from "../../ui/index.ts";
import type { Platform, PlatformKind } from "./model.ts";
import { keys } from "./queries.ts";

type Fields = Record<string, unknown>;

/** Stores credentials of a push provider. The secret leaves the page with the request, and is never shown again. */
export function CredentialDialog({ kind, platform, onClose }: { kind: PlatformKind; platform: Platform | undefined; onClose: () => void }): ReactNode {
  const t = useT("notify");
  const common = useT("common");
  const { notify } = useClients();
  const stepUp = useStepUp();
  const client = useQueryClient();
  const [fields, setFields] = useState<Fields | null>(null);
  const save = useMutation({
    mutationFn: async () => stepUp(() => notify.putPlatform(kind, fields as Parameters<typeof notify.putPlatform>[1]), { fresh: true }),
    meta: { silent: true },
    gcTime: 0, // so that nothing holds the private key after the dialog
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: keys.platforms });
      toast.success(t("platforms.stored"));
      onClose();
    },
  });
  const props = { platform, errors: fieldErrors(save.error), onFields: setFields };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (fields) save.mutate();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t(`platform.${kind}`)}
      footer={
        <>
          <Button onPress={onClose}>{common("action.cancel")}</Button>
          <Button variant="primary" isDisabled={!fields} isPending={save.isPending} onPress={() => save.mutate()}>
            {common("action.save")}
          </Button>
        </>
      }
    >
      <form className="stack" onSubmit={submit} autoComplete="off">
        {kind !== "webpush" && <Notice>{t("credential.writeOnly")}</Notice>}
        {kind === "fcm" ? <FcmFields {...props} /> : kind === "apns" ? <ApnsFields {...props} /> : <WebPushFields {...props} />}
        {save.error && <ErrorNotice error={save.error} title={t("platforms.notStored")} />}
      </form>
    </Dialog>
  );
}

interface FieldProps {
  platform: Platform | undefined;
  errors: Record<string, string>;
  /** The body of the request, or null while something is missing. */
  onFields: (fields: Fields | null) => void;
}

/** A button that reads a text file into a field. */
function FileButton({ types, onText }: { types: string[]; onText: (text: string) => void }): ReactNode {
  const t = useT("notify");
  const read = (files: FileList | null): void => {
    const file = files?.[0];
    if (!file) return;
    if (file.size > 65_536) toast.error(new Error(t("credential.tooLarge")));
    else file.text().then(onText, (error: unknown) => toast.error(error));
  };
  return (
    <FileTrigger acceptedFileTypes={types} onSelect={read}>
      <Button size="s" icon={<FileUp aria-hidden />}>
        {t("credential.file")}
      </Button>
    </FileTrigger>
  );
}

function FcmFields({ errors, onFields }: FieldProps): ReactNode {
  const t = useT("notify");
  const [text, setText] = useState("");
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  const valid = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  const project = valid ? (parsed as { project_id?: unknown }).project_id : undefined;
  const change = (next: string): void => {
    setText(next);
    try {
      const value: unknown = JSON.parse(next);
      onFields(typeof value === "object" && value !== null && !Array.isArray(value) ? { serviceAccountKey: value } : null);
    } catch {
      onFields(null);
    }
  };
  const error = text.trim() && !valid ? t("credential.noJson") : Object.entries(errors).find(([name]) => name.startsWith("serviceAccountKey"))?.[1];
  return (
    <div className="stack-s">
      <TextArea className="notify-secret" label={t("credential.serviceAccount")} description={t("credential.serviceAccountText")} value={text} onChange={change} rows={6} monospace isRequired error={error} placeholder='{"type": "service_account", …}' />
      <div className="row wrap">
        <FileButton types={["application/json", ".json"]} onText={change} />
        {typeof project === "string" && <span className="small muted">{t("credential.project", { project: project.slice(0, 100) })}</span>}
      </div>
    </div>
  );
}

function ApnsFields({ platform, errors, onFields }: FieldProps): ReactNode {
  const t = useT("notify");
  const { environment } = useTenant();
  const stored = platform?.kind === "apns" ? platform : undefined;
  const [draft, setDraft] = useState({ bundleId: stored?.bundleId ?? "", keyId: stored?.keyId ?? "", teamId: stored?.teamId ?? "", environment: stored?.environment ?? environment, privateKey: "" });
  const set = (next: Partial<typeof draft>): void => {
    const all = { ...draft, ...next };
    setDraft(all);
    const body = { ...all, bundleId: all.bundleId.trim(), keyId: all.keyId.trim().toUpperCase(), teamId: all.teamId.trim().toUpperCase() };
    onFields(Object.values(body).every(Boolean) ? body : null);
  };
  return (
    <>
      <TextField label={t("credential.bundleId")} placeholder="com.example.app" value={draft.bundleId} onChange={(bundleId) => set({ bundleId })} error={errors["bundleId"]} maxLength={155} isRequired monospace autoComplete="off" />
      <div className="notify-pair">
        <TextField label={t("credential.keyId")} description={t("credential.tenCharacters")} value={draft.keyId} onChange={(keyId) => set({ keyId })} error={errors["keyId"]} maxLength={10} isRequired monospace autoComplete="off" />
        <TextField label={t("credential.teamId")} description={t("credential.tenCharacters")} value={draft.teamId} onChange={(teamId) => set({ teamId })} error={errors["teamId"]} maxLength={10} isRequired monospace autoComplete="off" />
      </div>
      <RadioGroup label={t("credential.environment")} look="segments" value={draft.environment} onChange={(value) => set({ environment: value })} options={(["production", "sandbox"] as const).map((value) => ({ value, label: t(`credential.environment.${value}`) }))} />
      <div className="stack-s">
        <TextArea className="notify-secret" label={t("credential.privateKey")} description={t("credential.privateKeyText")} value={draft.privateKey} onChange={(privateKey) => set({ privateKey })} rows={5} monospace isRequired error={errors["privateKey"]} placeholder="-----BEGIN PRIVATE KEY-----" />
        <div>
          <FileButton types={[".p8", ".pem", "application/x-pem-file"]} onText={(privateKey) => set({ privateKey })} />
        </div>
      </div>
    </>
  );
}

function WebPushFields({ platform, errors, onFields }: FieldProps): ReactNode {
  const t = useT("notify");
  const me = useMe();
  const stored = platform?.kind === "webpush" ? platform : undefined;
  const [subject, setSubject] = useState(stored?.subject ?? "");
  const [rotate, setRotate] = useState(false);
  const pass = (nextSubject: string, nextRotate: boolean): void => {
    setSubject(nextSubject);
    setRotate(nextRotate);
    onFields(nextSubject.trim() ? { subject: nextSubject.trim(), ...(nextRotate && { rotate: true }) } : null);
  };
  return (
    <>
      <p className="muted">{t("credential.webText")}</p>
      <TextField label={t("credential.subject")} description={t("credential.subjectText")} placeholder={`mailto:${me.email}`} value={subject} onChange={(value) => pass(value, rotate)} error={errors["subject"]} maxLength={300} isRequired autoComplete="off" />
      {stored && <Switch label={t("credential.rotate")} description={t("credential.rotateText")} isSelected={rotate} onChange={(value) => pass(subject, value)} />}
    </>
  );
}
