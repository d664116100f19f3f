import { KeyRound, Plus, RefreshCw, Trash2 } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { useSearch } from "../../router/index.tsx";
import { useMe } from "../../session/index.ts";
import { Badge, Button, DataTable, DateTime, EmptyState, IconButton, Notice, PageHeader, TimeAgo, type Column } from "../../ui/index.ts";
import { KeyDialog, RevokeDialog } from "./key-dialogs.tsx";
import { DeveloperTabs, MergedState, ServiceFilter, ServiceLabel } from "./labels.tsx";
import { keyServices, mayManageKeys, type KeyRecord, type KeyService } from "./model.ts";
import { useKeys, useServices, type Of } from "./queries.ts";

type Row = Of<KeyRecord>;

function useColumns(onRevoke: (row: Row) => void): Column<Row>[] {
  const t = useT("developers");
  return useMemo(
    () => [
      {
        id: "prefix",
        header: t("column.key"),
        phone: "title",
        width: "minmax(150px, 1fr)",
        csv: (key) => key.prefix,
        cell: (key) => (
          <span className="row wrap">
            <code dir="ltr">{key.prefix}…</code>
            {key.expiresAt && (
              <Badge tone="warning">
                <span>
                  {t("key.ends")} <TimeAgo value={key.expiresAt} />
                </span>
              </Badge>
            )}
          </span>
        ),
      },
      { id: "service", header: t("column.service"), width: "180px", csv: (key) => key.service, cell: (key) => <ServiceLabel service={key.service} /> },
      { id: "kind", header: t("column.kind"), width: "150px", csv: (key) => key.kind ?? "secret", cell: (key) => <Badge tone={key.kind === "publishable" ? "info" : "neutral"}>{t(`kind.${key.kind ?? "secret"}`)}</Badge> },
      { id: "created", header: t("column.created"), width: "180px", phone: "hidden", csv: (key) => key.createdAt, cell: (key) => <span className="small muted nowrap"><DateTime value={key.createdAt} /></span> },
      {
        id: "used",
        header: t("column.used"),
        width: "150px",
        csv: (key) => key.lastUsedAt,
        cell: (key) => <span className="small muted nowrap">{key.lastUsedAt ? <TimeAgo value={key.lastUsedAt} /> : t("key.unused")}</span>,
      },
      { id: "expires", header: t("column.expires"), csv: (key) => key.expiresAt },
      { id: "environment", header: t("column.environment"), csv: (key) => key.environment },
      { id: "actions", header: t("column.actions"), width: "76px", align: "end", cell: (key) => <IconButton size="s" label={t("key.revokeOf", { prefix: key.prefix })} icon={<Trash2 aria-hidden />} onPress={() => onRevoke(key)} /> },
    ],
    [t, onRevoke],
  );
}

/** The keys with which backends and apps call the services. */
export function Keys(): ReactNode {
  const t = useT("developers");
  const { role } = useMe();
  const configured = useServices();
  const of = useMemo(() => keyServices.filter((service) => configured.includes(service) && mayManageKeys(service, role)), [configured, role]);
  const merged = useKeys(of);
  const [params, setSearch] = useSearch();
  const service = of.find((one) => one === params.get("service")) ?? "";
  const [open, setOpen] = useState<"new" | "replace" | Row | null>(null);
  const columns = useColumns(setOpen);
  const rows = useMemo(() => (service ? merged.items.filter((key) => key.service === service) : merged.items), [merged, service]);
  const create = (
    <Button variant="primary" icon={<Plus aria-hidden />} onPress={() => setOpen("new")}>
      {t("key.create")}
    </Button>
  );
  const close = (): void => setOpen(null);
  return (
    <>
      <PageHeader title={t("title")} description={t("keys.text")} actions={of.length > 0 && create} tabs={<DeveloperTabs />} />
      <div className="stack">
        {of.length > 0 && (
          <MergedState merged={merged} title={(name) => t("keys.failed", { service: name })}>
            <DataTable
              label={t("tabs.keys")}
              columns={columns}
              source={{ items: rows }}
              rowId={(key) => `${key.service} ${key.prefix}`}
              csvName="api-keys"
              toolbar={
                <>
                  <ServiceFilter<KeyService> of={of} value={service} onChange={(next) => setSearch({ service: next })} />
                  {merged.items.length > 0 && (
                    <Button size="s" icon={<RefreshCw aria-hidden />} onPress={() => setOpen("replace")}>
                      {t("key.replace")}
                    </Button>
                  )}
                </>
              }
              empty={
                service ? (
                  <EmptyState icon={<KeyRound aria-hidden />} title={t("keys.noneOf", { service: t(`service.${service}`) })} text={t("keys.noneText")} action={create} />
                ) : (
                  <EmptyState icon={<KeyRound aria-hidden />} title={t("keys.none")} text={t("keys.noneText")} action={create} />
                )
              }
            />
          </MergedState>
        )}
        {!mayManageKeys("auth", role) && (
          <Notice title={t("keys.ownerOnly")}>
            <p>{t("keys.ownerOnlyText")}</p>
          </Notice>
        )}
        {configured.includes("feedback") && (
          <Notice title={t("keys.operator")}>
            <p>{t("keys.operatorText")}</p>
          </Notice>
        )}
      </div>
      {(open === "new" || open === "replace") && <KeyDialog replaces={open === "replace"} of={of} preset={service} onClose={close} />}
      {open !== null && typeof open === "object" && <RevokeDialog record={open} onClose={close} />}
    </>
  );
}
