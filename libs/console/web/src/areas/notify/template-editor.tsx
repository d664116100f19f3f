import { useQueryClient } from "@tanstack/react-query";
import { ApiError } from "@tetrad/client";
import { ChevronLeft, Megaphone, Send, Trash2 } from "lucide-react";
import { useEffect, useMemo, useState, type FormEvent, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { Link, navigate } from "../../router/index.tsx";
import { useClients } from "../../session/index.ts";
import { NotFound } from "../../shell/shell.tsx";
import { Button, Card, ConfirmDialog, ErrorNotice, fieldErrors, IconButton, isNotFound, LinkButton, Notice, PageHeader, QueryState, RadioGroup, TextArea, TextField, toast } from "../../ui/index.ts";
import { draftOf, newDraft, pushOf, requestOf, type Draft } from "./draft.ts";
import { useChannelOptions } from "./labels.tsx";
import { confirmNameOf, etagOf, fill, placeholdersOf, templateHref, type Channel, type Template } from "./model.ts";
import { MessagePreview } from "./preview.tsx";
import { PushOptionFields } from "./push-options.tsx";
import { keys, useRendered, useTemplate, type Rendered } from "./queries.ts";
import { SendDialog } from "./send-dialog.tsx";
import { VariableFields, withSamples } from "./variables.tsx";

/** The editor of a stored template. */
export function TemplatePage({ id }: { id: string }): ReactNode {
  const t = useT("notify");
  const query = useTemplate(id);
  if (isNotFound(query.error)) return <NotFound title={t("template.unknown")} text={t("template.unknownText")} action={<LinkButton href="/console/notify/templates">{t("template.back")}</LinkButton>} />;
  return <QueryState query={query}>{(template) => <Editor key={id} template={template} />}</QueryState>;
}

/** The editor of a new template. */
export const NewTemplatePage = (): ReactNode => <Editor key="new" />;

const bodyLimit = 20_000;

/** The values of the last previews by template, until the page is closed. */
const lastValues = new Map<string, Record<string, string>>();

function Editor({ template }: { template?: Template }): ReactNode {
  const t = useT("notify");
  const common = useT("common");
  const formats = useFormats();
  const { notify } = useClients();
  const client = useQueryClient();
  const [base, setBase] = useState(template);
  const before = useMemo(() => (base ? draftOf(base) : newDraft), [base]);
  const [draft, setDraft] = useState<Draft>(before);
  const [values, setValues] = useState<Record<string, string>>(() => lastValues.get(template?.templateId ?? "") ?? {});
  const [error, setError] = useState<unknown>(null);
  const [pending, setPending] = useState(false);
  const [dialog, setDialog] = useState<"send" | "delete" | null>(null);
  const dirty = JSON.stringify(requestOf(draft)) !== JSON.stringify(requestOf(before));
  const set = (next: Partial<Draft>): void => setDraft((one) => ({ ...one, ...next }));
  const errors = fieldErrors(error);
  const channelOptions = useChannelOptions();
  const changeValues = (next: Record<string, string>): void => {
    setValues(next);
    if (base) lastValues.set(base.templateId, next);
  };
  const newer = template !== undefined && base !== undefined && template.version > base.version;

  useEffect(() => {
    // Another person has saved the template. Without own changes, the editor follows.
    if (newer && !dirty) {
      setBase(template);
      setDraft(draftOf(template));
    }
  }, [newer, dirty, template]);
  useEffect(() => {
    if (!dirty) return undefined;
    const stay = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", stay);
    return () => removeEventListener("beforeunload", stay);
  }, [dirty]);

  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (pending) return;
    setPending(true);
    setError(null);
    try {
      const saved: Template = base ? await notify.updateTemplate(base.templateId, requestOf(draft), { ifMatch: etagOf(base) }) : await notify.createTemplate(requestOf(draft));
      client.setQueryData(keys.template(saved.templateId), saved);
      void client.invalidateQueries({ queryKey: keys.templates });
      toast.success(common("state.saved"));
      setBase(saved);
      setDraft(draftOf(saved));
      lastValues.set(saved.templateId, values);
      if (!base) navigate(templateHref(saved.templateId), { replace: true });
    } catch (failure) {
      setError(failure);
      // Someone else has saved the template: read it, so that the page can offer the newer version.
      if (base && failure instanceof ApiError && failure.status === 412) void client.invalidateQueries({ queryKey: keys.template(base.templateId) });
    } finally {
      setPending(false);
    }
  };
  const changeChannel = (channel: Channel): void => set({ channel, format: channel === "email" ? "html" : "text" });
  const names = useMemo(() => placeholdersOf(draft.channel === "sms" ? "" : draft.subject, draft.body), [draft.channel, draft.subject, draft.body]);

  return (
    <>
      <PageHeader
        title={base ? base.name : t("template.new")}
        before={
          <Link href="/console/notify/templates">
            <ChevronLeft aria-hidden className="flip" />
            {t("template.back")}
          </Link>
        }
        description={base ? t("template.facts", { version: formats.number(base.version), time: formats.dateTime(base.updatedAt) }) : t("template.newText")}
        actions={
          base && (
            <>
              <IconButton variant="secondary" label={t("template.delete")} icon={<Trash2 aria-hidden />} onPress={() => setDialog("delete")} />
              <Button icon={<Send aria-hidden />} isDisabled={dirty} onPress={() => setDialog("send")}>
                {t("template.test")}
              </Button>
              {base.channel === "push" && (
                <Button icon={<Megaphone aria-hidden />} isDisabled={dirty} onPress={() => navigate(`/console/notify/broadcasts/new?template=${base.templateId}`)}>
                  {t("template.broadcast")}
                </Button>
              )}
            </>
          )
        }
      />
      {newer && dirty && (
        <div className="notify-gap">
          <Notice tone="warning" title={t("template.changed")}>
            <p>{t("template.changedText")}</p>
            <Button size="s" onPress={() => { setBase(template); setDraft(draftOf(template)); setError(null); }}>
              {t("template.load")}
            </Button>
          </Notice>
        </div>
      )}
      <div className="notify-editor">
        <form className="stack" onSubmit={(event) => void save(event)}>
          <Card>
            <div className="stack">
              <TextField label={t("template.name")} description={t("template.nameText")} value={draft.name} onChange={(name) => set({ name })} error={errors["name"]} maxLength={100} isRequired autoComplete="off" autoFocus={!base} />
              <RadioGroup label={t("column.channel")} look="segments" value={draft.channel} onChange={changeChannel} options={channelOptions} error={errors["channel"]} />
              {draft.channel !== "sms" && (
                <TextField label={t(draft.channel === "email" ? "template.subject" : "template.pushTitle")} value={draft.subject} onChange={(subject) => set({ subject })} error={errors["subject"]} maxLength={200} isRequired={draft.channel === "email"} autoComplete="off" />
              )}
              {draft.channel === "email" && (
                <RadioGroup label={t("template.format")} look="segments" value={draft.format} onChange={(format) => set({ format })} options={(["html", "text"] as const).map((value) => ({ value, label: t(`format.${value}`) }))} error={errors["format"]} />
              )}
              <TextArea
                label={t(draft.channel === "email" ? "template.body" : "template.text")}
                description={t("template.bodyText", { count: draft.body.length, limit: bodyLimit, example: "{{name}}" })}
                value={draft.body}
                onChange={(body) => set({ body })}
                rows={draft.channel === "email" ? 16 : 5}
                monospace={draft.channel === "email" && draft.format === "html"}
                error={errors["body"]}
                maxLength={bodyLimit}
                isRequired
              />
              {draft.channel === "push" && <PushOptionFields value={draft.push} onChange={(push) => set({ push })} errors={errors} />}
            </div>
          </Card>
          {error !== null && <ErrorNotice error={error} title={t("template.notSaved")} />}
          <div className="notify-save">
            <Button variant="primary" type="submit" isDisabled={!dirty || !draft.name.trim() || !draft.body} isPending={pending}>
              {t(base ? "template.save" : "templates.create")}
            </Button>
            {dirty && base && (
              <Button onPress={() => { setDraft(before); setError(null); }}>
                {t("template.discard")}
              </Button>
            )}
            {dirty && base && <span className="small muted">{t("template.both")}</span>}
          </div>
        </form>
        <Preview draft={draft} base={base} dirty={dirty} names={names} values={values} onValues={changeValues} />
      </div>
      {dialog === "send" && base && <SendDialog isOpen onClose={() => setDialog(null)} template={base} variables={withSamples(base.placeholders, values)} />}
      {dialog === "delete" && base && (
        <ConfirmDialog
          isOpen
          onClose={() => setDialog(null)}
          title={t("template.deleteTitle")}
          confirmLabel={t("template.delete")}
          typeToConfirm={confirmNameOf(base.name)}
          onConfirm={async () => {
            await notify.deleteTemplate(base.templateId, { ifMatch: etagOf(base) });
            await client.invalidateQueries({ queryKey: keys.templates });
            toast.success(t("template.deleted"));
            navigate("/console/notify/templates");
          }}
        >
          <p>{t("template.deleteText")}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** The message with sample values: rendered by the service if the texts are stored, otherwise by the console. */
function Preview({ draft, base, dirty, names, values, onValues }: { draft: Draft; base: Template | undefined; dirty: boolean; names: string[]; values: Record<string, string>; onValues: (values: Record<string, string>) => void }): ReactNode {
  const t = useT("notify");
  const filled = useMemo(() => withSamples(names, values), [names, values]);
  const rendered = useRendered(dirty ? undefined : base, filled);
  const html = draft.channel === "email" && draft.format === "html";
  const local: Rendered = {
    channel: draft.channel,
    subject: draft.channel === "sms" ? "" : fill(draft.subject, filled, false),
    body: fill(draft.body, filled, html),
    format: draft.format,
    push: draft.channel === "push" ? pushOf(draft.push) : null,
  };
  const errors = dirty ? {} : fieldErrors(rendered.error);
  return (
    <aside className="notify-preview" aria-label={t("preview.title")}>
      <Card title={t("preview.title")} description={t(dirty || !base ? "preview.draft" : "preview.stored")}>
        <div className="stack">
          {!dirty && rendered.error ? <ErrorNotice error={rendered.error} title={t("preview.failed")} /> : <MessagePreview message={(!dirty && rendered.data) || local} />}
          <VariableFields names={names} values={values} onChange={onValues} errors={errors} samples />
        </div>
      </Card>
    </aside>
  );
}
