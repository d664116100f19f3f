import { useQueryClient } from "@tanstack/react-query";
import { Ban, ChevronLeft, CircleCheck, CircleX, Clock } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { useClients } from "../../session/index.ts";
import { NotFound } from "../../shell/shell.tsx";
import { Badge, Button, Card, ConfirmDialog, CopyableCode, DateTime, isNotFound, KeyValueList, LinkButton, PageHeader, QueryState, Stat, TimeAgo, toast, type Tone } from "../../ui/index.ts";
import { CountBar } from "./broadcasts.tsx";
import { BroadcastBadge, platformIcons } from "./labels.tsx";
import { broadcastState, countsOf, isRunning, templateHref, type BroadcastStatus, type Carrier } from "./model.ts";
import { keys, useBroadcast, useTemplates } from "./queries.ts";

/** A broadcast with its live counters and the states of its carriers. */
export function BroadcastPage({ id }: { id: string }): ReactNode {
  const t = useT("notify");
  const query = useBroadcast(id);
  if (isNotFound(query.error)) return <NotFound title={t("broadcast.unknown")} text={t("broadcast.unknownText")} action={<LinkButton href="/console/notify/broadcasts">{t("broadcast.back")}</LinkButton>} />;
  return <QueryState query={query}>{(broadcast) => <Content broadcast={broadcast} />}</QueryState>;
}

/** Results for each second, from the counters of the last reads. Null until it is known. */
function useRate(done: number, running: boolean): number | null {
  const reads = useRef<{ at: number; done: number }[]>([]);
  const [rate, setRate] = useState<number | null>(null);
  useEffect(() => {
    if (!running) {
      setRate(null);
      return;
    }
    reads.current = [...reads.current, { at: performance.now(), done }].slice(-6);
    const [first, last] = [reads.current[0]!, reads.current.at(-1)!];
    if (last.at > first.at) setRate(((last.done - first.done) * 1000) / (last.at - first.at));
  }, [done, running]);
  return rate;
}

