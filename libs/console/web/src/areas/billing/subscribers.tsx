import { Gift, Search, Users } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { navigate, useSearch } from "../../router/index.tsx";
import { useClients } from "../../session/index.ts";
import { Button, DataTable, DateTime, Dialog, EmptyState, PageHeader, RowLink, Select, usePages, useShortcuts, type Column, type PagesResult } from "../../ui/index.ts";
import { GrantDialog } from "./grant-dialog.tsx";
import { AccessBadge, StatusBadge, useOrigin, usePrice } from "./labels.tsx";
import { statuses, userHref, type Entitlement, type Status } from "./model.ts";
import { useProductName, useProducts } from "./queries.ts";
import { BillingTabs } from "./tabs.tsx";
import { UserSearch } from "./user-search.tsx";

interface Filter {
  product: string;
  status: Status | "";
  active: "true" | "false" | "";
}

const pageSize = 50;
/** With filters, the service may return empty pages. */
const maxEmptyPages = 50;

function useSubscribers({ product, status, active }: Filter): PagesResult<Entitlement> {
  const { billing } = useClients();
  const query = { limit: pageSize, ...(product && { product }), ...(status && { status }), ...(active && { active: active === "true" }) };
  return usePages<Entitlement>(["billing", "subscribers", query], async (cursor, signal) => {
    let page = await billing.listSubscribers({ ...query, ...cursor }, { signal });
    for (let empty = 0; page.items.length === 0 && page.cursor && empty < maxEmptyPages; empty += 1) page = await billing.listSubscribers({ ...query, cursor: page.cursor }, { signal });
    return page;
  });
}

/** All users with entitlements. */
export function Subscribers(): ReactNode {
  const t = useT("billing");
  const [params, setParams] = useSearch();
  const filter: Filter = {
    product: params.get("product") ?? "",
    status: statuses.find((one) => one === params.get("status")) ?? "",
    active: (["true", "false"] as const).find((one) => one === params.get("active")) ?? "",
  };
  const pages = useSubscribers(filter);
  const columns = useColumns();
  const [finding, setFinding] = useState(false);
  const [granting, setGranting] = useState(false);
  useShortcuts({ "/": () => setFinding(true) });
  const narrowed = filter.product !== "" || filter.status !== "" || filter.active !== "";
  const clear = (): void => setParams({ product: null, status: null, active: null });
  return (
    <>
      <PageHeader
        title={t("tabs.subscribers")}
        tabs={<BillingTabs />}
        actions={
          <>
            <Button icon={<Search aria-hidden />} onPress={() => setFinding(true)}>
              {t("find.title")}
            </Button>
            <Button variant="primary" icon={<Gift aria-hidden />} onPress={() => setGranting(true)}>
              {t("grant.action")}
            </Button>
          </>
        }
      />
      <DataTable
        label={t("tabs.subscribers")}
        columns={columns}
        source={pages}
        rowId={(one) => one.entitlementId}
        rowHref={(one) => userHref(one.userId)}
        estimate={57.5}
        csvName="subscribers"
        toolbar={<Filters filter={filter} onChange={setParams} />}
        empty={
          narrowed ? (
            <EmptyState icon={<Users aria-hidden />} title={t("subscribers.noMatch")} text={t("subscribers.noMatchText")} action={<Button onPress={clear}>{t("filter.clear")}</Button>} />
          ) : (
            <EmptyState
              icon={<Users aria-hidden />}
              title={t("subscribers.none")}
              text={t("subscribers.noneText")}
              action={
                <Button variant="primary" onPress={() => setGranting(true)}>
                  {t("grant.action")}
                </Button>
              }
            />
          )
        }
      />
      {finding && (
        <Dialog isOpen onClose={() => setFinding(false)} title={t("find.title")}>
          <UserSearch onPick={(id) => navigate(userHref(id))} />
        </Dialog>
      )}
      {granting && <GrantDialog onClose={() => setGranting(false)} onGranted={(id) => navigate(userHref(id))} />}
    </>
  );
}

function Filters({ filter, onChange }: { filter: Filter; onChange: (changes: Record<string, string | null>) => void }): ReactNode {
  const t = useT("billing");
  const products = useProducts();
  const known = products.data?.some((one) => one.providerProductId === filter.product) ?? false;
  return (
    <div className="filters">
      <Select
        size="s"
        hideLabel
        label={t("filter.product")}
        value={filter.product || "all"}
        onChange={(value) => onChange({ product: value === "all" ? null : value })}
        options={[
          { value: "all", label: t("filter.allProducts") },
          ...(products.data ?? []).map((one) => ({ value: one.providerProductId, label: one.name })),
          ...(filter.product && !known ? [{ value: filter.product, label: filter.product }] : []),
        ]}
      />
      <Select
        size="s"
        hideLabel
        label={t("filter.access")}
        value={filter.active || "all"}
        onChange={(value) => onChange({ active: value === "all" ? null : value })}
        options={[
          { value: "all", label: t("filter.anyAccess") },
          { value: "true", label: t("access.yes") },
          { value: "false", label: t("access.no") },
        ]}
      />
      <Select
        size="s"
        hideLabel
        label={t("column.status")}
        value={filter.status || "all"}
        onChange={(value) => onChange({ status: value === "all" ? null : value })}
        options={[{ value: "all", label: t("filter.anyStatus") }, ...statuses.map((value) => ({ value, label: t(`status.${value}`) }))]}
      />
    </div>
  );
}

function useColumns(): Column<Entitlement>[] {
  const t = useT("billing");
  const formats = useFormats();
  const productName = useProductName();
  const origin = useOrigin();
  const priceOf = usePrice();
  return [
    {
      id: "user",
      header: t("column.user"),
      cell: (one) => (
        <RowLink href={userHref(one.userId)}>
          <span dir="auto">{one.userId}</span>
        </RowLink>
      ),
      csv: (one) => one.userId,
      width: "minmax(0, 2fr)",
      phone: "title",
    },
    {
      id: "product",
      header: t("column.product"),
      cell: (one) => (
        <span className="billing-two">
          <span className="truncate" dir="auto">
            {productName(one.providerProductId)}
          </span>
          <span className="faint small truncate" dir="auto">
            {origin(one)}
          </span>
        </span>
      ),
      csv: (one) => productName(one.providerProductId),
      width: "minmax(0, 1.6fr)",
    },
    { id: "access", header: t("column.access"), cell: (one) => <AccessBadge isActive={one.isActive} />, csv: (one) => one.isActive, width: "116px" },
    { id: "status", header: t("column.status"), cell: (one) => <StatusBadge status={one.status} />, csv: (one) => one.status, width: "96px" },
    { id: "until", header: t("column.accessUntil"), cell: (one) => (one.accessUntil === null ? t("access.endless") : <DateTime value={one.accessUntil} />), csv: (one) => one.accessUntil, width: "180px", phone: "hidden" },
    { id: "price", header: t("column.price"), cell: (one) => priceOf(one) ?? <span className="faint">—</span>, csv: (one) => (one.price === null ? null : one.price.amount), width: "110px", align: "end" },
    { id: "currency", header: t("column.currency"), csv: (one) => one.price?.currency },
    { id: "quantity", header: t("column.quantity"), csv: (one) => one.quantity },
    { id: "store", header: t("column.store"), csv: (one) => one.store ?? one.source },
    { id: "providerProductId", header: t("column.providerProductId"), csv: (one) => one.providerProductId },
    { id: "purchasedAt", header: t("entitlement.purchasedAt"), csv: (one) => one.purchasedAt && formats.dateTime(one.purchasedAt) },
  ];
}
