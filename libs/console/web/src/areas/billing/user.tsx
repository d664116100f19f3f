import { ArrowLeft, CreditCard, Gift, RefreshCw } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { Link, useSearch } from "../../router/index.tsx";
import { useEmail } from "../../session/index.ts";
import { Button, Card, CopyableCode, DataTable, DateTime, EmptyState, Menu, PageHeader, QueryState, toast, type Column } from "../../ui/index.ts";
import { EntitlementCard } from "./entitlement-card.tsx";
import { EventDialog } from "./event-dialog.tsx";
import { GrantDialog } from "./grant-dialog.tsx";
import { EventName, ResultBadge } from "./labels.tsx";
import { byAccess, featuresOf, type BillingEvent, type Entitlement } from "./model.ts";
import { useChangesText, useEntitlements, useSync, useUserEvents, type SyncSource } from "./queries.ts";
import { Timeline } from "./timeline.tsx";

/** Everything about one user: access over time, entitlements, features and events. */
export function UserPage({ id }: { id: string }): ReactNode {
  const t = useT("billing");
  const email = useEmail(id);
  const entitlements = useEntitlements(id);
  const events = useUserEvents(id);
  const [params, setSearch] = useSearch();
  const [event, setEvent] = useState<BillingEvent | null>(null);
  return (
    <>
      <PageHeader
        title={email ?? id}
        before={
          <Link href="/console/billing/subscribers">
            <ArrowLeft aria-hidden className="flip" />
            {t("tabs.subscribers")}
          </Link>
        }
        description={
          email && (
            <span className="row wrap">
              <CopyableCode text={id} label={t("user.copyId")} />
              <Link href={`/console/users/${id}`}>{t("user.profile")}</Link>
            </span>
          )
        }
        actions={
          <>
            <SyncMenu userId={id} />
            <Button variant="primary" icon={<Gift aria-hidden />} onPress={() => setSearch({ grant: "1" })}>
              {t("grant.action")}
            </Button>
          </>
        }
      />
      <QueryState query={entitlements}>
        {(list) => (
          <div className="stack billing-user">
            <Features entitlements={list} />
            <Card title={t("timeline.title")} description={t("timeline.text")}>
              {list.length === 0 && events.items.length === 0 ? (
                <EmptyState icon={<CreditCard aria-hidden />} title={t("user.nothing")} text={t("user.nothingText")} />
              ) : (
                <Timeline userId={id} events={events.items} current={list} onEvent={setEvent} />
              )}
            </Card>
            {list.length > 0 && (
              <section className="stack-s">
                <h2 className="billing-section">{t("user.entitlements")}</h2>
                <div className="billing-entitlements">
                  {[...list].sort(byAccess).map((one) => (
                    <EntitlementCard key={one.entitlementId} entitlement={one} />
                  ))}
                </div>
              </section>
            )}
            <section className="stack-s">
              <h2 className="billing-section">{t("tabs.events")}</h2>
              <UserEvents events={events} onOpen={setEvent} />
            </section>
          </div>
        )}
      </QueryState>
      {params.has("grant") && <GrantDialog userId={id} email={email} onClose={() => setSearch({ grant: null })} />}
      {event && <EventDialog event={event} onClose={() => setEvent(null)} />}
    </>
  );
}

function SyncMenu({ userId }: { userId: string }): ReactNode {
  const t = useT("billing");
  const sync = useSync();
  const changes = useChangesText();
  const [pending, setPending] = useState(false);
  const run = async (source?: SyncSource): Promise<void> => {
    setPending(true);
    try {
      toast.success(changes(await sync(userId, source)));
    } catch (error) {
      toast.error(error, t("sync.failed"));
    } finally {
      setPending(false);
    }
  };
  return (
    <Menu
      label={t("sync.action")}
      trigger={
        <Button icon={<RefreshCw aria-hidden />} isPending={pending}>
          {t("sync.action")}
        </Button>
      }
      parts={[
        { id: "all", label: t("sync.all"), onAction: () => void run() },
        { id: "purchases", label: t("sync.purchases"), onAction: () => void run("purchases") },
        { id: "payments", label: t("sync.payments"), onAction: () => void run("payments") },
      ]}
    />
  );
}

/** The answer to the most frequent question: what may the user do now? */
function Features({ entitlements }: { entitlements: readonly Entitlement[] }): ReactNode {
  const t = useT("billing");
  const formats = useFormats();
  const features = featuresOf(entitlements);
  const active = entitlements.filter((one) => one.isActive).length;
  return (
    <div className="card billing-features" data-active={active > 0 || undefined}>
      <div className="billing-features-answer">
        <strong>{active > 0 ? t("user.hasAccess", { count: active }) : t("user.noAccess")}</strong>
        {features.length === 0 && <span className="muted">{t(active > 0 ? "user.noFeatures" : "user.noAccessText")}</span>}
      </div>
      {features.length > 0 && (
        <ul className="billing-feature-list" aria-label={t("user.features")}>
          {features.map(({ name, until }) => (
            <li key={name}>
              <span className="billing-chip" dir="auto" title={name}>
                {name}
              </span>
              <span className="small muted">{until === null ? t("access.endless") : t("access.until", { date: formats.date(until) })}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function UserEvents({ events, onOpen }: { events: ReturnType<typeof useUserEvents>; onOpen: (event: BillingEvent) => void }): ReactNode {
  const t = useT("billing");
  const columns: Column<BillingEvent>[] = [
    { id: "type", header: t("column.type"), cell: (event) => <EventName event={event} />, csv: (event) => event.type, width: "minmax(0, 2fr)", phone: "title" },
    { id: "provider", header: t("column.provider"), cell: (event) => t(`provider.${event.provider}`), csv: (event) => event.provider },
    { id: "result", header: t("column.result"), cell: (event) => <ResultBadge result={event.result} />, csv: (event) => event.result },
    { id: "eventAt", header: t("column.eventAt"), cell: (event) => <DateTime value={event.eventAt} />, csv: (event) => event.eventAt, width: "190px" },
    { id: "id", header: t("column.id"), csv: (event) => event.eventId },
  ];
  // The archive is in the order of receipt. Once it is complete, the times of the events decide.
  const source = useMemo(() => (events.query.hasNextPage ? events : { ...events, items: [...events.items].sort((a, b) => (b.eventAt ?? b.receivedAt).localeCompare(a.eventAt ?? a.receivedAt)) }), [events]);
  return <DataTable label={t("tabs.events")} columns={columns} source={source} rowId={(event) => event.eventId} onRowPress={onOpen} csvName="events" empty={<EmptyState title={t("events.noneOfUser")} text={t("events.noneOfUserText")} />} />;
}
