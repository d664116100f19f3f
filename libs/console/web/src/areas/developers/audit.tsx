import { ScrollText, SearchX, X } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { Link, useSearch } from "../../router/index.tsx";
import { isAccountId, useEmail, useMe } from "../../session/index.ts";
import { Button, CopyableCode, DataTable, DateTime, Dialog, EmptyState, JsonView, KeyValueList, PageHeader, RadioGroup, SearchField, Select, useDelayed, type Column } from "../../ui/index.ts";
import { DeveloperTabs, Live, useServiceOptions } from "./labels.tsx";
import { actorOf, auditActions, changesOf, periods, readAuditFilter, type AuditEntry, type AuditFilter, type Service } from "./model.ts";
import { useAudit, useServices } from "./queries.ts";

/** Who made a change. Staff are shown by their email. */
function Actor({ entry }: { entry: AuditEntry }): ReactNode {
  const t = useT("developers");
  const me = useMe();
  const { kind, name } = actorOf(entry.actor);
  const email = useEmail(name, kind === "user" && entry.actorRole !== "user" && name !== me.sub);
  if (kind !== "user") return t(`actor.${kind}`, { name });
  return name === me.sub ? t("actor.you", { name: me.email }) : (email ?? name);
}

function useColumns(): Column<AuditEntry>[] {
  const t = useT("developers");
  return useMemo(
    () => [
      { id: "time", header: t("column.time"), width: "172px", csv: (one) => one.createdAt, cell: (one) => <span className="small muted nowrap"><DateTime value={one.createdAt} /></span> },
      { id: "action", header: t("column.action"), phone: "title", width: "minmax(0, 1fr)", csv: (one) => one.action, cell: (one) => <code dir="ltr">{one.action}</code> },
      { id: "actor", header: t("column.actor"), width: "minmax(0, 1.3fr)", csv: (one) => one.actor, cell: (one) => <span className="truncate dev-block" dir="auto" title={one.actor}><Actor entry={one} /></span> },
      { id: "role", header: t("column.role"), csv: (one) => one.actorRole },
      {
        id: "subject",
        header: t("column.subject"),
        width: "minmax(0, 1.3fr)",
        csv: (one) => one.subjectId,
        cell: (one) => (
          <span className="small muted truncate dev-block" dir="auto" title={one.subjectId}>
            {one.subjectType} {one.subjectId}
          </span>
        ),
      },
      { id: "subject-type", header: t("column.subjectType"), csv: (one) => one.subjectType },
      { id: "before", header: t("change.before"), csv: (one) => one.before && JSON.stringify(one.before) },
      { id: "after", header: t("change.after"), csv: (one) => one.after && JSON.stringify(one.after) },
      { id: "request", header: t("column.request"), csv: (one) => one.requestId },
      { id: "id", header: t("column.id"), csv: (one) => one.auditId },
    ],
    [t],
  );
}

/** Who changed what, in one service. */
export function Audit(): ReactNode {
  const t = useT("developers");
  const of = useServices();
  const [params, setSearch] = useSearch();
  const service = of.find((one) => one === params.get("service")) ?? of[0]!;
  const filter = useMemo(() => readAuditFilter(params), [params]);
  const pages = useAudit(service, filter);
  const columns = useColumns();
  const [open, setOpen] = useState<AuditEntry | null>(null);
  const narrowed = filter.actor.trim() !== "" || filter.action !== "" || filter.period !== "";
  const clear = (): void => setSearch({ actor: null, action: null, period: null });
  return (
    <>
      <PageHeader title={t("tabs.audit")} description={t("audit.text")} tabs={<DeveloperTabs />} />
      <div className="stack">
        <Filters service={service} of={of} filter={filter} entries={pages.items} onChange={setSearch} onClear={narrowed ? clear : undefined} />
        <DataTable
          label={t("tabs.audit")}
          columns={columns}
          source={pages}
          rowId={(one) => one.auditId}
          onRowPress={setOpen}
          csvName={`audit-${service}`}
          toolbar={<Live />}
          empty={
            narrowed ? (
              <EmptyState icon={<SearchX aria-hidden />} title={t("audit.nothingFound")} text={t("audit.nothingFoundText")} action={<Button onPress={clear}>{t("filter.clear")}</Button>} />
            ) : (
              <EmptyState icon={<ScrollText aria-hidden />} title={t("audit.none")} text={t("audit.noneText")} />
            )
          }
        />
      </div>
      {open && <EntryDialog entry={open} onFilter={(changes) => (setOpen(null), setSearch(changes))} onClose={() => setOpen(null)} />}
    </>
  );
}

interface FiltersProps {
  service: Service;
  of: readonly Service[];
  filter: AuditFilter;
  entries: readonly AuditEntry[];
  onChange: (changes: Record<string, string | null>) => void;
  onClear: (() => void) | undefined;
}

