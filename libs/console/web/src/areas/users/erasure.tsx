import { useMutation } from "@tanstack/react-query";
import { ArrowLeft, CircleCheck, CircleX, LoaderCircle } from "lucide-react";
import type { ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { useClients, useStepUp } from "../../session/index.ts";
import { NotFound } from "../../shell/shell.tsx";
import { Button, Card, CopyableCode, DateTime, ErrorNotice, isNotFound, KeyValueList, LinkButton, Notice, PageHeader, Progress, Spinner, toast } from "../../ui/index.ts";
import { ErasureBadge } from "./labels.tsx";
import { progressOf, stateOf, type Erasure, type ErasureTarget } from "./model.ts";
import { useErasure } from "./queries.ts";

/** The progress of an erasure in each service. */
export function ErasurePage({ id }: { id: string }): ReactNode {
  const t = useT("users");
  const query = useErasure(id);
  if (query.data) return <Loaded erasure={query.data} />;
  if (isNotFound(query.error)) return <NotFound title={t("erasure.unknown")} text={t("erasure.unknownText")} action={<LinkButton href="/console/users/erasures">{t("erasure.toList")}</LinkButton>} />;
  if (query.error) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <div className="center page-loading">
      <Spinner />
    </div>
  );
}

function Loaded({ erasure }: { erasure: Erasure }): ReactNode {
  const t = useT("users");
  const { targets, requestedAt, completedAt, userId } = erasure;
  const state = stateOf(erasure);
  const { done, all } = progressOf(erasure);
  return (
    <>
      <PageHeader
        before={
          <Link href="/console/users/erasures">
            <ArrowLeft aria-hidden className="flip" />
            {t("erasure.toList")}
          </Link>
        }
        title={t("erasure.title")}
        description={<ErasureBadge state={state} />}
      />
      <div className="users-erasure stack">
        <div role="status" className="stack-s">
          {state === "done" && (
            <Notice tone="success" title={t("erasure.doneTitle")}>
              <p>{t("erasure.doneText")}</p>
            </Notice>
          )}
          {state === "running" && (
            <Notice title={t("erasure.runningTitle")}>
              <p>{t("erasure.runningText")}</p>
            </Notice>
          )}
          {state === "failed" && (
            <Notice tone="warning" title={t("erasure.failedTitle")}>
              <p>{t("erasure.failedText")}</p>
            </Notice>
          )}
        </div>
        <Card>
          <Progress label={t("erasure.progress")} value={done} max={all} detail={t("erasures.progress", { done, all })} />
          <ul className="users-targets">
            <TargetRow service="auth" status="done" doneAt={requestedAt} />
            {targets.map((target) => (
              <TargetRow key={target.service} {...target}>
                {target.status === "failed" && <EraseAgain userId={userId} service={target.service} />}
              </TargetRow>
            ))}
          </ul>
        </Card>
        <Card title={t("erasure.details")}>
          <KeyValueList
            items={[
              { label: t("column.id"), value: <CopyableCode text={userId} /> },
              { label: t("erasure.id"), value: <CopyableCode text={erasure.erasureId} /> },
              { label: t("erasure.requested"), value: <DateTime value={requestedAt} /> },
              { label: t("erasure.completed"), value: <DateTime value={completedAt} /> },
            ]}
          />
        </Card>
        <p className="small faint">{t("erasure.kept")}</p>
      </div>
    </>
  );
}

interface RowProps extends Pick<ErasureTarget, "status" | "doneAt"> {
  service: ErasureTarget["service"] | "auth";
  attempts?: number;
  lastError?: string | null;
  children?: ReactNode;
}

const icons = { done: CircleCheck, failed: CircleX, pending: LoaderCircle };

function TargetRow({ service, status, doneAt, attempts = 0, lastError = null, children }: RowProps): ReactNode {
  const t = useT("users");
  const formats = useFormats();
  const Icon = icons[status];
  return (
    <li className={`users-target users-target-${status}`}>
      <Icon aria-hidden className="users-target-icon" />
      <span className="users-row-main">
        <span className="strong">{t(`service.${service}`)}</span>
        <span className="small muted">{t(`erasure.what.${service}`)}</span>
        {status !== "done" && attempts > 0 && <span className="small muted">{t("erasure.attempts", { count: attempts })}</span>}
        {status !== "done" && lastError && (
          <span className="small users-refused" dir="auto">
            {lastError}
          </span>
        )}
        {children}
      </span>
      <span className="users-row-end">
        <span className="strong">{t(`erasure.target.${status}`)}</span>
        {doneAt && (
          <time dateTime={doneAt} title={formats.exact(doneAt)}>
            {formats.dateTime(doneAt)}
          </time>
        )}
      </span>
    </li>
  );
}

/** Asks a service that auth-mfa does not ask any more. */
function EraseAgain({ userId, service }: { userId: string; service: ErasureTarget["service"] }): ReactNode {
  const t = useT("users");
  const { feedback, notify, billing } = useClients();
  const stepUp = useStepUp();
  const erase = useMutation({
    mutationFn: () => stepUp((): PromiseLike<unknown> => ({ feedback, notify, billing })[service].eraseUser(userId), { fresh: true }),
    meta: { errorTitle: t("erasure.againFailed") },
    onSuccess: () => toast.success(t("erasure.againDone")),
  });
  if (erase.isSuccess) return <span className="small users-on">{t("erasure.againDone")}</span>;
  return (
    <div>
      <Button size="s" isPending={erase.isPending} onPress={() => erase.mutate()}>
        {t("erasure.again")}
      </Button>
    </div>
  );
}
