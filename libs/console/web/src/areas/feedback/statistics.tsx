import { useQuery } from "@tanstack/react-query";
import { useMemo, useState, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { useClients } from "../../session/index.ts";
import { Chart, type Series } from "../../ui/chart.tsx";
import { Card, PageHeader, QueryState, RadioGroup, Stat } from "../../ui/index.ts";
import { categories, emptyFilter, priorities, searchOf, statuses, type Filter } from "./model.ts";
import { FeedbackTabs } from "./tabs.tsx";
import { lastSpans } from "./weeks.ts";

const minute = 60;
const hour = 3600;
const day = 86_400;
/** Distances of lines in charts of durations, in seconds. */
const increments = [minute, 5 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 6 * hour, 12 * hour, day, 2 * day, 5 * day, 10 * day, 20 * day, 50 * day, 100 * day];

const ranges = { "8w": { count: 8, days: 7 }, "26w": { count: 13, days: 14 }, "12m": { count: 12, days: 30 } } as const;
type Range = keyof typeof ranges;
type Percentiles = { p50: number; p90: number } | null;

interface Point {
  start: number;
  response: Percentiles;
  resolution: Percentiles;
}

/** Counts of threads, and how long answers take. */
export function Statistics(): ReactNode {
  const t = useT("feedback");
  const formats = useFormats();
  const { feedback } = useClients();
  const [range, setRange] = useState<Range>("8w");
  const spans = useMemo(() => lastSpans(ranges[range].count, ranges[range].days, Date.now()), [range]);
  const since = new Date(spans[0]!.start).toISOString();
  const stats = useQuery({ queryKey: ["feedback", "stats", since], queryFn: ({ signal }) => feedback.getStats({ createdAfter: since }, { signal }).then((value) => value), staleTime: 60_000 });
  // The service runs few statistics at once, so the spans are read one after another.
  const points = useQuery({
    queryKey: ["feedback", "stats", "points", range, since],
    queryFn: async ({ signal }): Promise<Point[]> => {
      const found: Point[] = [];
      for (const { start, end } of spans) {
        // `createdAfter` is exclusive.
        const { firstResponseSeconds, resolutionSeconds } = await feedback.getStats({ createdAfter: new Date(start - 1).toISOString(), createdBefore: new Date(end).toISOString() }, { signal });
        found.push({ start, response: firstResponseSeconds as Percentiles, resolution: resolutionSeconds as Percentiles });
      }
      return found;
    },
    staleTime: 600_000,
  });
  const seconds = (value: number | undefined): string => (value === undefined ? "—" : formats.duration(value));
  return (
    <>
      <PageHeader
        title={t("statistics.title")}
        tabs={<FeedbackTabs />}
        actions={<RadioGroup label={t("statistics.range")} hideLabel look="segments" value={range} onChange={setRange} options={(Object.keys(ranges) as Range[]).map((value) => ({ value, label: t(`statistics.${value}`) }))} />}
      />
      <QueryState query={stats}>
        {(data) => (
          <>
            <div className="stats">
              <Stat label={t("statistics.total")} value={formats.number(data.total)} hint={t("statistics.openNow", { count: data.byStatus["open"] ?? 0 })} />
              <Stat label={t("statistics.response")} value={seconds(data.firstResponseSeconds?.p50)} hint={t("statistics.p90", { value: seconds(data.firstResponseSeconds?.p90) })} />
              <Stat label={t("statistics.resolution")} value={seconds(data.resolutionSeconds?.p50)} hint={t("statistics.p90", { value: seconds(data.resolutionSeconds?.p90) })} />
            </div>
            <div className="stack">
              <QueryState query={points}>
                {(list) => (
                  <div className="columns">
                    <Times label={t("statistics.responseChart")} text={t("statistics.responseText")} points={list} of={(point) => point.response} />
                    <Times label={t("statistics.resolutionChart")} text={t("statistics.resolutionText")} points={list} of={(point) => point.resolution} />
                  </div>
                )}
              </QueryState>
              <div className="columns">
                <Shares title={t("column.status")} rows={statuses.map((value) => ({ label: t(`status.${value}`), count: data.byStatus[value] ?? 0, filter: { ...emptyFilter, status: [value] } }))} />
                <Shares title={t("column.category")} rows={categories.map((value) => ({ label: t(`category.${value}`), count: data.byCategory[value] ?? 0, filter: { ...emptyFilter, category: [value] } }))} />
                <Shares
                  title={t("column.priority")}
                  rows={[
                    ...priorities.map((value) => ({ label: t(`priority.${value}`), count: data.byPriority[value] ?? 0, filter: { ...emptyFilter, priority: [value] } })),
                    { label: t("priority.none"), count: data.byPriority["none"] ?? 0 },
                  ]}
                />
              </div>
            </div>
          </>
        )}
      </QueryState>
    </>
  );
}

function Times({ label, text, points, of }: { label: string; text: string; points: Point[]; of: (point: Point) => Percentiles }): ReactNode {
  const t = useT("feedback");
  const formats = useFormats();
  const { times, series } = useMemo(
    () => ({
      times: points.some((point) => of(point) !== null) ? points.map((point) => point.start / 1000) : [],
      series: [
        { label: t("statistics.median"), values: points.map((point) => of(point)?.p50 ?? null), kind: "area" },
        { label: t("statistics.ninetieth"), values: points.map((point) => of(point)?.p90 ?? null), kind: "line", color: 2 },
      ] satisfies Series[],
    }),
    // `of` is a selector without state.
    [points, t],
  );
  return (
    <Card title={label} description={text}>
      <Chart label={label} times={times} series={series} format={formats.duration} increments={increments} emptyText={t("statistics.noAnswers")} />
    </Card>
  );
}

function Shares({ title, rows }: { title: string; rows: { label: string; count: number; filter?: Filter }[] }): ReactNode {
  const formats = useFormats();
  const most = Math.max(1, ...rows.map((row) => row.count));
  return (
    <Card title={title}>
      <ul className="feedback-shares">
        {rows.map(({ label, count, filter }) => (
          <li key={label}>
            {filter ? <Link href={`/console/feedback${searchOf(filter)}`}>{label}</Link> : <span>{label}</span>}
            <span className="feedback-share-bar" aria-hidden>
              <span style={{ inlineSize: `${(100 * count) / most}%` }} />
            </span>
            <span className="feedback-share-count">{formats.number(count)}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
