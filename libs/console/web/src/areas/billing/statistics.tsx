import { useQuery } from "@tanstack/react-query";
import { ChartLine } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { useClients } from "../../session/index.ts";
import { Chart, type Series } from "../../ui/chart.tsx";
import { Card, DataTable, EmptyState, LinkButton, PageHeader, QueryState, RadioGroup, RowLink, Select, Stat, usePhone, type Column } from "../../ui/index.ts";
import { safeMoney } from "./labels.tsx";
import type { DayStats } from "./model.ts";
import { byProduct, churnOf, lastDays, spansOf, totalsOf, utcDate, type ProductNumbers } from "./numbers.ts";
import { useProductName } from "./queries.ts";
import { BillingTabs } from "./tabs.tsx";

/** Days of a range, and days of a bar. */
const ranges = { "30d": { days: 30, bar: 1 }, "90d": { days: 91, bar: 7 }, "12m": { days: 364, bar: 28 } } as const;
type Range = keyof typeof ranges;
const all = "*";
const maxLines = 6;

interface Stats {
  days: DayStats[];
  mrr: { currency: string; amount: number }[];
}

/** Recurring revenue, subscriptions, trials and churn. */
export function Statistics(): ReactNode {
  const t = useT("billing");
  const { billing } = useClients();
  const productName = useProductName();
  const [range, setRange] = useState<Range>("90d");
  const [product, setProduct] = useState(all);
  const days = useMemo(() => lastDays(ranges[range].days, Date.now()), [range]);
  const from = utcDate(days[0]!);
  const to = utcDate(days.at(-1)!);
  const stats = useQuery<Stats>({
    queryKey: ["billing", "stats", from, to],
    queryFn: ({ signal }) => billing.getStats({ from, to }, { signal }).then((value): Stats => value),
    staleTime: 60_000,
    placeholderData: (before) => before,
  });
  const products = useMemo(() => byProduct(stats.data?.days ?? [], to), [stats.data, to]);
  return (
    <>
      <PageHeader
        title={t("title")}
        tabs={<BillingTabs />}
        actions={
          <>
            {products.length > 1 && (
              <Select
                size="s"
                hideLabel
                className="billing-product-filter"
                label={t("filter.product")}
                value={product}
                onChange={setProduct}
                options={[{ value: all, label: t("filter.allProducts") }, ...products.map((one) => ({ value: one.product, label: productName(one.product) }))]}
              />
            )}
            <RadioGroup label={t("stats.range")} hideLabel look="segments" value={range} onChange={setRange} options={(Object.keys(ranges) as Range[]).map((value) => ({ value, label: t(`stats.${value}`) }))} />
          </>
        }
      />
      <QueryState query={stats}>
        {(data) =>
          data.days.length === 0 ? (
            <EmptyState
              icon={<ChartLine aria-hidden />}
              title={t("stats.none")}
              text={t("stats.noneText")}
              action={
                <LinkButton variant="primary" href="/console/billing/settings">
                  {t("stats.connect")}
                </LinkButton>
              }
            />
          ) : (
            <Numbers stats={data} products={products} product={product === all ? null : product} days={days} bar={ranges[range].bar} />
          )
        }
      </QueryState>
    </>
  );
}

function Numbers({ stats, products, product, days, bar }: { stats: Stats; products: ProductNumbers[]; product: string | null; days: number[]; bar: number }): ReactNode {
  const t = useT("billing");
  const formats = useFormats();
  const totals = useMemo(() => totalsOf(stats.days, days, product), [stats, days, product]);
  const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
  const ended = sum(totals.ended);
  const before = totals.active[0]!;
  const churn = churnOf(ended, before);
  const now = totals.active.at(-1)!;
  const mrr = [...stats.mrr].sort((a, b) => b.amount - a.amount).map(({ amount, currency }) => safeMoney(formats.money, amount, currency));
  const signed = (value: number): string => (value > 0 ? `+${formats.number(value)}` : formats.number(value));
  return (
    <>
      <div className="stats billing-stats">
        <Stat label={t("stats.mrr")} value={mrr[0] ?? "—"} hint={mrr.length > 1 ? mrr.slice(1).join(" · ") : t("stats.mrrHint")} />
        <Stat label={t("stats.active")} value={formats.number(now)} hint={t("stats.change", { change: signed(now - before), days: days.length })} />
        <Stat label={t("stats.trials")} value={formats.number(totals.trials.at(-1)!)} hint={t("stats.trialsHint")} />
        <Stat label={t("stats.churn")} value={churn === null ? "—" : formats.percent(churn)} hint={t("stats.churnHint", { count: ended })} />
      </div>
      <div className="stack">
        <ActiveChart stats={stats} products={products} product={product} days={days} total={totals.active} />
        <div className="columns">
          <FlowChart totals={totals} days={days} bar={bar} />
          <Card title={t("stats.trials")} description={t("stats.trialsText")}>
            <TrialsChart days={days} trials={totals.trials} />
          </Card>
        </div>
        <div className="columns">
          <ChurnChart totals={totals} days={days} bar={bar} />
          <ProductTable products={products} />
        </div>
      </div>
    </>
  );
}

