import { useMemo, useState, type ReactNode } from "react";
import { Button as AriaButton } from "react-aria-components";
import { useFormats, useLocaleTag, useT } from "../../i18n/index.ts";
import { Button, Menu, QueryState, RadioGroup, usePhone } from "../../ui/index.ts";
import { accessRows, clustersOf, frameOf, percentOf, ticksOf, type AccessRow, type AccessSpan, type Frame } from "./access.ts";
import { useEventName, useOrigin } from "./labels.tsx";
import { markOf, type BillingEvent, type Entitlement, type Mark } from "./model.ts";
import { useHistory, useProductName } from "./queries.ts";

const maxReadings = 40;
const dayMs = 86_400_000;
/** Labels of later ticks would leave the frame. */
const maxTickPercent = 97;
const ranges = { all: Infinity, year: 366, quarter: 92, month: 31 } as const;
type Range = keyof typeof ranges;

/** Events that may have changed access, oldest first, with their times. */
function datedEvents(events: readonly BillingEvent[], now: number): { event: BillingEvent; at: number }[] {
  return events
    .flatMap((event) => (event.eventAt === null ? [] : [{ event, at: Date.parse(event.eventAt) }]))
    .filter(({ at }) => at <= now)
    .sort((a, b) => a.at - b.at);
}

/** When a user had access: a bar for each entitlement, and a mark for each event. The same as a table for screen readers. */
export function Timeline({ userId, events, current, onEvent }: { userId: string; events: readonly BillingEvent[]; current: readonly Entitlement[]; onEvent: (event: BillingEvent) => void }): ReactNode {
  const t = useT("billing");
  const common = useT("common");
  const [asTable, setAsTable] = useState(false);
  const [range, setRange] = useState<Range>("all");
  // The time moves with new data only, so that the readings are not repeated.
  const now = useMemo(() => Date.now(), [events, current]);
  const dated = useMemo(() => datedEvents(events, now), [events, now]);
  const times = useMemo(() => [...new Set(dated.filter(({ event }) => event.result !== "rejected").map(({ at }) => at))].slice(-maxReadings), [dated]);
  const history = useHistory(userId, times);
  const rows = useMemo(() => accessRows([...(history.data ?? []).filter(({ at }) => at < now), { at: now, entitlements: current }]), [history.data, current, now]);
  const frame = useMemo(() => frameOf(rows, dated.map(({ at }) => at), now, now - ranges[range] * dayMs), [rows, dated, now, range]);
  const span = dated.length > 0 ? (now - dated[0]!.at) / dayMs : 0;
  const offered = (Object.keys(ranges) as Range[]).filter((one) => one === "all" || ranges[one] < span);
  if (times.length > 0 && history.data === undefined) return <QueryState query={history}>{() => null}</QueryState>;
  return (
    <figure className="billing-timeline" aria-label={t("timeline.title")}>
      <div className="billing-timeline-bar">
        <Legend />
        <div className="row wrap">
          {offered.length > 1 && !asTable && <RadioGroup label={t("timeline.range")} hideLabel look="segments" value={range} onChange={setRange} options={offered.map((value) => ({ value, label: t(`timeline.${value}`) }))} />}
          <Button size="s" variant="ghost" onPress={() => setAsTable(!asTable)}>
            {common(asTable ? "chart.showChart" : "chart.showTable")}
          </Button>
        </div>
      </div>
      {asTable ? <SpanTable rows={rows} /> : <Drawing rows={rows} frame={frame} dated={dated} now={now} onEvent={onEvent} />}
      {times.length === maxReadings && <p className="small faint">{t("timeline.cut", { count: maxReadings })}</p>}
    </figure>
  );
}

function Legend(): ReactNode {
  const t = useT("billing");
  return (
    <ul className="billing-legend">
      {(["paid", "trial", "extra", "expected"] as const).map((kind) => (
        <li key={kind}>
          <span className={`billing-key billing-key-${kind}`} aria-hidden />
          {t(`span.${kind}`)}
        </li>
      ))}
    </ul>
  );
}