function Filters({ service, of, filter, entries, onChange, onClear }: FiltersProps): ReactNode {
  const t = useT("developers");
  const services = useServiceOptions(of);
  const [actor, setActor, flush] = useDelayed(filter.actor, (value) => onChange({ actor: value }));
  const actions = useMemo(() => [...new Set([...auditActions[service], ...entries.map((one) => one.action), ...(filter.action ? [filter.action] : [])])].sort(), [service, entries, filter.action]);
  return (
    <div className="filters" role="search" aria-label={t("filter.label")}>
      <RadioGroup label={t("column.service")} hideLabel look="segments" className="dev-segments" value={service} onChange={(next) => onChange({ service: next, action: null })} options={services} />
      <Select label={t("column.action")} hideLabel size="s" value={filter.action || "all"} onChange={(next) => onChange({ action: next === "all" ? null : next })} options={[{ value: "all", label: t("filter.anyAction") }, ...actions.map((value) => ({ value, label: value }))]} />
      <Select
        label={t("filter.period")}
        hideLabel
        size="s"
        value={filter.period || "all"}
        onChange={(next) => onChange({ period: next === "all" ? null : next })}
        options={[{ value: "all" as const, label: t("filter.anyTime") }, ...periods.map((value) => ({ value, label: t(`period.${value}`) }))]}
      />
      <SearchField label={t("filter.actor")} placeholder={t("filter.actorPlaceholder")} value={actor} onChange={setActor} onSubmit={flush} />
      {onClear && (
        <Button size="s" variant="ghost" icon={<X aria-hidden />} onPress={onClear}>
          {t("filter.clear")}
        </Button>
      )}
    </div>
  );
}

/** Longer texts can be higher than their place. Then the keyboard must be able to scroll them. */
const maxShort = 150;

/** A value of a change as text. */
function Value({ value }: { value: unknown }): ReactNode {
  if (value === undefined) return "—";
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return (
    <pre dir="auto" tabIndex={text.length > maxShort ? 0 : undefined}>
      {text}
    </pre>
  );
}

function EntryDialog({ entry, onFilter, onClose }: { entry: AuditEntry; onFilter: (changes: Record<string, string>) => void; onClose: () => void }): ReactNode {
  const t = useT("developers");
  const common = useT("common");
  const changes = changesOf(entry);
  const { kind, name } = actorOf(entry.actor);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={entry.action}
      size="l"
      footer={
        <>
          <Button onPress={() => onFilter({ action: entry.action })}>{t("audit.sameAction")}</Button>
          <Button onPress={() => onFilter({ actor: entry.actor })}>{t("audit.sameActor")}</Button>
          <Button variant="primary" onPress={onClose}>
            {common("action.close")}
          </Button>
        </>
      }
    >
      <div className="stack">
        <div className="columns">
          <KeyValueList
            items={[
              { label: t("column.actor"), value: kind === "user" && isAccountId(name) ? <Link href={`/console/users/${name}`}><Actor entry={entry} /></Link> : <Actor entry={entry} />, key: "actor" },
              { label: t("column.role"), value: entry.actorRole === "system" ? t("role.system") : common(`role.${entry.actorRole}`), key: "role" },
              { label: t("column.time"), value: <DateTime value={entry.createdAt} />, key: "time" },
            ]}
          />
          <KeyValueList
            items={[
              { label: t("column.subjectType"), value: <code dir="ltr">{entry.subjectType}</code>, key: "type" },
              { label: t("column.subject"), value: entry.subjectId && <CopyableCode text={entry.subjectId} />, key: "subject" },
              { label: t("column.request"), value: entry.requestId && <CopyableCode text={entry.requestId} />, key: "request" },
            ]}
          />
        </div>
        {changes.length === 0 ? (
          <p className="muted">{t("change.none")}</p>
        ) : (
          <div className="dev-changes" role="region" aria-label={t("change.title")} tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t("change.field")}</th>
                  {entry.before && <th scope="col">{t("change.before")}</th>}
                  {entry.after && <th scope="col">{t("change.after")}</th>}
                </tr>
              </thead>
              <tbody>
                {changes.map((one) => (
                  <tr key={one.name}>
                    <th scope="row" dir="auto">
                      {one.name}
                    </th>
                    {entry.before && (
                      <td>
                        <Value value={one.before} />
                      </td>
                    )}
                    {entry.after && (
                      <td>
                        <Value value={one.after} />
                      </td>
                    )}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
        <details className="dev-details">
          <summary>{t("audit.entry")}</summary>
          <JsonView value={entry} label={t("audit.entry")} />
        </details>
      </div>
    </Dialog>
  );
}