const seconds = (days: readonly number[]): number[] => days.map((day) => day / 1000);

function ActiveChart({ stats, products, product, days, total }: { stats: Stats; products: ProductNumbers[]; product: string | null; days: number[]; total: number[] }): ReactNode {
  const t = useT("billing");
  const productName = useProductName();
  const { times, series } = useMemo(() => {
    const lines: Series[] = [{ label: product === null ? t("stats.total") : productName(product), values: total, kind: "area" }];
    const shown = product === null && products.length > 1 ? products.slice(0, maxLines) : [];
    for (const [index, one] of shown.entries()) lines.push({ label: productName(one.product), values: totalsOf(stats.days, days, one.product).active, color: index + 1 });
    return { times: seconds(days), series: unique(lines) };
  }, [stats, products, product, days, total, productName, t]);
  return (
    <Card title={t("stats.activeChart")} description={t("stats.activeText")}>
      <Chart label={t("stats.activeChart")} times={times} series={series} height={260} />
    </Card>
  );
}

const maxLabel = 40;

/** Labels for the legend: short, and different from each other. Two products may have the same name. */
function unique(lines: Series[]): Series[] {
  const seen = new Map<string, number>();
  return lines.map((line) => {
    const chars = [...line.label];
    const label = chars.length > maxLabel ? `${chars.slice(0, maxLabel - 1).join("")}…` : line.label;
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    return { ...line, label: count === 1 ? label : `${label} (${count})` };
  });
}

type Totals = ReturnType<typeof totalsOf>;

function FlowChart({ totals, days, bar }: { totals: Totals; days: number[]; bar: number }): ReactNode {
  const t = useT("billing");
  const formats = useFormats();
  const { times, series } = useMemo(() => {
    const spans = spansOf(totals, days, bar);
    return {
      times: spans.map((span) => span.start / 1000),
      series: [
        { label: t("stats.started"), values: spans.map((span) => span.started), kind: "bars", color: 1 },
        { label: t("stats.ended"), values: spans.map((span) => (span.ended === 0 ? 0 : -span.ended)), kind: "bars", color: 7 },
      ] satisfies Series[],
    };
  }, [totals, days, bar, t]);
  const text = useMemo(() => (value: number) => formats.number(Math.abs(value)), [formats]);
  return (
    <Card title={t("stats.flowChart")} description={t(bar === 1 ? "stats.perDay" : bar === 7 ? "stats.perWeek" : "stats.perFourWeeks")}>
      <Chart label={t("stats.flowChart")} times={times} series={series} format={text} />
    </Card>
  );
}

function TrialsChart({ days, trials }: { days: number[]; trials: number[] }): ReactNode {
  const t = useT("billing");
  const { times, series } = useMemo(() => ({ times: seconds(days), series: [{ label: t("stats.trials"), values: trials, kind: "area", color: 5 }] satisfies Series[] }), [days, trials, t]);
  return <Chart label={t("stats.trials")} times={times} series={series} />;
}

function ChurnChart({ totals, days, bar }: { totals: Totals; days: number[]; bar: number }): ReactNode {
  const t = useT("billing");
  const formats = useFormats();
  const size = Math.max(7, bar);
  const { times, series } = useMemo(() => {
    const spans = spansOf(totals, days, size).filter((span) => span.churn !== null);
    return { times: spans.map((span) => span.start / 1000), series: [{ label: t("stats.churn"), values: spans.map((span) => span.churn), kind: "line", color: 2 }] satisfies Series[] };
  }, [totals, days, size, t]);
  return (
    <Card title={t("stats.churnChart")} description={t(size === 7 ? "stats.churnWeek" : "stats.churnFourWeeks")}>
      <Chart label={t("stats.churnChart")} times={times} series={series} format={formats.percent} emptyText={t("stats.noChurn")} />
    </Card>
  );
}

function ProductTable({ products }: { products: ProductNumbers[] }): ReactNode {
  const t = useT("billing");
  const formats = useFormats();
  const productName = useProductName();
  const phone = usePhone();
  const count = (id: "active" | "trials" | "started" | "ended", onPhone: "detail" | "hidden" = "detail"): Column<ProductNumbers> => ({ id, header: t(`stats.column.${id}`), cell: (one) => (phone ? t("stats.activeCount", { count: one[id] }) : formats.number(one[id])), csv: (one) => one[id], width: "64px", align: "end", phone: onPhone });
  const columns: Column<ProductNumbers>[] = [
    { id: "product", header: t("column.product"), cell: (one) => <RowLink href={hrefOf(one)}>{productName(one.product)}</RowLink>, csv: (one) => one.product, phone: "title" },
    count("active"),
    count("trials", "hidden"),
    count("started", "hidden"),
    count("ended", "hidden"),
  ];
  return (
    <Card title={t("stats.products")} flush>
      <DataTable label={t("stats.products")} columns={columns} source={{ items: products }} rowId={(one) => one.product} rowHref={hrefOf} empty={<EmptyState title={t("stats.none")} />} />
    </Card>
  );
}

const hrefOf = (one: ProductNumbers): string => `/console/billing/subscribers?${new URLSearchParams({ product: one.product, active: "true" })}`;
