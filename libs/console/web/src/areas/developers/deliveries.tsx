import { useMutation, useQueryClient } from "@tanstack/react-query";
import { RotateCw, Send } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { useSearch } from "../../router/index.tsx";
import { Button, CopyableCode, DataTable, DateTime, Dialog, EmptyState, ErrorNotice, JsonView, KeyValueList, Notice, QueryState, Select, TimeAgo, toast, type Column } from "../../ui/index.ts";
import { DeliveryBadge, Excerpt, Live } from "./labels.tsx";
import { deliveryStatuses, type Delivery, type DeliveryWithPayload, type Service, type Webhook } from "./model.ts";
import { keys, useApi, useDeliveries, useDelivery } from "./queries.ts";

function useColumns(): Column<Delivery>[] {
  const t = useT("developers");
  return useMemo(
    () => [
      { id: "type", header: t("column.event"), phone: "title", width: "minmax(0, 1.2fr)", csv: (one) => one.eventType, cell: (one) => <code dir="ltr">{one.eventType}</code> },
      { id: "status", header: t("column.status"), width: "112px", csv: (one) => one.status, cell: (one) => <DeliveryBadge status={one.status} /> },
      { id: "code", header: t("column.code"), width: "84px", csv: (one) => one.lastStatus, cell: (one) => one.lastStatus ?? <span className="faint">—</span> },
      { id: "attempts", header: t("column.attempts"), width: "84px", phone: "hidden", csv: (one) => one.attempts, cell: (one) => one.attempts },
      {
        id: "error",
        header: t("column.reason"),
        width: "minmax(0, 1.4fr)",
        csv: (one) => one.lastError,
        cell: (one) => (
          <span className="small muted truncate dev-block" dir="auto" title={one.lastError ?? undefined}>
            {one.status === "pending" && one.attempts > 0 && one.nextAttemptAt ? (
              <>
                {t("delivery.next")} <TimeAgo value={one.nextAttemptAt} />
                {one.lastError && ` · ${one.lastError}`}
              </>
            ) : (
              one.lastError
            )}
          </span>
        ),
      },
      { id: "created", header: t("column.happened"), width: "128px", csv: (one) => one.createdAt, cell: (one) => <span className="small muted nowrap"><TimeAgo value={one.createdAt} /></span> },
      { id: "delivered", header: t("column.delivered"), csv: (one) => one.deliveredAt },
      { id: "next", header: t("column.next"), csv: (one) => one.nextAttemptAt },
      { id: "id", header: t("column.id"), csv: (one) => one.deliveryId },
    ],
    [t],
  );
}

/** The deliveries of a webhook with their live status. */
export function Deliveries({ service, webhook }: { service: Service; webhook: Webhook }): ReactNode {
  const t = useT("developers");
  const [params, setSearch] = useSearch();
  const status = deliveryStatuses.find((one) => one === params.get("status")) ?? "";
  const pages = useDeliveries(service, webhook.webhookId, status);
  const columns = useColumns();
  const [open, setOpen] = useState<Delivery | null>(null);
  return (
    <section className="stack dev-deliveries" aria-label={t("deliveries.title")}>
      <h2 className="dev-heading">{t("deliveries.title")}</h2>
      <DataTable
        label={t("deliveries.title")}
        columns={columns}
        source={pages}
        rowId={(one) => one.deliveryId}
        onRowPress={setOpen}
        csvName="deliveries"
        toolbar={
          <>
            <Select
              label={t("column.status")}
              hideLabel
              size="s"
              value={status || "all"}
              onChange={(next) => setSearch({ status: next === "all" ? null : next })}
              options={[{ value: "all" as const, label: t("filter.anyStatus") }, ...deliveryStatuses.map((value) => ({ value, label: t(`delivery.${value}`) }))]}
            />
            <Live />
          </>
        }
        empty={
          status ? (
            <EmptyState icon={<Send aria-hidden />} title={t("deliveries.nothingFound")} action={<Button onPress={() => setSearch({ status: null })}>{t("filter.clear")}</Button>} />
          ) : (
            <EmptyState icon={<Send aria-hidden />} title={t("deliveries.none")} text={t("deliveries.noneText")} />
          )
        }
      />
      {open && <DeliveryDialog service={service} webhook={webhook} shown={open} onClose={() => setOpen(null)} />}
    </section>
  );
}

function DeliveryDialog({ service, webhook, shown, onClose }: { service: Service; webhook: Webhook; shown: Delivery; onClose: () => void }): ReactNode {
  const t = useT("developers");
  const common = useT("common");
  const formats = useFormats();
  const api = useApi(service);
  const client = useQueryClient();
  const { webhookId } = webhook;
  const { deliveryId } = shown;
  const query = useDelivery(service, webhookId, deliveryId);
  const delivery: Delivery = query.data ?? shown;
  const again = useMutation({
    mutationFn: async () => api.redeliver(webhookId, deliveryId),
    meta: { silent: true },
    onSuccess: (value) => {
      client.setQueryData<DeliveryWithPayload>(keys.delivery(service, webhookId, deliveryId), (before) => before && { ...before, ...value });
      void client.invalidateQueries({ queryKey: keys.deliveries(service, webhookId) });
      toast.success(t("delivery.queued"));
    },
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={delivery.eventType}
      size="l"
      footer={
        <>
          <Button onPress={onClose}>{common("action.close")}</Button>
          <Button variant="primary" icon={<RotateCw aria-hidden />} isPending={again.isPending} isDisabled={!webhook.enabled} onPress={() => again.mutate()}>
            {t("delivery.again")}
          </Button>
        </>
      }
    >
      <div className="stack">
        {!webhook.enabled && <Notice tone="warning" title={t("delivery.disabled")} />}
        {again.error && <ErrorNotice error={again.error} title={t("delivery.notQueued")} />}
        <div className="columns">
          <KeyValueList
            items={[
              { label: t("column.status"), value: <DeliveryBadge status={delivery.status} />, key: "status" },
              { label: t("column.code"), value: delivery.lastStatus, key: "code" },
              { label: t("column.reason"), value: delivery.lastError, key: "reason" },
              { label: t("column.attempts"), value: formats.number(delivery.attempts), key: "attempts" },
            ]}
          />
          <KeyValueList
            items={[
              { label: t("column.happened"), value: <DateTime value={delivery.createdAt} />, key: "created" },
              delivery.status === "pending" ? { label: t("column.next"), value: <TimeAgo value={delivery.nextAttemptAt} />, key: "next" } : { label: t("column.delivered"), value: <DateTime value={delivery.deliveredAt} />, key: "delivered" },
              { label: "webhook-id", value: <CopyableCode text={deliveryId} />, key: "id" },
            ]}
          />
        </div>
        <Excerpt text={delivery.responseExcerpt} />
        <div className="stack-s">
          <h3 className="dev-heading">{t("delivery.payload")}</h3>
          <QueryState query={query}>{({ payload }) => <JsonView value={payload} label={t("delivery.payload")} />}</QueryState>
          <p className="small faint">{t("delivery.payloadText")}</p>
        </div>
      </div>
    </Dialog>
  );
}
