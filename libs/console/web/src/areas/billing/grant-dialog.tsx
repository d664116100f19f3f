import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { useClients, useStepUp, useTenant } from "../../session/index.ts";
import { Button, Dialog, EmptyState, ErrorNotice, fieldErrors, LinkButton, QueryState, RadioGroup, Select, TextField, toast, useAttempt } from "../../ui/index.ts";
import { dateField, momentOf, type Product } from "./model.ts";
import { keys, useProducts } from "./queries.ts";
import { UserSearch } from "./user-search.tsx";

const lengths = ["7", "30", "365", "date", "endless"] as const;
type Length = (typeof lengths)[number];
const dayMs = 86_400_000;

/** The last second of a day in local time; empty if the text is no day. */
function endOf(day: string): string {
  const next = momentOf(day, 1);
  return next ? new Date(Date.parse(next) - 1000).toISOString() : "";
}

/** Grants a product to a user. Without `userId`, the dialog first asks for the user. Render it while it is open, so that it begins empty. */
export function GrantDialog({ userId: given, email: givenEmail = null, onClose, onGranted }: { userId?: string; email?: string | null; onClose: () => void; onGranted?: (userId: string) => void }): ReactNode {
  const t = useT("billing");
  const products = useProducts();
  const [user, setUser] = useState<{ id: string; email: string | null } | null>(given === undefined ? null : { id: given, email: givenEmail });
  if (user === null)
    return (
      <Dialog isOpen onClose={onClose} title={t("grant.user")}>
        <UserSearch onPick={(id, email) => setUser({ id, email })} />
      </Dialog>
    );
  if (products.data === undefined || products.data.length === 0)
    return (
      <Dialog isOpen onClose={onClose} title={t("grant.title")}>
        <QueryState query={products}>
          {() => (
            <EmptyState
              title={t("grant.noProducts")}
              text={t("grant.noProductsText")}
              action={
                <LinkButton variant="primary" href="/console/billing/products">
                  {t("tabs.products")}
                </LinkButton>
              }
            />
          )}
        </QueryState>
      </Dialog>
    );
  return <GrantForm user={user} products={products.data} onClose={onClose} onGranted={onGranted} />;
}

function GrantForm({ user, products, onClose, onGranted }: { user: { id: string; email: string | null }; products: Product[]; onClose: () => void; onGranted: ((userId: string) => void) | undefined }): ReactNode {
  const t = useT("billing");
  const common = useT("common");
  const formats = useFormats();
  const client = useQueryClient();
  const { environment } = useTenant();
  const { billing } = useClients();
  const stepUp = useStepUp();
  const [productId, setProductId] = useState(products.length === 1 ? products[0]!.productId : null);
  const [length, setLength] = useState<Length>("30");
  const [date, setDate] = useState(() => dateField(new Date(Date.now() + 30 * dayMs)));
  const [reason, setReason] = useState("");
  const { run, pending, error } = useAttempt();
  const errors = fieldErrors(error);
  const product = products.find((one) => one.productId === productId);
  const sorted = useMemo(() => [...products].sort((a, b) => a.name.localeCompare(b.name)), [products]);
  const expiresAt = length === "endless" ? null : length === "date" ? endOf(date) : new Date(Date.now() + Number(length) * dayMs).toISOString();
  const invalidDate = length === "date" && (expiresAt === "" || Date.parse(expiresAt!) <= Date.now());
  const grant = async (): Promise<void> => {
    if (product === undefined) return;
    await run(async () => {
      await stepUp(() => billing.grantEntitlement(user.id, { productId: product.productId, expiresAt, reason: reason.trim() || null }));
      await client.invalidateQueries({ queryKey: keys.all });
      toast.success(t("grant.done", { product: product.name }));
      onGranted?.(user.id);
      onClose();
    });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t("grant.title")}
      footer={
        <>
          <Button onPress={onClose}>{common("action.cancel")}</Button>
          <Button variant="primary" isPending={pending} isDisabled={invalidDate || product === undefined} onPress={() => void grant()}>
            {t("grant.action")}
          </Button>
        </>
      }
    >
      <div className="stack">
        <p className="muted">
          {t(environment === "sandbox" ? "grant.toSandbox" : "grant.to")} <strong dir="auto">{user.email ?? user.id}</strong>
        </p>
        <Select label={t("column.product")} value={productId} onChange={setProductId} placeholder={t("grant.choose")} options={sorted.map((one) => ({ value: one.productId, label: one.name, description: one.providerProductId }))} error={errors["productId"]} />
        {product !== undefined && product.features.length > 0 && <p className="small muted billing-grant-gives">{t("grant.gives", { features: product.features.join(", ") })}</p>}
        <RadioGroup className="billing-lengths" label={t("grant.length")} look="segments" value={length} onChange={setLength} options={lengths.map((value) => ({ value, label: t(`grant.length.${value}`) }))} />
        {length === "date" && <TextField type="date" label={t("grant.lastDay")} value={date} onChange={setDate} min={dateField(new Date())} isRequired error={invalidDate ? t("grant.pastDate") : errors["expiresAt"]} />}
        {typeof expiresAt === "string" && !invalidDate && <p className="small muted">{t("grant.until", { date: formats.dateTime(expiresAt) })}</p>}
        <TextField label={t("grant.reason")} description={t("grant.reasonText")} value={reason} onChange={setReason} maxLength={200} error={errors["reason"]} />
        {product !== undefined && product.kind !== "consumable" && <p className="small faint">{t("grant.once")}</p>}
        {error !== null && <ErrorNotice error={error} title={t("grant.failed")} />}
      </div>
    </Dialog>
  );
}
