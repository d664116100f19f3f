import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { useClients, useStepUp, useTenant } from "../../session/index.ts";
import { Button, ConfirmDialog, Dialog, ErrorNotice, Notice, RadioGroup, Select, toast, useAttempt } from "../../ui/index.ts";
import { useServiceOptions } from "./labels.tsx";
import { keyKinds, type KeyKind, type KeyRecord, type KeyService, type NewKey } from "./model.ts";
import { OnceDialog } from "./once-dialog.tsx";
import { keys, useMakeKey, type Of } from "./queries.ts";

const graceSeconds = ["0", "3600", "86400", "604800"] as const;

interface KeyDialogProps {
  /** Whether the new key replaces the others of its service and kind. */
  replaces: boolean;
  of: readonly KeyService[];
  preset: KeyService | "";
  onClose: () => void;
}

/** Makes a key, and shows it once. */
export function KeyDialog({ replaces, of, preset, onClose }: KeyDialogProps): ReactNode {
  const t = useT("developers");
  const common = useT("common");
  const { environment } = useTenant();
  const options = useServiceOptions(of);
  const stepUp = useStepUp();
  const make = useMakeKey();
  const [service, setService] = useState<KeyService>(preset || of[0]!);
  const [kind, setKind] = useState<KeyKind>("secret");
  const [grace, setGrace] = useState<(typeof graceSeconds)[number]>("86400");
  const [made, setMade] = useState<NewKey | null>(null);
  const { run, pending, error } = useAttempt();
  const chosen: KeyKind = service === "notify" ? kind : "secret";
  const submit = (): Promise<void> =>
    run(async () => setMade(await stepUp(() => make({ service, kind: chosen, replaces: replaces ? { seconds: Number(grace) } : null }), { fresh: true })));
  if (made)
    return (
      <OnceDialog title={t("key.made", { service: t(`service.${service}`) })} label={t("column.key")} secret={made.key} warning={t("key.once")} onClose={onClose}>
        <p className="muted">
          {t(chosen === "secret" ? "key.madeSecret" : "key.madePublishable", { environment: common(`environment.${environment}`) })}{" "}
          {chosen === "secret" && (
            <Link href={`/console/developers/examples?service=${service}`} target="_blank">
              {t("tabs.examples")}
            </Link>
          )}
        </p>
      </OnceDialog>
    );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t(replaces ? "key.replaceTitle" : "key.create")}
      isPending={pending}
      footer={
        <>
          <Button onPress={onClose} isDisabled={pending}>
            {common("action.cancel")}
          </Button>
          <Button variant={replaces && grace === "0" ? "danger" : "primary"} isPending={pending} onPress={() => void submit()}>
            {t(replaces ? "key.replaceConfirm" : "key.create")}
          </Button>
        </>
      }
    >
      <div className="stack">
        <p className="muted">{t(replaces ? "key.replaceText" : "key.createText", { environment: common(`environment.${environment}`) })}</p>
        <Select label={t("column.service")} value={service} onChange={setService} options={options} description={t(`key.for.${service}`)} />
        {service === "notify" && <RadioGroup label={t("column.kind")} value={kind} onChange={setKind} options={keyKinds.map((value) => ({ value, label: t(`kind.${value}`), description: t(`kind.${value}.text`) }))} />}
        {replaces && <RadioGroup label={t("key.grace")} value={grace} onChange={setGrace} options={graceSeconds.map((value) => ({ value, label: t(`key.grace.${value}`) }))} />}
        {error !== null && <ErrorNotice error={error} title={t("key.notMade")} />}
      </div>
    </Dialog>
  );
}

const recentMs = 86_400_000;

/** Revokes a key after a question. */
export function RevokeDialog({ record, onClose }: { record: Of<KeyRecord>; onClose: () => void }): ReactNode {
  const t = useT("developers");
  const formats = useFormats();
  const clients = useClients();
  const client = useQueryClient();
  const stepUp = useStepUp();
  const { prefix, lastUsedAt } = record;
  const service = record.service as KeyService;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={t("key.revokeTitle", { prefix })}
      confirmLabel={t("key.revoke")}
      onConfirm={async () => {
        await stepUp(() => clients[service].revokeKey(prefix), { fresh: true });
        await client.invalidateQueries({ queryKey: keys.keysOf(service) });
        toast.success(t("key.revoked", { prefix }));
      }}
    >
      <p>{t("key.revokeText", { service: t(`service.${service}`) })}</p>
      {lastUsedAt && Date.now() - Date.parse(lastUsedAt) < recentMs && <Notice tone="warning" title={t("key.inUse", { time: formats.relative(lastUsedAt) })} />}
    </ConfirmDialog>
  );
}
