import { Check, Fingerprint, KeyRound, MessageSquare, Minus, Smartphone, TicketCheck } from "lucide-react";
import type { ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { Badge, Button, Card, CopyableCode, DateTime, KeyValueList, QueryState, TimeAgo } from "../../ui/index.ts";
import { EmailText, RoleBadge } from "./labels.tsx";
import type { Member, SignIn } from "./model.ts";
import { useSignIn } from "./queries.ts";

/** The facts of the account. */
export function AccountCard({ member, onChangeRole }: { member: Member; onChangeRole: (() => void) | undefined }): ReactNode {
  const t = useT("users");
  const lastActive = useSignIn(member.userId).data?.lastActive;
  return (
    <Card title={t("account.title")}>
      <KeyValueList
        layout="stacked"
        items={[
          {
            label: t("account.email"),
            value: (
              <span className="row wrap">
                <span className="users-break">
                  <EmailText email={member.email} />
                </span>
                {member.emailVerified ? (
                  <Badge tone="success" icon={<Check aria-hidden />}>
                    {t("account.verified")}
                  </Badge>
                ) : (
                  <Badge tone="warning">{t("account.unverified")}</Badge>
                )}
              </span>
            ),
          },
          {
            label: t("column.role"),
            value: (
              <span className="row">
                <RoleBadge role={member.role} />
                {onChangeRole && (
                  <Button size="s" variant="ghost" onPress={onChangeRole}>
                    {t("action.changeRole")}
                  </Button>
                )}
              </span>
            ),
          },
          { label: t("column.phone"), value: member.phone && <span dir="ltr">{member.phone}</span> },
          ...(lastActive ? [{ label: t("account.lastActive"), value: <TimeAgo value={lastActive} /> }] : []),
          { label: t("column.created"), value: <DateTime value={member.createdAt} /> },
          { label: t("column.updated"), value: <DateTime value={member.updatedAt} /> },
          { label: t("column.id"), value: <CopyableCode text={member.userId} label={t("account.copyId")} /> },
        ]}
      />
    </Card>
  );
}

interface FactorRow {
  id: string;
  icon: ReactNode;
  label: string;
  on: boolean;
  detail?: ReactNode;
}

/** The second factors, passkeys and identities of an account. */
export function SignInCard({ member, onReset }: { member: Member; onReset: (() => void) | undefined }): ReactNode {
  const t = useT("users");
  const query = useSignIn(member.userId);
  const data = query.data;
  const hasFactor = data !== undefined && (data.sms || data.totp || data.passkeys.length > 0);
  return (
    <Card title={t("factors.title")} actions={hasFactor && onReset && <Button size="s" onPress={onReset}>{t("action.reset")}</Button>}>
      <QueryState query={query}>
        {(signIn) => (
          <div className="stack-s">
            {!hasFactor && <p className="muted">{t(member.status === "invited" ? "factors.invited" : "factors.none")}</p>}
            {member.status !== "invited" && <FactorList signIn={signIn} />}
            {signIn.identities.length > 0 && (
              <>
                <h3 className="users-subtitle">{t("factors.identities")}</h3>
                <ul className="users-factors">
                  {signIn.identities.map((identity) => (
                    <li key={identity.identityId}>
                      <KeyRound aria-hidden />
                      <span className="grow">
                        <span dir="auto">{identity.email ?? identity.subject}</span>
                        <span className="users-factor-detail" dir="auto">
                          {identity.issuer}
                        </span>
                      </span>
                    </li>
                  ))}
                </ul>
              </>
            )}
          </div>
        )}
      </QueryState>
    </Card>
  );
}

function FactorList({ signIn }: { signIn: SignIn }): ReactNode {
  const t = useT("users");
  const hasFactor = signIn.sms || signIn.totp || signIn.passkeys.length > 0;
  const rows: FactorRow[] = [
    { id: "totp", icon: <Smartphone aria-hidden />, label: t("factors.totp"), on: signIn.totp },
    { id: "sms", icon: <MessageSquare aria-hidden />, label: t("factors.sms"), on: signIn.sms },
    {
      id: "passkeys",
      icon: <Fingerprint aria-hidden />,
      label: t("factors.passkeys"),
      on: signIn.passkeys.length > 0,
      detail: signIn.passkeys.map((passkey) => passkey.name).join(", "),
    },
    ...(hasFactor ? [{ id: "codes", icon: <TicketCheck aria-hidden />, label: t("factors.codes"), on: signIn.recoveryCodesLeft > 0, detail: t("factors.codesLeft", { count: signIn.recoveryCodesLeft }) }] : []),
    ...(signIn.trustedDevices > 0 ? [{ id: "devices", icon: <Check aria-hidden />, label: t("factors.devices"), on: true, detail: t("factors.devicesCount", { count: signIn.trustedDevices }) }] : []),
  ];
  return (
    <ul className="users-factors">
      {rows.map(({ id, icon, label, on, detail }) => (
        <li key={id} className={on ? undefined : "users-factor-off"}>
          {icon}
          <span className="grow">
            {label}
            {detail && (
              <span className="users-factor-detail" dir="auto">
                {detail}
              </span>
            )}
          </span>
          {on ? (
            <span className="users-on">
              <Check aria-hidden />
              <span className="visually-hidden">{t("factors.on")}</span>
            </span>
          ) : (
            <span className="faint">
              <Minus aria-hidden />
              <span className="visually-hidden">{t("factors.off")}</span>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
