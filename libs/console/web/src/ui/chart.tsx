import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useFormats, useLanguage, useT } from "../i18n/index.ts";
import { useTheme } from "../shell/theme.ts";
import { Button } from "./button.tsx";
import { EmptyState } from "./states.tsx";

export interface Series {
  label: string;
  /** One value for each time; null where there is none. */
  values: (number | null)[];
  kind?: "line" | "bars" | "area" | "steps";
  /** One of the eight colours of charts, from 0. Default: the position. */
  color?: number;
}

export interface ChartProps {
  /** What the chart shows. It is the name of the chart and of its table. */
  label: string;
  /** Times in seconds since 1970, ascending. */
  times: number[];
  series: Series[];
  /** Text of a value. Default: a number. */
  format?: (value: number) => string;
  /** Distances of the lines that the axis may have, ascending. Durations are multiples of 60. */
  increments?: number[];
  /** Height in pixels. */
  height?: number;
  /** Whether times are dates without a time of day (UTC). Default: true. */
  dates?: boolean;
  emptyText?: string;
}

/** A chart over time, with a legend that follows the pointer, and a table with the same values. */
export function Chart({ label, times, series, format, increments, height = 220, dates = true, emptyText }: ChartProps): ReactNode {
  const t = useT("common");
  const formats = useFormats();
  const language = useLanguage();
  const { effective } = useTheme();
  const box = useRef<HTMLDivElement>(null);
  const [asTable, setAsTable] = useState(false);
  const [index, setIndex] = useState<number | null>(null);
  const text = format ?? formats.number;
  const time = useMemo(() => {
    const zone = dates ? { timeZone: "UTC" } : {};
    const long = new Intl.DateTimeFormat(language, { dateStyle: "medium", ...(dates ? {} : { timeStyle: "short" }), ...zone });
    const short = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", ...zone });
    const hour = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", ...zone });
    const of = (format: Intl.DateTimeFormat) => (seconds: number) => format.format(seconds * 1000);
    return { long: of(long), short: of(short), hour: of(hour) };
  }, [language, dates]);

  useEffect(() => {
    const element = box.current;
    if (!element || times.length === 0) return undefined;
    const style = getComputedStyle(document.documentElement);
    const token = (name: string): string => style.getPropertyValue(name).trim();
    const color = (one: Series, position: number): string => token(`--chart-${(one.color ?? position) % 8}`);
    const span = times.at(-1)! - times[0]!;
    const barRoom = span / Math.max(1, times.length - 1) / 2;
    const axis = { stroke: token("--text-muted"), font: `11px ${token("--font")}`, grid: { stroke: token("--border"), width: 1 }, ticks: { show: false } };
    const { bars, stepped } = uPlot.paths;
    const plot = new uPlot(
      {
        width: element.clientWidth || 300,
        height,
        padding: [12, 24, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
        // Bars have a width, so the first and the last one need room.
        scales: { x: { time: true, ...(series.some((one) => one.kind === "bars") && times.length > 1 && { range: (_self, min, max) => [min - barRoom, max + barRoom] }) }, y: { range: (_self, min, max) => [Math.min(0, min), max === 0 ? 1 : max + (max - Math.min(0, min)) * 0.08] } },
        axes: [
          { ...axis, space: 70, size: 30, values: (_self, ticks) => ticks.map(span <= 172_800 && !dates ? time.hour : time.short) },
          { ...axis, size: 62, values: (_self, ticks) => ticks.map((tick) => (tick === 0 && increments ? "0" : text(tick))), ...(increments && { incrs: increments }) },
        ],
        series: [
          {},
          ...series.map((one, position) => ({
            label: one.label,
            stroke: color(one, position),
            width: 2,
            points: { show: times.length < 3 },
            ...(one.kind === "area" && { fill: `${color(one, position)}26` }),
            ...(one.kind === "bars" && { fill: color(one, position), width: 0, ...(bars && { paths: bars({ size: [0.7, 40], radius: 0.15 }) }) }),
            ...(one.kind === "steps" && stepped && { paths: stepped({ align: 1 }) }),
          })),
        ],
        hooks: { setCursor: [(self) => setIndex(self.cursor.idx ?? null)] },
      },
      [times, ...series.map((one) => one.values)],
      element,
    );
    const observer = new ResizeObserver(([entry]) => {
      const width = Math.floor(entry!.contentRect.width);
      if (width > 0) plot.setSize({ width, height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, series, height, effective, time, text, increments, dates, asTable]);

  if (times.length === 0) return <EmptyState title={emptyText ?? t("chart.empty")} />;
  const shown = index ?? times.length - 1;
  return (
    <figure className="chart" aria-label={label}>
      <figcaption className="chart-caption">
        <ul className="chart-legend">
          {series.map((one, position) => (
            <li key={one.label}>
              <span className={`chart-key chart-key-${(one.color ?? position) % 8}`} aria-hidden />
              {one.label}
              {!asTable && <strong>{one.values[shown] == null ? "—" : text(one.values[shown])}</strong>}
            </li>
          ))}
          {!asTable && <li className="faint">{time.long(times[shown]!)}</li>}
        </ul>
        <Button size="s" variant="ghost" onPress={() => setAsTable(!asTable)}>
          {t(asTable ? "chart.showChart" : "chart.showTable")}
        </Button>
      </figcaption>
      {asTable ? (
        <div className="chart-table" tabIndex={0} role="region" aria-label={label}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t("chart.time")}</th>
                {series.map((one) => (
                  <th key={one.label} scope="col">
                    {one.label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times.map((seconds, row) => (
                <tr key={seconds}>
                  <th scope="row">{time.long(seconds)}</th>
                  {series.map((one) => (
                    <td key={one.label}>{one.values[row] == null ? "—" : text(one.values[row])}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        // The canvas has no text. The button above shows the same values as a table.
        <div ref={box} className="chart-canvas" aria-hidden style={{ height }} />
      )}
    </figure>
  );
}
