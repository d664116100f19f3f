import { useQueryClient } from "@tanstack/react-query";
import { ChevronLeft, Megaphone, Users } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { Link, navigate, useSearch } from "../../router/index.tsx";
import { useClients, useStepUp, useTenant } from "../../session/index.ts";
import { Button, Card, ConfirmDialog, EmptyState, ErrorNotice, fieldErrors, KeyValueList, LinkButton, Notice, PageHeader, QueryState, Select, TextField, toast } from "../../ui/index.ts";
import { broadcastHref, confirmNameOf, type Platform, type Template } from "./model.ts";
import { MessagePreview } from "./preview.tsx";
import { keys, usePlatforms, useRendered, useSettings, useTemplates, type Rendered } from "./queries.ts";
import { VariableFields } from "./variables.tsx";

/** Composes a broadcast, shows a summary, and starts it after a typed confirmation. */
export function BroadcastComposer(): ReactNode {
  const t = useT("notify");
  const templates = useTemplates();
  const platforms = usePlatforms();
  return (
    <>
      <PageHeader
        title={t("compose.title")}
        description={t("compose.text")}
        before={
          <Link href="/console/notify/broadcasts">
            <ChevronLeft aria-hidden className="flip" />
            {t("broadcast.back")}
          </Link>
        }
      />
      <QueryState query={templates}>
        {(all) => {
          const push = all.filter((one) => one.channel === "push");
          if (push.length === 0) return <EmptyState icon={<Megaphone aria-hidden />} title={t("compose.noTemplates")} text={t("compose.noTemplatesText")} action={<LinkButton variant="primary" href="/console/notify/templates/new">{t("templates.create")}</LinkButton>} />;
          return <QueryState query={platforms}>{(kinds) => <Form templates={push} platforms={kinds} />}</QueryState>;
        }}
      </QueryState>
    </>
  );
}

/** Why a broadcast cannot start now, or only in part. */
function Obstacles({ platforms }: { platforms: Platform[] }): ReactNode {
  const t = useT("notify");
  const settings = useSettings();
  const toPush = <Link href="/console/notify/push">{t("compose.toPush")}</Link>;
  const paused = platforms.filter((one) => one.pausedUntil);
  return (
    <>
      {platforms.length === 0 && <Notice tone="warning" title={t("compose.noCredentials")}>{toPush}</Notice>}
      {settings.data?.pushEnabled === false && <Notice tone="warning" title={t("compose.pushOff")}>{toPush}</Notice>}
      {paused.length > 0 && <Notice tone="warning" title={t("compose.paused", { names: paused.map((one) => t(`platform.${one.kind}`)).join(", ") })}>{toPush}</Notice>}
    </>
  );
}

