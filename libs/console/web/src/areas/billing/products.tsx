import { useQueryClient } from "@tanstack/react-query";
import { Package, Plus } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { useClients, useTenant } from "../../session/index.ts";
import { Button, CopyableCode, DataTable, DateTime, Dialog, EmptyState, KeyValueList, PageHeader, TimeAgo, usePages, type Column } from "../../ui/index.ts";
import { Chips, ProductionOnly } from "./labels.tsx";
import type { Product } from "./model.ts";
import { ProductDialog } from "./product-form.tsx";
import { keys } from "./queries.ts";
import { BillingTabs } from "./tabs.tsx";

/** The catalog. Only production may change it. */
export function Products(): ReactNode {
  const t = useT("billing");
  const { billing } = useClients();
  const client = useQueryClient();
  const { environment } = useTenant();
  const writable = environment === "production";
  const pages = usePages<Product>([...keys.products, "pages"], (cursor, signal) => billing.listProducts({ limit: 100, ...cursor }, { signal }));
  const columns = useColumns();
  const [open, setOpen] = useState<Product | "new" | null>(null);
  const create = (
    <Button variant="primary" icon={<Plus aria-hidden />} onPress={() => setOpen("new")}>
      {t("product.new")}
    </Button>
  );
  const close = (): void => {
    setOpen(null);
    void client.invalidateQueries({ queryKey: keys.products });
  };
  return (
    <>
      <PageHeader title={t("tabs.products")} description={t("products.text")} tabs={<BillingTabs />} actions={writable && create} />
      <div className="stack">
        {!writable && <ProductionOnly text={t("production.products")} />}
        <DataTable
          label={t("tabs.products")}
          columns={columns}
          source={pages}
          rowId={(product) => product.productId}
          onRowPress={setOpen}
          estimate={57.5}
          csvName="products"
          empty={<EmptyState icon={<Package aria-hidden />} title={t("products.none")} text={t(writable ? "products.noneText" : "products.noneSandbox")} action={writable && create} />}
        />
      </div>
      {open !== null && (writable ? <ProductDialog product={open === "new" ? null : open} onClose={close} /> : open !== "new" && <ReadOnly product={open} onClose={() => setOpen(null)} />)}
    </>
  );
}

function useColumns(): Column<Product>[] {
  const t = useT("billing");
  const formats = useFormats();
  return [
    {
      id: "name",
      header: t("column.product"),
      cell: (product) => (
        <span className="billing-two">
          <span className="billing-product-name truncate" dir="auto">
            {product.name}
          </span>
          <code className="faint small truncate" dir="auto">
            {product.providerProductId}
          </code>
        </span>
      ),
      csv: (product) => product.name,
      width: "minmax(0, 1.6fr)",
      phone: "title",
    },
    { id: "providerProductId", header: t("column.providerProductId"), csv: (product) => product.providerProductId },
    { id: "kind", header: t("column.kind"), cell: (product) => t(`kind.${product.kind}`), csv: (product) => product.kind, width: "140px" },
    { id: "features", header: t("column.features"), cell: (product) => product.features.length > 0 && <Chips names={product.features} most={4} />, csv: (product) => product.features.join(", "), width: "minmax(0, 2fr)" },
    { id: "grants", header: t("column.grants"), cell: (product) => product.grants.length > 0 && <Chips names={product.grants.map(({ name, quantity }) => `${formats.number(quantity)} × ${name}`)} most={3} />, csv: (product) => product.grants.map(({ name, quantity }) => `${quantity} ${name}`).join(", ") },
    { id: "updatedAt", header: t("column.updatedAt"), cell: (product) => <TimeAgo value={product.updatedAt} />, csv: (product) => product.updatedAt, width: "130px", phone: "hidden" },
  ];
}

function ReadOnly({ product, onClose }: { product: Product; onClose: () => void }): ReactNode {
  const t = useT("billing");
  const formats = useFormats();
  return (
    <Dialog isOpen onClose={onClose} title={product.name}>
      <div className="stack">
        <KeyValueList
          items={[
            { label: t("column.providerProductId"), value: <CopyableCode text={product.providerProductId} />, key: "provider" },
            { label: t("product.id"), value: <CopyableCode text={product.productId} />, key: "id" },
            { label: t("column.kind"), value: t(`kind.${product.kind}`), key: "kind" },
            { label: t("column.features"), value: <Chips names={product.features} />, key: "features" },
            { label: t("column.grants"), value: <Chips names={product.grants.map(({ name, quantity }) => `${formats.number(quantity)} × ${name}`)} />, key: "grants" },
            { label: t("column.updatedAt"), value: <DateTime value={product.updatedAt} />, key: "updated" },
          ]}
        />
        <ProductionOnly text={t("production.products")} />
      </div>
    </Dialog>
  );
}
