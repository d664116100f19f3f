import { ArrowLeft, ChevronDown, Download, Gift, KeyRound, LogOut, Mail, Trash2, UserCheck, UserX, UserRoundCog } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { Link, navigate } from "../../router/index.tsx";
import { useConfig, useMe } from "../../session/index.ts";
import { Badge, Button, Card, ErrorNotice, Menu, Notice, PageHeader, Skeleton, type MenuPart } from "../../ui/index.ts";
import { AccountCard, SignInCard } from "./account-cards.tsx";
import { MemberDialog, type MemberAction } from "./actions.tsx";
import { ActivityCard } from "./activity.tsx";
import { EraseDataDialog } from "./erase-data-dialog.tsx";
import { ExportDialog } from "./export-dialog.tsx";
import { RoleBadge, StatusBadge } from "./labels.tsx";
import { allowedFor, services, type Allowed, type Member, type Service } from "./model.ts";
import { useMember } from "./queries.ts";
import { AccessCard, DevicesCard, NotificationsCard, ThreadsCard } from "./service-cards.tsx";
import { SessionsCard } from "./sessions.tsx";

type Open = MemberAction | "export" | "erase-data" | null;
const otherServices = services.filter((service): service is Exclude<Service, "auth"> => service !== "auth");

/** The page of one user: what each of the four services knows. A service that fails leaves out only its own part. */
export function Profile({ id }: { id: string }): ReactNode {
  const t = useT("users");
  const me = useMe();
  const query = useMember(id);
  const [open, setOpen] = useState<Open>(null);
  const member = query.data ?? null;
  const allowed = member && allowedFor(member, me);
  const close = (): void => setOpen(null);
  return (
    <>
      <PageHeader
        before={
          <Link href="/console/users">
            <ArrowLeft aria-hidden className="flip" />
            {t("profile.toList")}
          </Link>
        }
        title={member?.email ?? (query.data === null ? id : t("profile.title"))}
        description={<Summary member={member} isMissing={query.data === null} own={allowed?.own === true} />}
        actions={
          <>
            <Button icon={<Download aria-hidden />} onPress={() => setOpen("export")}>
              {t("export.action")}
            </Button>
            <ActionMenu member={member} allowed={allowed} onOpen={setOpen} />
          </>
        }
      />
      <div className="stack users-notices">
        {query.error && !query.data ? <ErrorNotice error={query.error} title={t("profile.accountFailed")} onRetry={() => void query.refetch()} /> : null}
        {query.data === null && (
          <Notice title={t("profile.noAccount")}>
            <p>{t("profile.noAccountText")}</p>
          </Notice>
        )}
        {allowed?.own && <Notice>{t("profile.ownText")}</Notice>}
        {allowed && !allowed.own && !allowed.erase && <Notice>{t("profile.ownerText")}</Notice>}
        {member?.status === "disabled" && (
          <Notice tone="warning" title={t("profile.disabled")}>
            <p>{t("profile.disabledText")}</p>
            {allowed?.changeStatus && (
              <Button size="s" icon={<UserCheck aria-hidden />} onPress={() => setOpen("enable")}>
                {t("menu.enable")}
              </Button>
            )}
          </Notice>
        )}
        {member?.status === "invited" && (
          <Notice title={t("profile.invited")}>
            <p>{t("profile.invitedText", { email: member.email })}</p>
            {allowed?.changeStatus && (
              <Button size="s" icon={<Mail aria-hidden />} onPress={() => setOpen("invite-again")}>
                {t("action.inviteAgain")}
              </Button>
            )}
          </Notice>
        )}
      </div>
      <div className="users-columns">
        <div className="users-side">
          {query.isPending && (
            <Card title={t("account.title")}>
              <Skeleton lines={5} />
            </Card>
          )}
          {member && <AccountCard member={member} onChangeRole={allowed?.changeRole ? () => setOpen("role") : undefined} />}
          {member && <SignInCard member={member} onReset={allowed?.resetFactors ? () => setOpen("reset") : undefined} />}
          <DevicesCard id={id} />
        </div>
        <div className="users-main">
          <AccessCard id={id} />
          <ThreadsCard id={id} />
          {!query.isPending && <NotificationsCard id={id} member={member} />}
          {member && <SessionsCard member={member} onEnd={allowed?.endSessions ? () => setOpen("end-sessions") : undefined} />}
          {member && <ActivityCard id={id} />}
          {allowed?.erase && <DangerCard title={t("erase.cardTitle")} text={t("erase.cardText")} action={t("action.erase")} onPress={() => setOpen("erase")} />}
          {query.data === null && <DangerCard title={t("eraseData.cardTitle")} text={t("eraseData.cardText")} action={t("eraseData.action")} onPress={() => setOpen("erase-data")} />}
        </div>
      </div>
      {open === "export" && <ExportDialog id={id} services={query.data === null ? otherServices : services} onClose={close} />}
      {open === "erase-data" && <EraseDataDialog id={id} onClose={close} />}
      {member && open !== null && open !== "export" && open !== "erase-data" && <MemberDialog action={open} member={member} onClose={close} />}
    </>
  );
}

