import { LogOut, MonitorSmartphone } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { Button, Card, QueryState, TimeAgo } from "../../ui/index.ts";
import { nameOfAgent, type Member } from "./model.ts";
import { CardEmpty } from "./service-cards.tsx";
import { useSignIn } from "./queries.ts";

const few = 5;

/** The sessions that are open now. */
export function SessionsCard({ member, onEnd }: { member: Member; onEnd: (() => void) | undefined }): ReactNode {
  const t = useT("users");
  const common = useT("common");
  const formats = useFormats();
  const query = useSignIn(member.userId);
  const [all, setAll] = useState(false);
  const count = query.data?.sessions.length ?? 0;
  return (
    <Card
      title={t("sessions.title")}
      flush
      actions={
        count > 0 &&
        onEnd && (
          <Button size="s" icon={<LogOut aria-hidden />} onPress={onEnd}>
            {t("action.endSessions")}
          </Button>
        )
      }
    >
      <QueryState query={query}>
        {({ sessions }) =>
          sessions.length === 0 ? (
            <CardEmpty>{t("sessions.none")}</CardEmpty>
          ) : (
            <>
              <ul className="users-rows">
                {sessions.slice(0, all ? undefined : few).map((session) => (
                  <li key={session.sessionId} className="users-row">
                    <MonitorSmartphone aria-hidden className="users-row-icon" />
                    <span className="users-row-main">
                      <span className="strong" title={session.userAgent}>
                        <bdi>{nameOfAgent(session.userAgent) || t("sessions.unknown")}</bdi>
                      </span>
                      <span className="users-row-detail">
                        <span>
                          <bdi dir="ltr">{session.address}</bdi>
                        </span>
                        <span>{session.clientId ? t("sessions.client", { client: session.clientId }) : t("sessions.direct")}</span>
                        {session.amr.includes("mfa") && <span>{t("sessions.mfa")}</span>}
                      </span>
                    </span>
                    <span className="users-row-end" title={formats.exact(session.createdAt)}>
                      <TimeAgo value={session.lastUsedAt} />
                    </span>
                  </li>
                ))}
              </ul>
              {sessions.length > few && !all && (
                <div className="users-card-foot">
                  <Button size="s" variant="ghost" onPress={() => setAll(true)}>
                    {common("action.showAll")}
                  </Button>
                </div>
              )}
            </>
          )
        }
      </QueryState>
    </Card>
  );
}
