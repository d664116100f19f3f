import { SearchX, UserPlus, UserRound, X } from "lucide-react";
import { useMemo, useRef, useState, type ReactNode, type RefObject } from "react";
import { useT } from "../../i18n/index.ts";
import { navigate, useSearch } from "../../router/index.tsx";
import { useIsOwner, useMe } from "../../session/index.ts";
import { Avatar, Button, DataTable, DateTime, EmptyState, LinkButton, PageHeader, RowLink, SearchField, Select, useDelayed, useShortcuts, type Column } from "../../ui/index.ts";
import { InviteDialog } from "./invite-dialog.tsx";
import { EmailText, RoleBadge, StatusBadge } from "./labels.tsx";
import { isAccountId, readFilter, roles, statuses, userHref, type Filter, type Member } from "./model.ts";
import { useMembers } from "./queries.ts";
import { UsersTabs } from "./tabs.tsx";

function useColumns(): Column<Member>[] {
  const t = useT("users");
  const me = useMe();
  return useMemo(
    () => [
      {
        id: "email",
        header: t("column.user"),
        phone: "title",
        width: "minmax(0, 1fr)",
        csv: (member) => member.email,
        cell: (member) => (
          <div className="users-person">
            <Avatar name={member.email} />
            <span className="users-person-text">
              <RowLink href={userHref(member.userId)}>
                <EmailText email={member.email} />
              </RowLink>
              {(member.userId === me.sub || (!member.emailVerified && member.status === "active")) && (
                <span className="users-person-detail">{member.userId === me.sub ? t("list.you") : t("account.unverified")}</span>
              )}
            </span>
          </div>
        ),
      },
      { id: "role", header: t("column.role"), width: "110px", csv: (member) => member.role, cell: (member) => <RoleBadge role={member.role} /> },
      { id: "status", header: t("column.status"), width: "130px", csv: (member) => member.status, cell: (member) => <StatusBadge status={member.status} /> },
      { id: "phone", header: t("column.phone"), width: "150px", phone: "hidden", csv: (member) => member.phone, cell: (member) => <span className="small" dir="ltr">{member.phone ?? <span className="faint">—</span>}</span> },
      { id: "created", header: t("column.created"), width: "180px", csv: (member) => member.createdAt, cell: (member) => <span className="small muted nowrap"><DateTime value={member.createdAt} /></span> },
      { id: "verified", header: t("column.verified"), csv: (member) => member.emailVerified },
      { id: "phone-verified", header: t("column.sms"), csv: (member) => member.phoneVerified },
      { id: "updated", header: t("column.updated"), csv: (member) => member.updatedAt },
      { id: "id", header: t("column.id"), csv: (member) => member.userId },
    ],
    [t, me.sub],
  );
}

function Filters({ filter, onChange, searchInput }: { filter: Filter; onChange: (changes: Partial<Filter>) => void; searchInput: RefObject<HTMLInputElement | null> }): ReactNode {
  const t = useT("users");
  const common = useT("common");
  const [q, setQ, flush] = useDelayed(filter.q, (value) => onChange({ q: value }));
  return (
    <div className="filters users-filters" role="search" aria-label={t("filter.label")}>
      <SearchField label={t("filter.search")} value={q} onChange={setQ} onSubmit={flush} inputRef={searchInput} />
      <Select
        label={t("column.role")}
        hideLabel
        size="s"
        value={filter.role || "all"}
        onChange={(role) => onChange({ role: role === "all" ? "" : role })}
        options={[{ value: "all", label: t("filter.anyRole") }, ...roles.map((value) => ({ value, label: common(`role.${value}`) }))]}
      />
      <Select
        label={t("column.status")}
        hideLabel
        size="s"
        value={filter.status || "all"}
        onChange={(status) => onChange({ status: status === "all" ? "" : status })}
        options={[{ value: "all", label: t("filter.anyStatus") }, ...statuses.map((value) => ({ value, label: t(`status.${value}`) }))]}
      />
      {(filter.q || filter.role || filter.status) && (
        <Button size="s" variant="ghost" icon={<X aria-hidden />} onPress={() => onChange({ q: "", role: "", status: "" })}>
          {t("filter.clear")}
        </Button>
      )}
    </div>
  );
}

function Empty({ filter, onClear, onInvite }: { filter: Filter; onClear: () => void; onInvite: (() => void) | undefined }): ReactNode {
  const t = useT("users");
  const q = filter.q.trim();
  // A user without an account can have threads, notifications and entitlements.
  if (isAccountId(q))
    return <EmptyState icon={<SearchX aria-hidden />} title={t("list.noAccount")} text={t("list.noAccountText")} action={<LinkButton href={userHref(q)}>{t("list.openId")}</LinkButton>} />;
  if (q || filter.role || filter.status)
    return <EmptyState icon={<SearchX aria-hidden />} title={t("list.nothingFound")} text={t("list.nothingFoundText")} action={<Button onPress={onClear}>{t("filter.clear")}</Button>} />;
  return (
    <EmptyState
      icon={<UserRound aria-hidden />}
      title={t("list.empty")}
      text={t("list.emptyText")}
      action={onInvite && <Button variant="primary" onPress={onInvite}>{t("invite.action")}</Button>}
    />
  );
}

/** The list of users. */
export function UserList(): ReactNode {
  const t = useT("users");
  const isOwner = useIsOwner();
  const [params, setSearch] = useSearch();
  const filter = useMemo(() => readFilter(params), [params]);
  const pages = useMembers(filter);
  const columns = useColumns();
  const searchInput = useRef<HTMLInputElement>(null);
  const [active, setActive] = useState<string | null>(null);
  const [inviting, setInviting] = useState(false);
  const users = pages.items;
  const change = (changes: Partial<Filter>): void => {
    setActive(null);
    setSearch({ ...changes });
  };
  const move = (by: number): void => {
    const index = users.findIndex((member) => member.userId === active);
    setActive(users[Math.min(users.length - 1, Math.max(0, index + by))]?.userId ?? null);
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => active && navigate(userHref(active)),
    "/": () => searchInput.current?.focus(),
  });
  const invite = isOwner ? () => setInviting(true) : undefined;
  return (
    <>
      <PageHeader
        title={t("title")}
        actions={
          invite && (
            <Button variant="primary" icon={<UserPlus aria-hidden />} onPress={invite}>
              {t("invite.action")}
            </Button>
          )
        }
        tabs={<UsersTabs />}
      />
      <DataTable
        label={t("title")}
        columns={columns}
        source={pages}
        rowId={(member) => member.userId}
        rowHref={(member) => userHref(member.userId)}
        activeId={active}
        csvName="users"
        toolbar={<Filters filter={filter} onChange={change} searchInput={searchInput} />}
        empty={<Empty filter={filter} onClear={() => change({ q: "", role: "", status: "" })} onInvite={invite} />}
      />
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
    </>
  );
}
