import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState, type FormEvent, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { Link, navigate } from "../../router/index.tsx";
import { useStepUp } from "../../session/index.ts";
import { Button, ConfirmDialog, Dialog, ErrorNotice, fieldErrors, MultiSelect, Notice, RadioGroup, Select, TextField, toast, useAttempt } from "../../ui/index.ts";
import { useServiceOptions } from "./labels.tsx";
import { etagOf, eventTypes, nameOfWebhook, webhookHref, type Service, type Webhook, type WebhookWithSecret } from "./model.ts";
import { OnceDialog } from "./once-dialog.tsx";
import { keys, useApi } from "./queries.ts";

const formId = "developers-webhook";

interface Draft {
  url: string;
  description: string;
  /** Null: all types. */
  events: string[] | null;
}

/** What a form sends. An empty list means all types. */
const bodyOf = ({ url, description, events }: Draft): { url: string; description: string | null; events: string[] } => ({ url: url.trim(), description: description.trim() || null, events: events ?? [] });
const isComplete = ({ url, events }: Draft): boolean => url.trim() !== "" && events?.length !== 0;

function Fields({ service, draft, onChange, error }: { service: Service; draft: Draft; onChange: (next: Partial<Draft>) => void; error: unknown }): ReactNode {
  const t = useT("developers");
  const errors = fieldErrors(error);
  const known = eventTypes[service].map((value) => ({ value: value as string, label: value }));
  return (
    <>
      <TextField autoFocus type="url" label={t("webhook.url")} description={t("webhook.urlText")} placeholder="https://example.com/hooks" value={draft.url} onChange={(url) => onChange({ url })} maxLength={2048} isRequired autoComplete="off" monospace error={errors["url"]} />
      <TextField label={t("column.description")} description={t("webhook.descriptionText")} value={draft.description} onChange={(description) => onChange({ description })} maxLength={200} autoComplete="off" error={errors["description"]} />
      <RadioGroup
        label={t("column.events")}
        value={draft.events === null ? "all" : "some"}
        onChange={(value) => onChange({ events: value === "all" ? null : [] })}
        options={[
          { value: "all", label: t("webhook.allEvents"), description: t("webhook.allEventsText") },
          { value: "some", label: t("webhook.someEvents") },
        ]}
      />
      {draft.events !== null && (
        <div className="dev-events">
          <MultiSelect label={t("webhook.choose")} options={known} values={draft.events} onChange={(events) => onChange({ events })} />
          <span className="small muted">{t("webhook.chosen", { count: draft.events.length })}</span>
        </div>
      )}
    </>
  );
}

/** Registers an endpoint, and shows its secret once. */
export function NewWebhookDialog({ of, preset, onClose }: { of: readonly Service[]; preset: Service | ""; onClose: () => void }): ReactNode {
  const t = useT("developers");
  const common = useT("common");
  const client = useQueryClient();
  const options = useServiceOptions(of);
  const [service, setService] = useState<Service>(preset || of[0]!);
  const [draft, setDraft] = useState<Draft>({ url: "", description: "", events: null });
  const [made, setMade] = useState<WebhookWithSecret | null>(null);
  const api = useApi(service);
  const stepUp = useStepUp();
  const { run, pending, error } = useAttempt();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isComplete(draft) || pending) return;
    void run(async () => {
      setMade(await stepUp(() => api.createWebhook(bodyOf(draft)), { fresh: true }));
      void client.invalidateQueries({ queryKey: keys.webhooksOf(service) });
    });
  };
  if (made) return <SecretDialog title={t("webhook.made")} service={service} webhook={made} onClose={() => (onClose(), navigate(webhookHref(service, made.webhookId)))} />;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t("webhook.create")}
      isPending={pending}
      footer={
        <>
          <Button onPress={onClose} isDisabled={pending}>
            {common("action.cancel")}
          </Button>
          <Button variant="primary" type="submit" form={formId} isPending={pending} isDisabled={!isComplete(draft)}>
            {t("webhook.create")}
          </Button>
        </>
      }
    >
      <form id={formId} className="stack" onSubmit={submit} noValidate>
        <Select
          label={t("column.service")}
          value={service}
          onChange={(next) => {
            setService(next);
            // The types of the other service are others.
            setDraft({ ...draft, events: draft.events && [] });
          }}
          options={options}
        />
        <Fields service={service} draft={draft} onChange={(next) => setDraft({ ...draft, ...next })} error={error} />
        {error !== null && <ErrorNotice error={error} title={t("webhook.notMade")} />}
      </form>
    </Dialog>
  );
}