interface DrawingProps {
  rows: readonly AccessRow[];
  frame: Frame;
  dated: readonly { event: BillingEvent; at: number }[];
  now: number;
  onEvent: (event: BillingEvent) => void;
}

function Drawing({ rows, frame, dated, now, onEvent }: DrawingProps): ReactNode {
  const t = useT("billing");
  const locale = useLocaleTag();
  const phone = usePhone();
  const ticks = useMemo(() => ticksOf(frame, phone ? 4 : 9), [frame, phone]);
  const label = useMemo(() => {
    const years = new Date(frame.from).getFullYear() !== new Date(frame.to).getFullYear();
    const months = (frame.to - frame.from) / dayMs > 100;
    return new Intl.DateTimeFormat(locale, { month: "short", ...(months ? {} : { day: "numeric" }), ...(years && months && { year: "numeric" }) });
  }, [frame, locale]);
  return (
    // Time runs to the right in all languages, as in all charts.
    <div className="billing-drawing" dir="ltr">
      <div className="billing-lane billing-lane-axis" aria-hidden>
        <div className="billing-lane-name" />
        <div className="billing-lane-time">
          {ticks.filter((at) => percentOf(frame, at) < maxTickPercent).map((at) => (
            <span key={at} className="billing-tick" style={{ left: `${percentOf(frame, at)}%` }}>
              {label.format(at)}
            </span>
          ))}
        </div>
      </div>
      <div className="billing-lane billing-lane-events">
        <div className="billing-lane-name">{t("timeline.events")}</div>
        <div className="billing-lane-time" role="group" aria-label={t("timeline.events")}>
          <Lines ticks={ticks} frame={frame} now={now} />
          <Marks dated={dated} frame={frame} distance={phone ? 9 : 2.6} onEvent={onEvent} />
        </div>
      </div>
      {rows.map((row) => (
        <Lane key={row.entitlement.entitlementId} row={row} frame={frame} ticks={ticks} now={now} />
      ))}
      <div className="billing-lane billing-lane-now" aria-hidden>
        <div className="billing-lane-name" />
        <div className="billing-lane-time">
          <span className="billing-now-name" style={{ left: `${percentOf(frame, now)}%` }}>
            {t("timeline.now")}
          </span>
        </div>
      </div>
    </div>
  );
}

function Lines({ ticks, frame, now }: { ticks: readonly number[]; frame: Frame; now: number }): ReactNode {
  return (
    <>
      {ticks.map((at) => (
        <span key={at} className="billing-line" style={{ left: `${percentOf(frame, at)}%` }} aria-hidden />
      ))}
      <span className="billing-line billing-line-now" style={{ left: `${percentOf(frame, now)}%` }} aria-hidden />
    </>
  );
}

function Lane({ row, frame, ticks, now }: { row: AccessRow; frame: Frame; ticks: readonly number[]; now: number }): ReactNode {
  const text = useSpanText();
  const productName = useProductName();
  const origin = useOrigin();
  const { entitlement } = row;
  const name = productName(entitlement.providerProductId);
  return (
    <div className="billing-lane">
      <div className="billing-lane-name">
        <strong className="truncate" dir="auto" title={name}>
          {name}
        </strong>
        <span className="faint truncate" dir="auto">
          {origin(entitlement)}
        </span>
      </div>
      <div className="billing-lane-time">
        <Lines ticks={ticks} frame={frame} now={now} />
        {row.spans
          .filter((span) => span.to > frame.from && span.from < frame.to)
          .map((span) => {
            const left = percentOf(frame, span.from);
            const width = percentOf(frame, span.to) - left;
            return (
              <span key={span.from} className={`billing-bar billing-bar-${span.kind}${span.expected ? " billing-bar-expected" : ""}${span.to > frame.to ? " billing-bar-open" : ""}`} style={{ left: `${left}%`, width: `${width}%` }} title={text(span)}>
                <span className="visually-hidden">{text(span)}</span>
              </span>
            );
          })}
      </div>
    </div>
  );
}

