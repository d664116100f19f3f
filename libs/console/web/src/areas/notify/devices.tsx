import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Search, Smartphone, Trash2, Zap } from "lucide-react";
import { useState, type FormEvent, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { useSearch } from "../../router/index.tsx";
import { useClients } from "../../session/index.ts";
import { Button, ConfirmDialog, DataTable, EmptyState, IconButton, Notice, PageHeader, SearchField, TimeAgo, toast, usePages, type Column } from "../../ui/index.ts";
import { DeviceLabel, NotifyTabs, useReason } from "./labels.tsx";
import type { Device } from "./model.ts";
import { keys } from "./queries.ts";

/** The devices of one user, with a test push. */
export function Devices(): ReactNode {
  const t = useT("notify");
  const [params, setSearch] = useSearch();
  const user = params.get("user") ?? "";
  const [text, setText] = useState(user);
  const find = (event?: FormEvent): void => {
    event?.preventDefault();
    setSearch({ user: text.trim() });
  };
  return (
    <>
      <PageHeader title={t("tabs.devices")} description={t("devices.text")} tabs={<NotifyTabs />} />
      <div className="stack">
        <form className="filters notify-filters" role="search" onSubmit={find}>
          <SearchField label={t("devices.search")} placeholder={t("devices.searchPlaceholder")} value={text} onChange={(value) => { setText(value); if (!value) setSearch({ user: null }); }} onSubmit={() => find()} />
          <Button type="submit" icon={<Search aria-hidden />} isDisabled={!text.trim()}>
            {t("devices.find")}
          </Button>
        </form>
        {user ? <List user={user} /> : <EmptyState icon={<Smartphone aria-hidden />} title={t("devices.start")} text={t("devices.startText")} />}
      </div>
    </>
  );
}

function List({ user }: { user: string }): ReactNode {
  const t = useT("notify");
  const { notify } = useClients();
  const client = useQueryClient();
  const explain = useReason();
  const [removing, setRemoving] = useState<Device | null>(null);
  const [result, setResult] = useState<{ token: string; result: "sent" | "invalid" | "failed"; reason: string | null } | null>(null);
  const pages = usePages<Device>(keys.devices(user), (cursor, signal) => notify.listDevices({ userId: user, limit: 100, ...cursor }, { signal }), { keepPrevious: false });
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: keys.devices(user) });
  const test = useMutation({
    mutationFn: async (token: string) => notify.testDevice(token),
    meta: { errorTitle: t("devices.notTested") },
    onMutate: () => setResult(null),
    onSuccess: (answer) => {
      setResult(answer);
      if (answer.result === "invalid") void refresh();
    },
  });
  const columns: Column<Device>[] = [
    { id: "token", header: t("device.token"), phone: "title", width: "minmax(0, 1fr)", csv: (one) => one.token, cell: (one) => <code className="truncate notify-token" title={one.token}>{one.token}</code> },
    { id: "platform", header: t("device.platform"), width: "116px", csv: (one) => one.platform, cell: (one) => <DeviceLabel platform={one.platform} /> },
    { id: "registered", header: t("devices.registered"), width: "128px", csv: (one) => one.updatedAt, cell: (one) => <span className="small muted nowrap"><TimeAgo value={one.updatedAt} /></span> },
    {
      id: "actions",
      header: t("column.actions"),
      width: "148px",
      align: "end",
      cell: (one) => (
        <span className="row">
          <Button size="s" icon={<Zap aria-hidden />} isPending={test.isPending && test.variables === one.token} onPress={() => test.mutate(one.token)}>
            {t("devices.test")}
          </Button>
          <IconButton size="s" label={t("devices.remove")} icon={<Trash2 aria-hidden />} onPress={() => setRemoving(one)} />
        </span>
      ),
    },
  ];
  return (
    <>
      {result && (
        <Notice tone={result.result === "sent" ? "success" : "warning"} title={t(`devices.result.${result.result}`)}>
          {result.reason && <p>{explain(result.reason) ?? <code>{result.reason}</code>}</p>}
          <code className="small notify-token">{result.token}</code>
        </Notice>
      )}
      <DataTable label={t("tabs.devices")} columns={columns} source={pages} rowId={(one) => one.token} csvName="devices" empty={<EmptyState icon={<Smartphone aria-hidden />} title={t("devices.none")} text={t("devices.noneText")} />} />
      {removing && (
        <ConfirmDialog
          isOpen
          onClose={() => setRemoving(null)}
          title={t("devices.removeTitle")}
          confirmLabel={t("devices.remove")}
          onConfirm={async () => {
            await notify.unregisterDevice(removing.token);
            await refresh();
            toast.success(t("devices.removed"));
          }}
        >
          <p>{t("devices.removeText")}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