function SecretDialog({ title, service, webhook, onClose }: { title: string; service: Service; webhook: WebhookWithSecret; onClose: () => void }): ReactNode {
  const t = useT("developers");
  return (
    <OnceDialog title={title} label={t("webhook.secret")} secret={webhook.secret} warning={t("webhook.once")} onClose={onClose}>
      <p className="muted">
        {t("webhook.secretText")}{" "}
        <Link href={`/console/developers/examples?service=${service}#receive`} target="_blank">
          {t("examples.receive")}
        </Link>
      </p>
    </OnceDialog>
  );
}

interface Props {
  service: Service;
  webhook: Webhook;
  onClose: () => void;
}

/** Stores a webhook that the service has returned. */
export function useStoreWebhook(service: Service): (webhook: Webhook) => void {
  const client = useQueryClient();
  return (webhook) => {
    client.setQueryData(keys.webhook(service, webhook.webhookId), webhook);
    client.setQueryData<Webhook[]>(keys.webhooksOf(service), (list) => list?.map((one) => (one.webhookId === webhook.webhookId ? webhook : one)));
  };
}

export function EditWebhookDialog({ service, webhook, onClose }: Props): ReactNode {
  const t = useT("developers");
  const common = useT("common");
  const api = useApi(service);
  const stepUp = useStepUp();
  const store = useStoreWebhook(service);
  // The version that the form began with. A later one must not be overwritten.
  const [begin] = useState(webhook);
  const [draft, setDraft] = useState<Draft>({ url: webhook.url, description: webhook.description ?? "", events: webhook.events.length === 0 ? null : webhook.events });
  const { run, pending, error } = useAttempt();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isComplete(draft) || pending) return;
    void run(async () => {
      store(await stepUp(() => api.updateWebhook(begin.webhookId, bodyOf(draft), { ifMatch: etagOf(begin) }), { fresh: draft.url.trim() !== begin.url }));
      toast.success(common("state.saved"));
      onClose();
    });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t("webhook.edit")}
      isPending={pending}
      footer={
        <>
          <Button onPress={onClose} isDisabled={pending}>
            {common("action.cancel")}
          </Button>
          <Button variant="primary" type="submit" form={formId} isPending={pending} isDisabled={!isComplete(draft)}>
            {common("action.save")}
          </Button>
        </>
      }
    >
      <form id={formId} className="stack" onSubmit={submit} noValidate>
        <Fields service={service} draft={draft} onChange={(next) => setDraft({ ...draft, ...next })} error={error} />
        {error !== null && <ErrorNotice error={error} title={t("webhook.notSaved")} />}
      </form>
    </Dialog>
  );
}

/** Replaces the secret of a webhook, and shows the new one once. */
export function RotateSecretDialog({ service, webhook, onClose }: Props): ReactNode {
  const t = useT("developers");
  const api = useApi(service);
  const stepUp = useStepUp();
  const store = useStoreWebhook(service);
  const [made, setMade] = useState<WebhookWithSecret | null>(null);
  const rotated = useRef(false);
  if (made) return <SecretDialog title={t("webhook.rotated")} service={service} webhook={made} onClose={onClose} />;
  return (
    <ConfirmDialog
      isOpen
      // The dialog closes itself after the success. Then the next one shows the secret.
      onClose={() => !rotated.current && onClose()}
      title={t("webhook.rotateTitle")}
      confirmLabel={t("webhook.rotate")}
      tone="primary"
      onConfirm={async () => {
        const { secret, ...next } = await stepUp(() => api.rotateWebhookSecret(webhook.webhookId), { fresh: true });
        store(next);
        rotated.current = true;
        setMade({ ...next, secret });
      }}
    >
      <p>{t("webhook.rotateText")}</p>
    </ConfirmDialog>
  );
}

export function DeleteWebhookDialog({ service, webhook, onClose }: Props): ReactNode {
  const t = useT("developers");
  const common = useT("common");
  const api = useApi(service);
  const client = useQueryClient();
  const stepUp = useStepUp();
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={t("webhook.deleteTitle")}
      confirmLabel={common("action.delete")}
      onConfirm={async () => {
        await stepUp(() => api.deleteWebhook(webhook.webhookId), { fresh: true });
        // First, because the list reads the deliveries of its webhooks.
        client.setQueryData<Webhook[]>(keys.webhooksOf(service), (list) => list?.filter((one) => one.webhookId !== webhook.webhookId));
        navigate("/console/developers/webhooks", { replace: true });
        client.removeQueries({ queryKey: keys.webhook(service, webhook.webhookId) });
        await client.invalidateQueries({ queryKey: keys.webhooksOf(service) });
        toast.success(t("webhook.deleted"));
      }}
    >
      <p className="strong" dir="auto">
        {nameOfWebhook(webhook)}
      </p>
      <p>{t("webhook.deleteText")}</p>
      {webhook.enabled && <Notice tone="warning">{t("webhook.deleteEnabled")}</Notice>}
    </ConfirmDialog>
  );
}
