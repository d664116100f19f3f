import { CircleAlert, CircleCheck, KeyRound } from "lucide-react";
import type { ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { Button, Card, ErrorNotice, Spinner, TimeAgo } from "../../ui/index.ts";
import { nameOfAgent, type Activity } from "./model.ts";
import { useActivity } from "./queries.ts";
import { CardEmpty } from "./service-cards.tsx";

const types = ["sign_in", "reauthentication", "password_changed", "password_reset", "email_changed", "factor_added", "factor_removed", "passkey", "recovery_code_used", "device_trusted", "identity_linked", "identity_unlinked", "account_created", "invitation_accepted", "email_verified", "email_change_requested", "email_reverted", "recovery_codes_replaced"] as const;
const results = ["wrong_password", "wrong_code", "wrong_passkey", "wrong_identity", "counter_regressed", "account_disabled", "email_not_verified"] as const;

/** Sign-ins and changes of factors, newest first. */
export function ActivityCard({ id }: { id: string }): ReactNode {
  const t = useT("users");
  const common = useT("common");
  const { items, query } = useActivity(id);
  return (
    <Card title={t("activity.title")} flush>
      {query.error && !query.data ? (
        <div className="users-card-body">
          <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
        </div>
      ) : !query.data ? (
        <div className="center">
          <Spinner />
        </div>
      ) : items.length === 0 ? (
        <CardEmpty>{t("activity.none")}</CardEmpty>
      ) : (
        <ul className="users-rows">
          {items.map((activity) => (
            <Row key={activity.activityId} activity={activity} />
          ))}
        </ul>
      )}
      {query.isFetchNextPageError && (
        <div className="users-card-body">
          <ErrorNotice error={query.error} onRetry={() => void query.fetchNextPage()} />
        </div>
      )}
      {query.hasNextPage && (
        <div className="users-card-foot">
          <Button size="s" variant="ghost" isPending={query.isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
            {common("table.more")}
          </Button>
        </div>
      )}
    </Card>
  );
}

function Row({ activity: { type, result, ip, userAgent, at } }: { activity: Activity }): ReactNode {
  const t = useT("users");
  const succeeded = result === "success";
  const knownType = types.find((one) => one === type);
  const knownResult = results.find((one) => one === result);
  const Icon = !succeeded ? CircleAlert : type === "sign_in" || type === "reauthentication" ? CircleCheck : KeyRound;
  return (
    <li className="users-row">
      <Icon aria-hidden className={`users-row-icon${succeeded ? "" : " users-row-refused"}`} />
      <span className="users-row-main">
        <span className="strong">{knownType ? t(`activity.${knownType}`) : type}</span>
        <span className="users-row-detail">
          {!succeeded && <span className="users-refused">{knownResult ? t(`result.${knownResult}`) : result}</span>}
          {ip && (
            <span>
              <bdi dir="ltr">{ip}</bdi>
            </span>
          )}
          {userAgent && (
            <span title={userAgent}>
              <bdi>{nameOfAgent(userAgent)}</bdi>
            </span>
          )}
        </span>
      </span>
      <span className="users-row-end">
        <TimeAgo value={at} />
      </span>
    </li>
  );
}