/** "Paid period: from 1 Jan to 1 Feb". */
function useSpanText(): (span: AccessSpan) => string {
  const t = useT("billing");
  const formats = useFormats();
  return ({ kind, from, to }) => {
    const values = { kind: t(`span.${kind}`), from: formats.dateTime(from) };
    return to === Infinity ? t("span.endless", values) : t("span.fromTo", { ...values, to: formats.dateTime(to) });
  };
}

const weight: Record<Mark, number> = { end: 3, risk: 2, gain: 1, neutral: 0 };

function Marks({ dated, frame, distance, onEvent }: Pick<DrawingProps, "dated" | "frame" | "onEvent"> & { distance: number }): ReactNode {
  const t = useT("billing");
  const formats = useFormats();
  const name = useEventName();
  const shown = useMemo(() => dated.filter(({ at }) => at >= frame.from), [dated, frame]);
  const clusters = useMemo(() => clustersOf(shown.map(({ at }) => percentOf(frame, at)), distance), [shown, frame, distance]);
  return clusters.map((cluster) => {
    const entries = cluster.map((index) => shown[index]!);
    const first = entries[0]!;
    const mark = entries.map(({ event }) => markOf(event)).reduce((worst, one) => (weight[one] > weight[worst] ? one : worst));
    const position = { left: `${percentOf(frame, (first.at + entries.at(-1)!.at) / 2)}%` };
    const text = (entry: (typeof entries)[number]): string => t("timeline.event", { name: name(entry.event.type), date: formats.dateTime(entry.at) });
    if (entries.length === 1)
      return (
        <span key={first.event.eventId} className="billing-mark-box" style={position} title={text(first)}>
          <AriaButton className={`billing-mark billing-mark-${mark}`} aria-label={text(first)} onPress={() => onEvent(first.event)} />
        </span>
      );
    const label = t("timeline.cluster", { count: entries.length, date: formats.date(first.at) });
    return (
      <span key={first.event.eventId} className="billing-mark-box" style={position} title={label}>
        <Menu
          label={label}
          trigger={
            <AriaButton className={`billing-mark billing-mark-${mark} billing-mark-many`} aria-label={label}>
              {formats.number(entries.length)}
            </AriaButton>
          }
          parts={entries.map((entry) => ({ id: entry.event.eventId, label: text(entry), icon: <span className={`billing-dot billing-dot-${markOf(entry.event)}`} aria-hidden />, onAction: () => onEvent(entry.event) }))}
        />
      </span>
    );
  });
}

function SpanTable({ rows }: { rows: readonly AccessRow[] }): ReactNode {
  const t = useT("billing");
  const formats = useFormats();
  const productName = useProductName();
  const spans = rows.flatMap(({ entitlement, spans: list }) => list.map((span) => ({ span, entitlement }))).sort((a, b) => a.span.from - b.span.from);
  if (spans.length === 0) return <p className="muted">{t("timeline.none")}</p>;
  return (
    <div className="billing-span-table" tabIndex={0} role="region" aria-label={t("timeline.title")}>
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">{t("column.product")}</th>
            <th scope="col">{t("span.from")}</th>
            <th scope="col">{t("span.to")}</th>
            <th scope="col">{t("span.why")}</th>
          </tr>
        </thead>
        <tbody>
          {spans.map(({ span, entitlement }) => (
            <tr key={`${entitlement.entitlementId} ${span.from}`}>
              <th scope="row" dir="auto">
                {productName(entitlement.providerProductId)}
              </th>
              <td>{formats.dateTime(span.from)}</td>
              <td>{span.to === Infinity ? t("access.endless") : formats.dateTime(span.to)}</td>
              <td>{span.expected ? t("span.expectedKind", { kind: t(`span.${span.kind}`) }) : t(`span.${span.kind}`)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
