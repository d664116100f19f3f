import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ChevronLeft, Ellipsis, KeyRound, Pencil, Send, Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { NotFound } from "../../shell/shell.tsx";
import { Badge, Button, Card, CopyableCode, DateTime, ErrorNotice, IconButton, isNotFound, KeyValueList, LinkButton, Menu, Notice, PageHeader, QueryState, Switch } from "../../ui/index.ts";
import { Deliveries } from "./deliveries.tsx";
import { EventTypes, Excerpt, ServiceLabel, WebhookBadge } from "./labels.tsx";
import { nameOfWebhook, type Service, type Webhook, type WebhookTest } from "./model.ts";
import { keys, useApi, useServices, useWebhook } from "./queries.ts";
import { DeleteWebhookDialog, EditWebhookDialog, RotateSecretDialog, useStoreWebhook } from "./webhook-dialogs.tsx";

const list = "/console/developers/webhooks";

/** The page of a webhook: its test, its settings and its deliveries. */
export function WebhookPage({ service: name, id }: { service: string; id: string }): ReactNode {
  const service = useServices().find((one) => one === name);
  return service ? <Loaded service={service} id={id} /> : <Unknown />;
}

function Unknown(): ReactNode {
  const t = useT("developers");
  return <NotFound title={t("webhook.unknown")} text={t("webhook.unknownText")} action={<LinkButton href={list}>{t("webhook.back")}</LinkButton>} />;
}

function Loaded({ service, id }: { service: Service; id: string }): ReactNode {
  const query = useWebhook(service, id);
  if (isNotFound(query.error)) return <Unknown />;
  return <QueryState query={query}>{(webhook) => <Content service={service} webhook={webhook} />}</QueryState>;
}

type Open = "edit" | "rotate" | "delete";

function Content({ service, webhook }: { service: Service; webhook: Webhook }): ReactNode {
  const t = useT("developers");
  const common = useT("common");
  const api = useApi(service);
  const [open, setOpen] = useState<Open | null>(null);
  const test = useMutation({ mutationFn: async () => api.testWebhook(webhook.webhookId), meta: { silent: true } });
  const props = { service, webhook, onClose: () => setOpen(null) };
  return (
    <>
      <PageHeader
        title={nameOfWebhook(webhook)}
        before={
          <Link href={list}>
            <ChevronLeft aria-hidden className="flip" />
            {t("webhook.back")}
          </Link>
        }
        description={
          <span className="row wrap">
            <WebhookBadge webhook={webhook} />
            <ServiceLabel service={service} />
          </span>
        }
        actions={
          <>
            <Button variant="primary" icon={<Send aria-hidden />} isPending={test.isPending} onPress={() => test.mutate()}>
              {t("test.send")}
            </Button>
            <Menu
              label={t("webhook.more")}
              trigger={<IconButton variant="secondary" label={t("webhook.more")} icon={<Ellipsis aria-hidden />} />}
              parts={[
                { id: "edit", label: common("action.edit"), icon: <Pencil aria-hidden />, onAction: () => setOpen("edit") },
                { id: "rotate", label: t("webhook.rotate"), icon: <KeyRound aria-hidden />, onAction: () => setOpen("rotate") },
                { id: "line", separator: true },
                { id: "delete", label: common("action.delete"), icon: <Trash2 aria-hidden />, tone: "danger", onAction: () => setOpen("delete") },
              ]}
            />
          </>
        }
      />
      <div className="stack">
        {webhook.disabledReason && !webhook.enabled && (
          <Notice tone="warning" title={t("webhook.stoppedTitle")}>
            <p>{t(webhook.disabledReason === "the endpoint answered 410 Gone" ? "webhook.stopped410" : "webhook.stopped3days")}</p>
          </Notice>
        )}
        <div aria-live="polite" className="dev-live-region">
          {test.error ? <ErrorNotice error={test.error} title={t("test.notSent")} /> : test.data && !test.isPending ? <TestResult key={test.data.messageId} result={test.data} /> : null}
        </div>
        <Details service={service} webhook={webhook} />
        <Deliveries service={service} webhook={webhook} />
      </div>
      {open === "edit" && <EditWebhookDialog {...props} />}
      {open === "rotate" && <RotateSecretDialog {...props} />}
      {open === "delete" && <DeleteWebhookDialog {...props} />}
    </>
  );
}

/** What the endpoint has answered to the test. */
function TestResult({ result }: { result: WebhookTest }): ReactNode {
  const t = useT("developers");
  const formats = useFormats();
  const accepted = result.status === "delivered";
  return (
    <Card className={`dev-test dev-test-${result.status}`}>
      <div className="stack">
        <div className="dev-test-row">
          <strong>{t(accepted ? "test.accepted" : "test.refused")}</strong>
          <dl className="dev-facts">
            <div>
              <dt>{t("test.code")}</dt>
              <dd>{result.responseCode === null ? t("test.noResponse") : <Badge tone={accepted ? "success" : "danger"}>{result.responseCode}</Badge>}</dd>
            </div>
            <div>
              <dt>{t("test.duration")}</dt>
              <dd>{t("test.ms", { time: formats.number(result.durationMs) })}</dd>
            </div>
          </dl>
        </div>
        {result.error && <p dir="auto">{result.error}</p>}
        <Excerpt text={result.responseExcerpt} />
        <p className="small muted">
          {t("test.text")} <code dir="ltr">webhook-id: {result.messageId}</code>
        </p>
      </div>
    </Card>
  );
}

function Details({ service, webhook }: { service: Service; webhook: Webhook }): ReactNode {
  const t = useT("developers");
  return (
    <Card title={t("webhook.details")}>
      <div className="stack">
        <EnabledSwitch service={service} webhook={webhook} />
        <KeyValueList
          items={[
            { label: t("column.endpoint"), value: <span className="dev-url" title={webhook.url}><CopyableCode text={webhook.url} /></span>, key: "url" },
            { label: t("column.events"), value: <EventTypes events={webhook.events} />, key: "events" },
            { label: t("column.description"), value: webhook.description, key: "description" },
            { label: t("column.created"), value: <DateTime value={webhook.createdAt} />, key: "created" },
            { label: t("column.updated"), value: <DateTime value={webhook.updatedAt} />, key: "updated" },
            { label: t("column.id"), value: <CopyableCode text={webhook.webhookId} />, key: "id" },
          ]}
        />
      </div>
    </Card>
  );
}

/** Shows the change at once, and takes it back if the service refuses it. */
function EnabledSwitch({ service, webhook }: { service: Service; webhook: Webhook }): ReactNode {
  const t = useT("developers");
  const api = useApi(service);
  const client = useQueryClient();
  const store = useStoreWebhook(service);
  const change = useMutation({
    mutationFn: async (enabled: boolean) => api.updateWebhook(webhook.webhookId, { enabled }),
    meta: { errorTitle: t("webhook.notSaved") },
    onMutate: async (enabled) => {
      await client.cancelQueries({ queryKey: keys.webhook(service, webhook.webhookId), exact: true });
      store({ ...webhook, enabled, disabledReason: null });
      return { before: webhook };
    },
    onError: (_error, _enabled, context) => context && store(context.before),
    onSuccess: store,
  });
  return <Switch label={t("webhook.enabled")} description={t(webhook.enabled ? "webhook.enabledText" : "webhook.disabledText")} isSelected={webhook.enabled} isDisabled={change.isPending} onChange={(enabled) => change.mutate(enabled)} />;
}
