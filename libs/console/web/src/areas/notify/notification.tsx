import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Ban, ChevronLeft, RotateCw } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { useClients } from "../../session/index.ts";
import { NotFound } from "../../shell/shell.tsx";
import { Badge, Button, Card, ConfirmDialog, CopyableCode, DataTable, DateTime, EmptyState, isNotFound, KeyValueList, LinkButton, Notice, PageHeader, QueryState, readAgain, TimeAgo, toast, type Column, type Tone } from "../../ui/index.ts";
import { ChannelLabel, DeviceLabel, StatusBadge, useReason } from "./labels.tsx";
import { templateHref, type DeviceDelivery, type Notification } from "./model.ts";
import { keys, useEvents, useNotification, useTemplates } from "./queries.ts";

/** One notification: its status, its history, and for a push the result for each device. */
export function NotificationPage({ id }: { id: string }): ReactNode {
  const t = useT("notify");
  const query = useNotification(id);
  if (isNotFound(query.error)) return <NotFound title={t("notification.unknown")} text={t("notification.unknownText")} action={<LinkButton href="/console/notify">{t("notification.back")}</LinkButton>} />;
  return <QueryState query={query}>{(notification) => <Content notification={notification} />}</QueryState>;
}

function Content({ notification }: { notification: Notification }): ReactNode {
  const t = useT("notify");
  const formats = useFormats();
  const { notify } = useClients();
  const client = useQueryClient();
  const explain = useReason();
  const templates = useTemplates();
  const [asking, setAsking] = useState(false);
  const { notificationId: id, status, channel, to, templateName, failureReason } = notification;
  const template = templates.data?.find((one) => one.name === templateName);
  const store = (value: Notification): void => {
    client.setQueryData(keys.notification(id), value);
    // The history too: a retry leads back to a state whose history is known, but incomplete.
    void client.invalidateQueries({ queryKey: keys.notification(id) });
    void readAgain(client, keys.notifications);
  };
  const retry = useMutation({
    mutationFn: async () => notify.retryNotification(id),
    meta: { errorTitle: t("notification.notRetried") },
    onSuccess: (value) => {
      store(value);
      toast.success(t("notification.retried"));
    },
  });
  const waits = status === "queued" && notification.sendAt !== null && Date.parse(notification.sendAt) > Date.now();
  return (
    <>
      <PageHeader
        title={to}
        before={
          <Link href="/console/notify">
            <ChevronLeft aria-hidden className="flip" />
            {t("notification.back")}
          </Link>
        }
        description={
          <span className="row wrap">
            <StatusBadge status={status} />
            <ChannelLabel channel={channel} />
            <span className="faint">{formats.dateTime(notification.createdAt)}</span>
          </span>
        }
        actions={
          <>
            {status === "queued" && (
              <Button icon={<Ban aria-hidden />} onPress={() => setAsking(true)}>
                {t("notification.cancel")}
              </Button>
            )}
            {status === "failed" && (
              <Button variant="primary" icon={<RotateCw aria-hidden />} isPending={retry.isPending} onPress={() => retry.mutate()}>
                {t("notification.retry")}
              </Button>
            )}
          </>
        }
      />
      <div className="stack">
        {failureReason && (
          <Notice tone="warning" title={t("notification.failed")}>
            {explain(failureReason) && <p>{explain(failureReason)}</p>}
            <code dir="auto">{failureReason}</code>
          </Notice>
        )}
        {waits && <Notice title={t("notification.waits", { time: formats.dateTime(notification.sendAt!) })} />}
        <div className="notify-detail">
          <Card title={t("notification.history")}>
            <History notification={notification} />
          </Card>
          <Card title={t("notification.facts")}>
            <KeyValueList
              items={[
                { label: t("column.recipient"), value: <CopyableCode text={to} /> },
                { label: t("column.template"), value: template ? <Link href={templateHref(template.templateId)}>{templateName}</Link> : templateName },
                { label: t("column.channel"), value: <ChannelLabel channel={channel} /> },
                { label: t("column.created"), value: <DateTime value={notification.createdAt} /> },
                { label: t("notification.sendAt"), value: notification.sendAt ? <DateTime value={notification.sendAt} /> : t("notification.atOnce") },
                { label: t("column.attempts"), value: formats.number(notification.attempts) },
                { label: t("column.id"), value: <CopyableCode text={id} /> },
              ]}
            />
          </Card>
        </div>
        {channel === "push" && (
          <Card title={t("notification.devices")} description={t("notification.devicesText")} flush>
            <Devices deliveries={notification.deliveries ?? []} failed={status === "failed"} />
          </Card>
        )}
      </div>
      {asking && (
        <ConfirmDialog
          isOpen
          onClose={() => setAsking(false)}
          title={t("notification.cancelTitle")}
          confirmLabel={t("notification.cancel")}
          onConfirm={async () => {
            store(await notify.cancelNotification(id));
            toast.success(t("notification.cancelled"));
          }}
        >
          <p>{t("notification.cancelText", { to })}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function History({ notification }: { notification: Notification }): ReactNode {
  const t = useT("notify");
  const explain = useReason();
  const { items, query } = useEvents(notification);
  return (
    <QueryState query={query}>
      {() => (
        <ol className="notify-timeline">
          {items.map((event, index) => (
            <li key={`${event.at}${event.status}${index}`} className={`notify-event notify-event-${event.status}`}>
              <span className="notify-event-mark" aria-hidden />
              <div>
                <strong>{t(`event.${event.status}`)}</strong>
                {event.detail && (
                  <span className="notify-event-detail" dir="auto">
                    {explain(event.detail) ?? event.detail}
                  </span>
                )}
              </div>
              <span className="small muted">
                <DateTime value={event.at} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </QueryState>
  );
}

const deliveryTones: Record<DeviceDelivery["status"], Tone> = { pending: "warning", sent: "success", invalid: "neutral", failed: "danger" };

function Devices({ deliveries, failed }: { deliveries: DeviceDelivery[]; failed: boolean }): ReactNode {
  const t = useT("notify");
  const explain = useReason();
  const columns: Column<DeviceDelivery>[] = [
    { id: "token", header: t("device.token"), phone: "title", width: "minmax(0, 1fr)", csv: (one) => one.token, cell: (one) => <code className="truncate notify-token" title={one.token}>{one.token}</code> },
    { id: "platform", header: t("device.platform"), width: "116px", csv: (one) => one.platform, cell: (one) => <DeviceLabel platform={one.platform} /> },
    { id: "status", header: t("column.status"), width: "128px", csv: (one) => one.status, cell: (one) => <Badge tone={deliveryTones[one.status]} dot>{t(`delivery.${one.status}`)}</Badge> },
    { id: "reason", header: t("column.reason"), width: "minmax(0, 1fr)", csv: (one) => one.reason, cell: (one) => one.reason ? <span title={one.reason}>{explain(one.reason) ?? one.reason}</span> : <span className="faint">—</span> },
    { id: "changed", header: t("column.changed"), width: "116px", phone: "hidden", csv: (one) => one.updatedAt, cell: (one) => <span className="small muted nowrap"><TimeAgo value={one.updatedAt} /></span> },
  ];
  return <DataTable label={t("notification.devices")} columns={columns} source={{ items: deliveries }} rowId={(one) => one.token} empty={<EmptyState title={t(failed ? "notification.noDeviceAtAll" : "notification.noDevices")} text={t(failed ? "notification.noDeviceAtAllText" : "notification.noDevicesText")} />} />;
}