function Summary({ member, isMissing, own }: { member: Member | null; isMissing: boolean; own: boolean }): ReactNode {
  const t = useT("users");
  if (isMissing) return <Badge>{t("profile.noAccountBadge")}</Badge>;
  if (!member) return null;
  return (
    <span className="users-summary">
      <RoleBadge role={member.role} />
      <StatusBadge status={member.status} />
      {own && <Badge tone="accent">{t("list.you")}</Badge>}
      {!member.emailVerified && member.status !== "invited" && <Badge tone="warning">{t("account.unverified")}</Badge>}
    </span>
  );
}

/** The actions that the API allows the signed-in user. Others are left out. */
function ActionMenu({ member, allowed, onOpen }: { member: Member | null; allowed: Allowed | null; onOpen: (action: MemberAction) => void }): ReactNode {
  const t = useT("users");
  const { billingUrl } = useConfig();
  if (!member || !allowed) return null;
  const entry = (id: MemberAction, icon: ReactNode, tone?: "danger"): MenuPart => ({ id, label: t(id === "disable" && member.status === "invited" ? "menu.withdraw" : `menu.${id}`), icon, onAction: () => onOpen(id), ...(tone && { tone }) });
  const parts: MenuPart[] = [];
  if (billingUrl !== "") parts.push({ id: "grant", label: t("menu.grant"), icon: <Gift aria-hidden />, onAction: () => navigate(`/console/billing/users/${member.userId}?grant=1`) });
  if (allowed.changeRole) parts.push(entry("role", <UserRoundCog aria-hidden />));
  if (allowed.changeStatus && member.status === "invited") parts.push(entry("invite-again", <Mail aria-hidden />));
  if (allowed.endSessions && member.status === "active") parts.push(entry("end-sessions", <LogOut aria-hidden />));
  if (allowed.resetFactors && member.status !== "invited") parts.push(entry("reset", <KeyRound aria-hidden />));
  if (allowed.changeStatus) parts.push(member.status === "disabled" ? entry("enable", <UserCheck aria-hidden />) : entry("disable", <UserX aria-hidden />));
  if (allowed.erase) parts.push({ id: "line", separator: true }, entry("erase", <Trash2 aria-hidden />, "danger"));
  if (parts.length === 0) return null;
  return (
    <Menu
      label={t("menu.label")}
      trigger={
        <Button variant="secondary" className="users-actions">
          {t("menu.label")}
          <ChevronDown aria-hidden />
        </Button>
      }
      parts={parts}
    />
  );
}

function DangerCard({ title, text, action, onPress }: { title: string; text: string; action: string; onPress: () => void }): ReactNode {
  return (
    <section className="card users-danger">
      <div className="users-danger-text">
        <h2 className="card-title">{title}</h2>
        <p className="muted">{text}</p>
      </div>
      <Button variant="danger" icon={<Trash2 aria-hidden />} onPress={onPress}>
        {action}
      </Button>
    </section>
  );
}
