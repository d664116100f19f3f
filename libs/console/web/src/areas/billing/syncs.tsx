import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { DatabaseBackup, RefreshCw } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { useClients, useStepUp, useTenant } from "../../session/index.ts";
import { Badge, Button, Card, EmptyState, ErrorNotice, LinkButton, Notice, PageHeader, Progress, QueryState, RadioGroup, TextField, TimeAgo, toast, type Tone } from "../../ui/index.ts";
import { ProductionOnly } from "./labels.tsx";
import { dateField, momentOf, userHref, type Backfill } from "./model.ts";
import { keys, useChangesText, useSettings, useSync, type SyncSource } from "./queries.ts";
import { BillingTabs } from "./tabs.tsx";
import { UserSearch } from "./user-search.tsx";

/** Repairs after lost webhooks: of one user, or of all subscriptions. */
export function Syncs(): ReactNode {
  const t = useT("billing");
  const { environment } = useTenant();
  return (
    <>
      <PageHeader title={t("tabs.sync")} description={t("sync.text")} tabs={<BillingTabs />} />
      <div className="columns">
        <SyncUser />
        <Card title={t("backfill.title")} description={t("backfill.text")}>
          {environment === "production" ? <Backfills /> : <ProductionOnly text={t("production.backfill")} />}
        </Card>
      </div>
    </>
  );
}

function SyncUser(): ReactNode {
  const t = useT("billing");
  const sync = useSync();
  const changes = useChangesText();
  const [user, setUser] = useState<{ id: string; email: string | null } | null>(null);
  const [source, setSource] = useState<SyncSource | "all">("all");
  const run = useMutation({ mutationFn: (id: string) => sync(id, source === "all" ? undefined : source), meta: { silent: true } });
  return (
    <Card title={t("sync.userTitle")} description={t("sync.userText")}>
      {user === null ? (
        <UserSearch autoFocus={false} onPick={(id, email) => setUser({ id, email })} />
      ) : (
        <div className="stack">
          <div className="billing-picked">
            <strong className="truncate" dir="auto">
              {user.email ?? user.id}
            </strong>
            <Button
              size="s"
              variant="ghost"
              onPress={() => {
                setUser(null);
                run.reset();
              }}
            >
              {t("sync.otherUser")}
            </Button>
          </div>
          <RadioGroup
            label={t("sync.source")}
            value={source}
            onChange={setSource}
            options={[
              { value: "all", label: t("sync.all") },
              { value: "purchases", label: t("sync.purchases") },
              { value: "payments", label: t("sync.payments") },
            ]}
          />
          <div className="form-actions">
            <Button variant="primary" icon={<RefreshCw aria-hidden />} isPending={run.isPending} onPress={() => run.mutate(user.id)}>
              {t("sync.action")}
            </Button>
            <LinkButton href={userHref(user.id)}>{t("sync.openUser")}</LinkButton>
          </div>
          {run.isPending && <Progress label={t("sync.running")} />}
          {run.error && <ErrorNotice error={run.error} title={t("sync.failed")} />}
          {run.data !== undefined && (
            <Notice tone="success" title={t("sync.done")}>
              <p>{changes(run.data)}</p>
            </Notice>
          )}
        </div>
      )}
    </Card>
  );
}

const shownBackfills = 5;

/** The newest backfills, from the audit log. Running ones are read every two seconds. */
function Backfills(): ReactNode {
  const t = useT("billing");
  const { billing } = useClients();
  const client = useQueryClient();
  const stepUp = useStepUp();
  const settings = useSettings();
  const [since, setSince] = useState("");
  const [pending, setPending] = useState(false);
  const list = useQuery({
    queryKey: [...keys.backfills, "list"],
    queryFn: ({ signal }) => billing.listAudit({ action: "backfill.created", limit: shownBackfills }, { signal }).then(({ items }) => items.map((item) => item.subjectId)),
  });
  const start = async (): Promise<void> => {
    setPending(true);
    try {
      const moment = momentOf(since);
      await stepUp(() => billing.startBackfill({ source: "payments", ...(moment && { since: moment }) }), { fresh: true });
      await client.invalidateQueries({ queryKey: keys.backfills });
      toast.success(t("backfill.started"));
    } catch (error) {
      toast.error(error, t("backfill.notStarted"));
    } finally {
      setPending(false);
    }
  };
  return (
    <div className="stack">
      {settings.data && !settings.data.settings.paymentsApiKey ? (
        <Notice tone="warning" title={t("backfill.noKey")}>
          <p>{t("backfill.noKeyText")}</p>
          <LinkButton size="s" href="/console/billing/settings">
            {t("tabs.settings")}
          </LinkButton>
        </Notice>
      ) : (
        <div className="stack">
          <TextField className="billing-since" type="date" label={t("backfill.since")} description={t("backfill.sinceText")} value={since} onChange={setSince} max={dateField(new Date())} />
          <div className="form-actions">
            <Button variant="primary" icon={<DatabaseBackup aria-hidden />} isPending={pending} onPress={() => void start()}>
              {t("backfill.action")}
            </Button>
          </div>
        </div>
      )}
      <QueryState query={list}>
        {(ids) =>
          ids.length === 0 ? (
            <EmptyState title={t("backfill.none")} text={t("backfill.noneText")} />
          ) : (
            <ul className="billing-backfills" aria-label={t("backfill.list")}>
              {ids.map((id) => (
                <BackfillItem key={id} id={id} />
              ))}
            </ul>
          )
        }
      </QueryState>
    </div>
  );
}

const tones: Record<Backfill["status"], Tone> = { queued: "neutral", running: "accent", done: "success", failed: "danger" };
const isRunning = (backfill: Backfill | undefined): boolean => backfill?.status === "queued" || backfill?.status === "running";

function BackfillItem({ id }: { id: string }): ReactNode {
  const t = useT("billing");
  const formats = useFormats();
  const { billing } = useClients();
  const query = useQuery<Backfill>({
    queryKey: [...keys.backfills, id],
    queryFn: ({ signal }) => billing.getBackfill(id, { signal }).then((value): Backfill => value),
    refetchInterval: ({ state }) => (isRunning(state.data) ? 2_000 : false),
  });
  return (
    <li className="billing-backfill">
      <QueryState query={query}>
        {(backfill) => (
          <div className="stack-s">
            <div className="row wrap between">
              <Badge tone={tones[backfill.status]} dot>
                {t(`backfill.${backfill.status}`)}
              </Badge>
              <span className="small muted">
                <TimeAgo value={backfill.completedAt ?? backfill.startedAt} />
              </span>
            </div>
            {isRunning(backfill) && <Progress label={t("backfill.progress", { count: backfill.processed })} />}
            <dl className="billing-counts">
              {(["processed", "changed", "failed"] as const).map((name) => (
                <div key={name}>
                  <dt>{t(`backfill.count.${name}`)}</dt>
                  <dd>{formats.number(backfill[name])}</dd>
                </div>
              ))}
            </dl>
            {backfill.since && <p className="small muted">{t("backfill.sinceDate", { date: formats.date(backfill.since) })}</p>}
            {backfill.lastError && (
              <Notice tone="warning" title={t(isRunning(backfill) ? "backfill.waits" : "backfill.why")}>
                <p dir="auto">{backfill.lastError}</p>
              </Notice>
            )}
          </div>
        )}
      </QueryState>
    </li>
  );
}
