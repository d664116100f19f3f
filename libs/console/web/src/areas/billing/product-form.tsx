import { useQuery } from "@tanstack/react-query";
import { Plus, Trash2, X } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { useClients, useStepUp } from "../../session/index.ts";
import { Button, ConfirmDialog, CopyableCode, Dialog, ErrorNotice, fieldErrors, IconButton, QueryState, RadioGroup, TextField, toast, useAttempt } from "../../ui/index.ts";
import { kinds, type NewProduct, type Product } from "./model.ts";
import { keys } from "./queries.ts";

/** Creates, changes or deletes a product. Render it while it is open. */
export function ProductDialog({ product, onClose }: { product: Product | null; onClose: () => void }): ReactNode {
  const { billing } = useClients();
  const t = useT("billing");
  // The newest version, with its ETag, so that changes of others are not overwritten.
  const current = useQuery({
    queryKey: keys.product(product?.productId ?? ""),
    queryFn: async ({ signal }) => {
      const { data, response } = await billing.getProduct(product!.productId, { signal }).withResponse();
      return { product: data as Product, etag: response.headers.get("ETag") ?? undefined };
    },
    enabled: product !== null,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (product === null) return <Form product={null} etag={undefined} onClose={onClose} />;
  if (current.data === undefined)
    return (
      <Dialog isOpen onClose={onClose} title={t("product.edit")}>
        <QueryState query={current}>{() => null}</QueryState>
      </Dialog>
    );
  return <Form key={current.data.product.version} product={current.data.product} etag={current.data.etag} onClose={onClose} />;
}

interface GrantDraft {
  name: string;
  quantity: string;
}
type Draft = Pick<NewProduct, "name" | "providerProductId" | "kind"> & { features: string[]; grants: GrantDraft[] };

const draftOf = (product: Product | null): Draft => ({
  name: product?.name ?? "",
  providerProductId: product?.providerProductId ?? "",
  kind: product?.kind ?? "subscription",
  features: product?.features ?? [],
  grants: (product?.grants ?? []).map(({ name, quantity }) => ({ name, quantity: String(quantity) })),
});

function Form({ product, etag, onClose }: { product: Product | null; etag: string | undefined; onClose: () => void }): ReactNode {
  const t = useT("billing");
  const common = useT("common");
  const { billing } = useClients();
  const stepUp = useStepUp();
  const [draft, setDraft] = useState(() => draftOf(product));
  const { run, pending, error } = useAttempt();
  const [deleting, setDeleting] = useState(false);
  const errors = fieldErrors(error);
  const set = (next: Partial<Draft>): void => setDraft((before) => ({ ...before, ...next }));
  const complete = draft.name.trim() !== "" && draft.providerProductId.trim() !== "" && draft.grants.every((grant) => grant.name.trim() !== "" && Number(grant.quantity) >= 1);
  const save = async (): Promise<void> => {
    const body = { ...draft, name: draft.name.trim(), providerProductId: draft.providerProductId.trim(), grants: draft.grants.map(({ name, quantity }) => ({ name: name.trim(), quantity: Number(quantity) })) };
    await run(async () => {
      await stepUp(() => (product === null ? billing.createProduct(body) : billing.updateProduct(product.productId, body, etag === undefined ? {} : { ifMatch: etag })));
      toast.success(product === null ? t("product.created") : common("state.saved"));
      onClose();
    });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t(product === null ? "product.new" : "product.edit")}
      footer={
        <>
          {product !== null && (
            <Button variant="ghost" className="billing-delete" icon={<Trash2 aria-hidden />} onPress={() => setDeleting(true)}>
              {common("action.delete")}
            </Button>
          )}
          <Button onPress={onClose}>{common("action.cancel")}</Button>
          <Button variant="primary" isPending={pending} isDisabled={!complete} onPress={() => void save()}>
            {common(product === null ? "action.create" : "action.save")}
          </Button>
        </>
      }
    >
      <div className="stack">
        <TextField autoFocus={product === null} label={t("product.name")} value={draft.name} onChange={(name) => set({ name })} maxLength={100} isRequired error={errors["name"]} />
        <TextField
          label={t("column.providerProductId")}
          description={t("product.providerText")}
          value={draft.providerProductId}
          onChange={(providerProductId) => set({ providerProductId })}
          maxLength={255}
          isRequired
          monospace
          autoComplete="off"
          error={errors["providerProductId"]}
        />
        <RadioGroup label={t("column.kind")} value={draft.kind} onChange={(kind) => set({ kind })} options={kinds.map((value) => ({ value, label: t(`kind.${value}`), description: t(`kind.${value}.text`) }))} />
        <Features names={draft.features} onChange={(features) => set({ features })} />
        <Grants grants={draft.grants} onChange={(grants) => set({ grants })} />
        {product !== null && (
          <p className="small muted">
            {t("product.id")}: <CopyableCode text={product.productId} />
          </p>
        )}
        {error !== null && <ErrorNotice error={error} title={t("product.notSaved")} />}
      </div>
      {deleting && product !== null && <DeleteDialog product={product} etag={etag} onClose={() => setDeleting(false)} onDeleted={onClose} />}
    </Dialog>
  );
}

/** Features as chips. Enter or a comma adds one. */
function Features({ names, onChange }: { names: string[]; onChange: (names: string[]) => void }): ReactNode {
  const t = useT("billing");
  const [text, setText] = useState("");
  const add = (value: string): void => {
    const more = value.split(",").map((one) => one.trim()).filter((one) => one !== "" && one.length <= 100 && !names.includes(one));
    if (more.length > 0) onChange([...names, ...new Set(more)].slice(0, 100));
    setText("");
  };
  return (
    <div className="stack-s" role="group" aria-label={t("column.features")}>
      <form
        className="billing-add"
        onSubmit={(event) => {
          event.preventDefault();
          add(text);
        }}
      >
        <TextField className="grow" label={t("column.features")} description={t("product.featuresText")} value={text} onChange={(value) => (value.includes(",") ? add(value) : setText(value))} autoComplete="off" />
        <Button type="submit" icon={<Plus aria-hidden />} isDisabled={text.trim() === ""}>
          {t("add")}
        </Button>
      </form>
      {names.length > 0 && (
        <ul className="billing-chips">
          {names.map((name) => (
            <li key={name} className="billing-chip billing-chip-edit" dir="auto">
              <span className="truncate">{name}</span>
              <IconButton size="s" label={t("remove", { name })} icon={<X aria-hidden />} onPress={() => onChange(names.filter((one) => one !== name))} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Quantities that the product gives, such as 100 credits. */
function Grants({ grants, onChange }: { grants: GrantDraft[]; onChange: (grants: GrantDraft[]) => void }): ReactNode {
  const t = useT("billing");
  const change = (index: number, next: Partial<GrantDraft>): void => onChange(grants.map((grant, at) => (at === index ? { ...grant, ...next } : grant)));
  return (
    <div className="stack-s" role="group" aria-label={t("column.grants")}>
      <span className="field-label">{t("column.grants")}</span>
      <span className="field-description">{t("product.grantsText")}</span>
      {grants.map((grant, index) => (
        <div key={index} className="billing-grant-row">
          <TextField hideLabel label={t("product.quantity")} type="number" min={1} step={1} value={grant.quantity} onChange={(quantity) => change(index, { quantity })} className="billing-quantity" />
          <TextField hideLabel label={t("product.quantityName")} placeholder={t("product.quantityName")} value={grant.name} onChange={(name) => change(index, { name })} maxLength={100} className="grow" />
          <IconButton label={t("remove", { name: grant.name })} icon={<X aria-hidden />} onPress={() => onChange(grants.filter((_, at) => at !== index))} />
        </div>
      ))}
      <span>
        <Button size="s" icon={<Plus aria-hidden />} isDisabled={grants.length >= 100} onPress={() => onChange([...grants, { name: "", quantity: "1" }])}>
          {t("product.addQuantity")}
        </Button>
      </span>
    </div>
  );
}

function DeleteDialog({ product, etag, onClose, onDeleted }: { product: Product; etag: string | undefined; onClose: () => void; onDeleted: () => void }): ReactNode {
  const t = useT("billing");
  const { billing } = useClients();
  const stepUp = useStepUp();
  const run = async (): Promise<void> => {
    await stepUp(() => billing.deleteProduct(product.productId, etag === undefined ? {} : { ifMatch: etag }), { fresh: true });
    toast.success(t("product.deleted"));
    onDeleted();
  };
  return (
    <ConfirmDialog isOpen onClose={onClose} title={t("product.deleteTitle")} confirmLabel={t("product.delete")} typeToConfirm={product.providerProductId} onConfirm={run}>
      <p>{t("product.deleteText")}</p>
    </ConfirmDialog>
  );
}