function Content({ broadcast }: { broadcast: BroadcastStatus }): ReactNode {
  const t = useT("notify");
  const formats = useFormats();
  const { notify } = useClients();
  const client = useQueryClient();
  const templates = useTemplates();
  const [asking, setAsking] = useState(false);
  const { broadcastId: id, templateName } = broadcast;
  const { done, waiting, total } = countsOf(broadcast);
  const state = broadcastState(broadcast);
  const running = isRunning(broadcast);
  const rate = useRate(done, running);
  const template = templates.data?.find((one) => one.name === templateName && one.channel === "push");
  const seconds = broadcast.completedAt ? (Date.parse(broadcast.completedAt) - Date.parse(broadcast.createdAt)) / 1000 : null;
  const missed = broadcast.invalidTokenCount + broadcast.failedCount;
  const part = (count: number): string => (total === 0 ? "" : formats.percent(count / total));
  return (
    <>
      <PageHeader
        title={templateName}
        before={
          <Link href="/console/notify/broadcasts">
            <ChevronLeft aria-hidden className="flip" />
            {t("broadcast.back")}
          </Link>
        }
        description={
          <span className="row wrap">
            <BroadcastBadge broadcast={broadcast} />
            <span className="faint">
              <TimeAgo value={broadcast.createdAt} />
            </span>
          </span>
        }
        actions={
          running &&
          state !== "cancelling" && (
            <Button variant="danger" icon={<Ban aria-hidden />} onPress={() => setAsking(true)}>
              {t("broadcast.cancel")}
            </Button>
          )
        }
      />
      <div className="stack">
        <Card>
          <div className="stack">
            <div className="row between wrap">
              <strong className="notify-big">{t("broadcast.doneOf", { done: formats.number(done), total: formats.number(total) })}</strong>
              <span className="muted">{t(`broadcast.text.${state}`)}</span>
            </div>
            <CountBar broadcast={broadcast} tall />
            <progress className="visually-hidden" aria-label={t("column.progress")} max={1} value={total === 0 ? (running ? 0 : 1) : done / total} />
            <div className="row between wrap small muted">
              <span>{rate !== null && rate > 0 ? t("broadcast.rate", { rate: formats.number(Math.round(rate)) }) : seconds !== null ? t("broadcast.took", { time: formats.duration(Math.max(1, seconds)) }) : ""}</span>
              {!running && missed > 0 && <span>{t("broadcast.missed", { count: formats.number(missed), gone: formats.number(broadcast.invalidTokenCount), failed: formats.number(broadcast.failedCount) })}</span>}
              {rate !== null && rate > 1 && waiting > 0 && <span>{t("broadcast.left", { time: formats.duration(waiting / rate) })}</span>}
            </div>
          </div>
        </Card>
        <div className="stats notify-stats">
          <Stat label={t("count.sent")} value={formats.number(broadcast.sentCount)} hint={part(broadcast.sentCount)} />
          <Stat label={t("count.waiting")} value={formats.number(waiting)} hint={t("count.enqueuedHint", { count: broadcast.enqueuedDevices })} />
          <Stat label={t("count.gone")} value={formats.number(broadcast.invalidTokenCount)} hint={t("count.goneHint")} />
          <Stat label={t("count.failed")} value={formats.number(broadcast.failedCount)} hint={part(broadcast.failedCount)} />
        </div>
        <div className="notify-detail">
          <Card title={t("carriers.title")} description={t("carriers.text")}>
            {broadcast.carriers.length === 0 ? (
              <p className="muted">
                {t("carriers.none")} <Link href="/console/notify/push">{t("compose.toPush")}</Link>
              </p>
            ) : (
              <ul className="notify-carriers">
                {broadcast.carriers.map((carrier) => (
                  <CarrierRow key={carrier.kind} carrier={carrier} />
                ))}
              </ul>
            )}
          </Card>
          <Card title={t("notification.facts")}>
            <KeyValueList
              items={[
                { label: t("column.template"), value: template ? <Link href={templateHref(template.templateId)}>{templateName}</Link> : templateName },
                { label: t("compose.dedupeKey"), value: broadcast.dedupeKey },
                { label: t("column.created"), value: <DateTime value={broadcast.createdAt} /> },
                { label: t("broadcast.started"), value: <DateTime value={broadcast.startedAt} /> },
                { label: t("broadcast.enqueued"), value: <DateTime value={broadcast.fannedOutAt} /> },
                { label: t("column.completed"), value: <DateTime value={broadcast.completedAt} /> },
                ...(broadcast.cancelledAt ? [{ label: t("broadcast.cancelledAt"), value: <DateTime value={broadcast.cancelledAt} /> }] : []),
                { label: t("column.id"), value: <CopyableCode text={id} /> },
              ]}
            />
          </Card>
        </div>
      </div>
      {asking && (
        <ConfirmDialog
          isOpen
          onClose={() => setAsking(false)}
          title={t("broadcast.cancelTitle")}
          confirmLabel={t("broadcast.cancel")}
          onConfirm={async () => {
            await notify.cancelBroadcast(id);
            await client.invalidateQueries({ queryKey: keys.broadcast(id) });
            void client.invalidateQueries({ queryKey: keys.broadcasts });
            toast.success(t("broadcast.cancelled"));
          }}
        >
          <p>{t("broadcast.cancelText")}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

const carrierTones: Record<Carrier["state"], Tone> = { ok: "success", throttled: "warning", down: "danger" };
const carrierIcons: Record<Carrier["state"], ReactNode> = { ok: <CircleCheck aria-hidden />, throttled: <Clock aria-hidden />, down: <CircleX aria-hidden /> };

function CarrierRow({ carrier }: { carrier: Carrier }): ReactNode {
  const t = useT("notify");
  return (
    <li>
      <span className="notify-carrier-icon">{platformIcons[carrier.kind]}</span>
      <span className="grow">
        <strong>{t(`platform.${carrier.kind}`)}</strong>
        <span className="small muted notify-block">{t(`carrier.text.${carrier.state}`)}</span>
      </span>
      <span className="notify-carrier-state">
        <Badge tone={carrierTones[carrier.state]} icon={carrierIcons[carrier.state]}>
          {t(`carrier.${carrier.state}`)}
        </Badge>
        {carrier.since && (
          <span className="small muted">
            <TimeAgo value={carrier.since} />
          </span>
        )}
      </span>
    </li>
  );
}
