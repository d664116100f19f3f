import { useQueryClient } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { useClients, useStepUp } from "../../session/index.ts";
import { Button, CopyableCode, DateTime, Dialog, ErrorNotice, JsonView, KeyValueList, Notice, useAttempt } from "../../ui/index.ts";
import { ResultBadge, useEventName } from "./labels.tsx";
import { userHref, type BillingEvent, type EventResult } from "./model.ts";
import { keys } from "./queries.ts";

/** An event of the archive with its payload, and its replay. */
export function EventDialog({ event, onClose }: { event: BillingEvent; onClose: () => void }): ReactNode {
  const t = useT("billing");
  const common = useT("common");
  const name = useEventName();
  const client = useQueryClient();
  const { billing } = useClients();
  const stepUp = useStepUp();
  const { run, pending, error } = useAttempt();
  const [outcome, setOutcome] = useState<{ result: EventResult; reason: string | null } | null>(null);
  const replay = async (): Promise<void> => {
    setOutcome(null);
    await run(async () => {
      setOutcome(await stepUp(() => billing.replayEvent(event.eventId)));
      await client.invalidateQueries({ queryKey: keys.all });
    });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={name(event.type)}
      size="l"
      footer={
        <>
          <Button onPress={onClose}>{common("action.close")}</Button>
          {event.erasedAt === null && (
            <Button variant="primary" icon={<RotateCcw aria-hidden />} isPending={pending} onPress={() => void replay()}>
              {t("events.replay")}
            </Button>
          )}
        </>
      }
    >
      <div className="stack">
        {outcome && (
          <Notice tone={outcome.result === "rejected" ? "warning" : "success"} title={t("events.replayed")}>
            <p>{t(`replay.${outcome.result}`)}</p>
            {outcome.reason && <code>{outcome.reason}</code>}
          </Notice>
        )}
        {error !== null && <ErrorNotice error={error} title={t("events.replayFailed")} />}
        <div className="billing-event-facts">
          <KeyValueList
            items={[
              { label: t("column.type"), value: event.type === null ? null : <code dir="ltr">{event.type}</code>, key: "type" },
              { label: t("column.provider"), value: t(`provider.${event.provider}`), key: "provider" },
              {
                label: t("column.user"),
                value:
                  event.userId === null || event.erasedAt !== null ? (
                    event.userId
                  ) : (
                    <Link href={userHref(event.userId)} dir="auto">
                      {event.userId}
                    </Link>
                  ),
                key: "user",
              },
              { label: t("column.id"), value: <CopyableCode text={event.eventId} />, key: "id" },
            ]}
          />
          <KeyValueList
            items={[
              { label: t("column.result"), value: <ResultBadge result={event.result} />, key: "result" },
              { label: t("column.reason"), value: event.reason && <code dir="ltr">{event.reason}</code>, key: "reason" },
              { label: t("column.eventAt"), value: <DateTime value={event.eventAt} />, key: "at" },
              { label: t("column.receivedAt"), value: <DateTime value={event.receivedAt} />, key: "received" },
            ]}
          />
        </div>
        {event.erasedAt === null ? (
          <div className="stack-s">
            <h3 className="billing-heading">{t("events.payload")}</h3>
            <JsonView value={event.payload} label={t("events.payload")} />
          </div>
        ) : (
          <Notice title={t("events.erased")}>
            <p>{t("events.erasedText")}</p>
          </Notice>
        )}
        {event.erasedAt === null && <p className="small faint">{t("events.replayText")}</p>}
      </div>
    </Dialog>
  );
}