function Form({ templates, platforms }: { templates: Template[]; platforms: Platform[] }): ReactNode {
  const t = useT("notify");
  const { notify } = useClients();
  const { slug, environment } = useTenant();
  const client = useQueryClient();
  const stepUp = useStepUp();
  const [params, setSearch] = useSearch();
  const [values, setValues] = useState<Record<string, string>>({});
  const [dedupeKey, setDedupeKey] = useState("");
  const [asking, setAsking] = useState(false);
  const template = templates.find((one) => one.templateId === params.get("template"));
  const names = template?.placeholders ?? [];
  const variables = useMemo(() => Object.fromEntries(names.map((name) => [name, values[name] ?? ""])), [names, values]);
  const rendered = useRendered(template, variables);
  const errors = fieldErrors(rendered.error);
  const empty = names.filter((name) => !values[name]);
  const environmentName = t(`environment.${environment}`);
  const audience = t("compose.audience", { environment: environmentName });
  const ready = template !== undefined && rendered.data !== undefined && !rendered.error && platforms.length > 0;

  const start = async (): Promise<void> => {
    const begin = (): PromiseLike<{ broadcastId: string; status: string }> => notify.startBroadcast({ templateName: template!.name, channel: "push", variables, ...(dedupeKey.trim() && { dedupeKey: dedupeKey.trim() }) });
    const { broadcastId, status } = await stepUp(begin, { fresh: environment === "production" });
    void client.invalidateQueries({ queryKey: keys.broadcasts });
    if (status === "duplicate") toast.success(t("compose.duplicate"));
    else toast.success(t("compose.started"));
    navigate(broadcastHref(broadcastId));
  };

  return (
    <div className="notify-editor">
      <form className="stack" onSubmit={(event) => { event.preventDefault(); if (ready) setAsking(true); }}>
        <Obstacles platforms={platforms} />
        <Card title={t("compose.message")}>
          <div className="stack">
            <Select
              label={t("column.template")}
              description={t("compose.templateText")}
              value={template?.templateId ?? null}
              placeholder={t("compose.chooseTemplate")}
              onChange={(id) => setSearch({ template: id })}
              options={templates.map((one) => ({ value: one.templateId, label: one.name, description: one.subject || one.body.slice(0, 80) }))}
              isRequired
            />
            <VariableFields names={names} values={values} onChange={setValues} errors={errors} />
            {empty.length > 0 && <p className="small muted">{t("compose.emptyValues", { names: empty.join(", ") })}</p>}
          </div>
        </Card>
        <Card title={t("compose.who")}>
          <div className="stack">
            <div className="notify-audience">
              <Users aria-hidden />
              <div>
                <strong>{audience}</strong>
                <p className="small muted">{t("compose.audienceText")}</p>
              </div>
            </div>
            <TextField label={t("compose.dedupeKey")} description={t("compose.dedupeKeyText")} value={dedupeKey} onChange={setDedupeKey} maxLength={200} autoComplete="off" monospace />
          </div>
        </Card>
        <div className="notify-save">
          <Button variant="primary" type="submit" icon={<Megaphone aria-hidden />} isDisabled={!ready}>
            {t("compose.review")}
          </Button>
          {!template && <span className="small muted">{t("compose.chooseFirst")}</span>}
        </div>
      </form>
      <aside className="notify-preview" aria-label={t("preview.title")}>
        <Card title={t("preview.title")} description={t("compose.previewText")}>
          {!template ? <p className="muted">{t("compose.chooseFirst")}</p> : rendered.error ? <ErrorNotice error={rendered.error} title={t("preview.failed")} /> : rendered.data ? <MessagePreview message={rendered.data} /> : null}
        </Card>
      </aside>
      {asking && template && (
        <ConfirmDialog isOpen onClose={() => setAsking(false)} title={t("compose.confirmTitle")} confirmLabel={t("compose.start")} typeToConfirm={environment === "production" ? slug : confirmNameOf(template.name)} onConfirm={start}>
          <Summary template={template} rendered={rendered.data!} audience={audience} dedupeKey={dedupeKey.trim()} platforms={platforms} />
        </ConfirmDialog>
      )}
    </div>
  );
}

function Summary({ template, rendered, audience, dedupeKey, platforms }: { template: Template; rendered: Rendered; audience: string; dedupeKey: string; platforms: Platform[] }): ReactNode {
  const t = useT("notify");
  return (
    <>
      <p>{t("compose.confirmText")}</p>
      <div className="notify-summary" tabIndex={0} role="region" aria-label={t("compose.message")}>
        <KeyValueList
          layout="stacked"
          items={[
            { label: t("column.template"), value: template.name },
            { label: t("template.pushTitle"), value: rendered.subject },
            { label: t("template.text"), value: <span className="notify-clamp">{rendered.body}</span> },
            { label: t("compose.who"), value: audience },
            { label: t("compose.through"), value: platforms.map((one) => t(`platform.${one.kind}`)).join(", ") },
            ...(dedupeKey ? [{ label: t("compose.dedupeKey"), value: dedupeKey }] : []),
          ]}
        />
      </div>
    </>
  );
}
