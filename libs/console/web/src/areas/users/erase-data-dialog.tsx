import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { useClients, useStepUp } from "../../session/index.ts";
import { Badge, Button, Dialog, ErrorNotice, isCancelled, Progress, RadioGroup, TextField, toast } from "../../ui/index.ts";
import type { OtherService } from "./model.ts";
import { keys } from "./queries.ts";

const order: readonly OtherService[] = ["feedback", "notify", "billing"];
type State = "running" | "done" | { error: unknown };
/** Number of characters of the id that the user types. Ids of other systems can be long. */
const typedLength = 24;

/** Erases what the other services store of a user who has no account. */
export function EraseDataDialog({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const t = useT("users");
  const common = useT("common");
  const { feedback, notify, billing } = useClients();
  const stepUp = useStepUp();
  const client = useQueryClient();
  const [mode, setMode] = useState<"delete" | "anonymize">("delete");
  const [typed, setTyped] = useState("");
  const [states, setStates] = useState<Partial<Record<OtherService, State>>>({});
  const expected = [...id].slice(0, typedLength).join("").trim();
  const busy = order.some((service) => states[service] === "running");
  const done = order.filter((service) => states[service] === "done");
  const started = Object.keys(states).length > 0;
  const set = (service: OtherService, state: State): void => setStates((before) => ({ ...before, [service]: state }));
  const erase = { feedback: () => feedback.eraseUser(id, { mode }), notify: () => notify.eraseUser(id), billing: () => billing.eraseUser(id) };
  const eraseOne = async (service: OtherService): Promise<boolean> => {
    if (states[service] === "done") return true;
    set(service, "running");
    try {
      await erase[service]();
      set(service, "done");
      return true;
    } catch (error) {
      set(service, { error });
      return false;
    }
  };
  const run = async (): Promise<void> => {
    try {
      await stepUp(async () => undefined, { fresh: true });
    } catch (error) {
      if (!isCancelled(error)) toast.error(error, t("eraseData.failed"));
      return;
    }
    const results = await Promise.all(order.map(eraseOne));
    void client.invalidateQueries({ queryKey: keys.profile(id) });
    if (results.every(Boolean)) {
      toast.success(t("eraseData.done"));
      onClose();
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t("eraseData.title")}
      size="s"
      role="alertdialog"
      footer={
        <>
          <Button onPress={onClose}>{common("action.cancel")}</Button>
          <Button variant="danger" isPending={busy} isDisabled={typed.trim() !== expected} onPress={() => void run()}>
            {started && !busy ? common("action.retry") : t("eraseData.confirm")}
          </Button>
        </>
      }
    >
      <div className="stack">
        <p>{t("eraseData.text")}</p>
        <RadioGroup
          label={t("eraseData.mode")}
          value={mode}
          onChange={setMode}
          isDisabled={started}
          options={[
            { value: "delete", label: t("eraseData.delete"), description: t("eraseData.deleteText") },
            { value: "anonymize", label: t("eraseData.anonymize"), description: t("eraseData.anonymizeText") },
          ]}
        />
        <TextField label={common("confirm.type", { name: expected })} value={typed} onChange={setTyped} autoComplete="off" monospace isDisabled={started} />
        {started && <Progress label={t("erasure.progress")} value={done.length} max={order.length} detail={`${done.length} / ${order.length}`} />}
        {started &&
          order.map((service) => {
            const state = states[service];
            if (typeof state === "object") return <ErrorNotice key={service} error={state.error} title={t("eraseData.serviceFailed", { service: t(`service.${service}`) })} />;
            return (
              <span key={service} className="row between">
                {t(`service.${service}`)}
                <Badge tone={state === "done" ? "success" : "info"} dot>
                  {t(state === "done" ? "erasure.state.done" : "erasure.state.running")}
                </Badge>
              </span>
            );
          })}
      </div>
    </Dialog>
  );
}
