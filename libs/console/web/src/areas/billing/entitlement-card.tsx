import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { useClients, useStepUp } from "../../session/index.ts";
import { Button, ConfirmDialog, CopyableCode, DateTime, KeyValueList, toast } from "../../ui/index.ts";
import { AccessBadge, Chips, StatusBadge, useEventName, useOrigin, usePrice } from "./labels.tsx";
import { explain, type Entitlement } from "./model.ts";
import { keys, useProductName } from "./queries.ts";

/** An entitlement in words, with its facts. Grants can be revoked. */
export function EntitlementCard({ entitlement: one }: { entitlement: Entitlement }): ReactNode {
  const t = useT("billing");
  const formats = useFormats();
  const productName = useProductName();
  const origin = useOrigin();
  const priceOf = usePrice();
  const eventName = useEventName();
  const [details, setDetails] = useState(false);
  const [revoking, setRevoking] = useState(false);
  const explanation = explain(one);
  const name = productName(one.providerProductId);
  return (
    <article className="card billing-entitlement" data-active={one.isActive || undefined}>
      <header className="billing-entitlement-head">
        <div className="grow">
          <h3 className="billing-entitlement-name" dir="auto">
            {name}
          </h3>
          <p className="muted small">{origin(one)}</p>
        </div>
        <span className="row wrap">
          <AccessBadge isActive={one.isActive} />
        </span>
      </header>
      <p>{explanation.at === null ? t(`explain.${explanation.key}`, { date: "—" }) : t(`explain.${explanation.key}`, { date: formats.dateTime(explanation.at) })}</p>
      {one.reason && (
        <p className="billing-reason" dir="auto">
          {one.reason}
        </p>
      )}
      {(one.features.length > 0 || one.grants.length > 0) && (
        <div className="billing-entitlement-gives">
          {one.features.length > 0 && <Chips names={one.features} most={8} />}
          {one.grants.length > 0 && <Chips names={one.grants.map((grant) => `${formats.number(grant.quantity)} × ${grant.name}`)} most={8} />}
        </div>
      )}
      {one.productId === null && <p className="small muted">{t("entitlement.notInCatalog")}</p>}
      <div className="row wrap between">
        <Button size="s" variant="ghost" aria-expanded={details} onPress={() => setDetails(!details)}>
          {t(details ? "entitlement.less" : "entitlement.more")}
        </Button>
        {one.source === "manual" && one.status !== "expired" && (
          <Button size="s" onPress={() => setRevoking(true)}>
            {t("revoke.action")}
          </Button>
        )}
      </div>
      {details && (
        <KeyValueList
          items={[
            { label: t("column.status"), value: <StatusBadge status={one.status} />, key: "status" },
            { label: t("column.accessUntil"), value: one.accessUntil === null ? t("access.endless") : <DateTime value={one.accessUntil} />, key: "until" },
            { label: t("entitlement.expiresAt"), value: one.expiresAt === null ? t("access.endless") : <DateTime value={one.expiresAt} />, key: "expires" },
            ...(one.graceUntil ? [{ label: t("entitlement.graceUntil"), value: <DateTime value={one.graceUntil} />, key: "grace" }] : []),
            { label: t("entitlement.purchasedAt"), value: <DateTime value={one.purchasedAt} />, key: "purchased" },
            { label: t("entitlement.willRenew"), value: t(one.willRenew ? "yes" : "no"), key: "renew" },
            { label: t("column.price"), value: priceOf(one), key: "price" },
            ...(one.cancelReason ? [{ label: t("entitlement.cancelReason"), value: <code dir="auto">{one.cancelReason}</code>, key: "cancel" }] : []),
            { label: t("entitlement.lastEvent"), value: t("timeline.event", { name: eventName(one.lastEventType), date: formats.dateTime(one.lastEventAt) }), key: "last" },
            { label: t("column.providerProductId"), value: <CopyableCode text={one.providerProductId} />, key: "provider" },
            ...(one.transactionId ? [{ label: t("entitlement.transactionId"), value: <CopyableCode text={one.transactionId} />, key: "transaction" }] : []),
            { label: t("entitlement.id"), value: <CopyableCode text={one.entitlementId} />, key: "id" },
          ]}
        />
      )}
      {revoking && <RevokeDialog entitlement={one} name={name} onClose={() => setRevoking(false)} />}
    </article>
  );
}

function RevokeDialog({ entitlement, name, onClose }: { entitlement: Entitlement; name: string; onClose: () => void }): ReactNode {
  const t = useT("billing");
  const client = useQueryClient();
  const { billing } = useClients();
  const stepUp = useStepUp();
  const run = async (): Promise<void> => {
    await stepUp(() => billing.revokeGrant(entitlement.userId, entitlement.entitlementId), { fresh: true });
    await client.invalidateQueries({ queryKey: keys.all });
    toast.success(t("revoke.done", { product: name }));
  };
  return (
    <ConfirmDialog isOpen onClose={onClose} title={t("revoke.title")} confirmLabel={t("revoke.action")} onConfirm={run}>
      <p dir="auto">{t("revoke.text", { product: name })}</p>
    </ConfirmDialog>
  );
}
