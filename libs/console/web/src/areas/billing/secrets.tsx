import { useQueryClient } from "@tanstack/react-query";
import { CircleCheck, CircleDashed, Plus, Wand, X } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { useClients, useStepUp } from "../../session/index.ts";
import { Badge, Button, Card, ConfirmDialog, CopyButton, Dialog, ErrorNotice, fieldErrors, IconButton, Select, TextField, toast, useAttempt } from "../../ui/index.ts";
import { keys, type Settings } from "./queries.ts";

const secrets = ["purchasesSecret", "purchasesSecretPrevious", "purchasesSecretSandbox", "purchasesApiKey", "paymentsSigningSecrets", "paymentsApiKey"] as const;
type Secret = (typeof secrets)[number];
const groups = { purchases: secrets.slice(0, 4), payments: secrets.slice(4) } as const;
const environments = ["any", "production", "sandbox"] as const;
type SigningSecret = { secret: string; environment: (typeof environments)[number] };

/** Secrets of the providers. The service shows only whether they are set. */
export function Secrets({ settings, writable }: { settings: Settings; writable: boolean }): ReactNode {
  const t = useT("billing");
  const [editing, setEditing] = useState<Secret | null>(null);
  const [removing, setRemoving] = useState<Secret | null>(null);
  return (
    <>
      {(["purchases", "payments"] as const).map((group) => (
        <Card key={group} title={t(`secrets.${group}`)} description={t(`secrets.${group}Text`)}>
          <ul className="billing-secrets">
            {groups[group].map((name) => (
              <li key={name}>
                <div className="grow">
                  <strong>{t(`secret.${name}`)}</strong>
                  <p className="small muted">{t(`secret.${name}.text`)}</p>
                </div>
                <span className="row wrap billing-secret-actions">
                  {settings[name] ? (
                    <Badge tone="success" icon={<CircleCheck aria-hidden />}>
                      {t("secret.set")}
                    </Badge>
                  ) : (
                    <Badge icon={<CircleDashed aria-hidden />}>{t("secret.notSet")}</Badge>
                  )}
                  {writable && (
                    <Button size="s" aria-label={t(settings[name] ? "secret.replaceOf" : "secret.addOf", { name: t(`secret.${name}`) })} onPress={() => setEditing(name)}>
                      {t(settings[name] ? "secret.replace" : "secret.add")}
                    </Button>
                  )}
                  {writable && settings[name] && <IconButton size="s" label={t("remove", { name: t(`secret.${name}`) })} icon={<X aria-hidden />} onPress={() => setRemoving(name)} />}
                </span>
              </li>
            ))}
          </ul>
        </Card>
      ))}
      {editing !== null && (editing === "paymentsSigningSecrets" ? <SigningDialog isSet={settings.paymentsSigningSecrets} onClose={() => setEditing(null)} /> : <SecretDialog name={editing} onClose={() => setEditing(null)} />)}
      {removing !== null && <RemoveDialog name={removing} onClose={() => setRemoving(null)} />}
    </>
  );
}

/** Stores secrets after a recent sign-in. */
function useStore(): (changes: Record<string, unknown>) => Promise<void> {
  const common = useT("common");
  const client = useQueryClient();
  const { billing } = useClients();
  const stepUp = useStepUp();
  return async (changes) => {
    await stepUp(() => billing.updateSettings(changes as never), { fresh: true });
    await client.invalidateQueries({ queryKey: keys.settings });
    toast.success(common("state.saved"));
  };
}

function useSaving(onClose: () => void): { pending: boolean; error: unknown; save: (changes: Record<string, unknown>) => Promise<void> } {
  const store = useStore();
  const { run, pending, error } = useAttempt();
  const save = async (changes: Record<string, unknown>): Promise<void> => {
    await run(async () => {
      await store(changes);
      onClose();
    });
  };
  return { pending, error, save };
}

function randomSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return `Bearer ${btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_")}`;
}

function SecretDialog({ name, onClose }: { name: Exclude<Secret, "paymentsSigningSecrets">; onClose: () => void }): ReactNode {
  const t = useT("billing");
  const common = useT("common");
  const [value, setValue] = useState("");
  const { pending, error, save } = useSaving(onClose);
  const canMake = name === "purchasesSecret" || name === "purchasesSecretSandbox";
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t(`secret.${name}`)}
      footer={
        <>
          <Button onPress={onClose}>{common("action.cancel")}</Button>
          <Button variant="primary" isPending={pending} isDisabled={value.trim() === ""} onPress={() => void save({ [name]: value.trim() })}>
            {common("action.save")}
          </Button>
        </>
      }
    >
      <div className="stack">
        <p className="muted">{t(`secret.${name}.text`)}</p>
        <TextField autoFocus label={t("secret.value")} value={value} onChange={setValue} maxLength={255} autoComplete="off" monospace error={fieldErrors(error)[name]} />
        {canMake && (
          <div className="row wrap">
            <Button size="s" icon={<Wand aria-hidden />} onPress={() => setValue(randomSecret())}>
              {t("secret.generate")}
            </Button>
            {value !== "" && <CopyButton text={value} showLabel />}
          </div>
        )}
        {canMake && <p className="small muted">{t("secret.copyFirst")}</p>}
        <p className="small muted">{t("secret.once")}</p>
        {error !== null && <ErrorNotice error={error} title={t("settings.notSaved")} />}
      </div>
    </Dialog>
  );
}

const maxSigningSecrets = 10;

function SigningDialog({ isSet, onClose }: { isSet: boolean; onClose: () => void }): ReactNode {
  const t = useT("billing");
  const common = useT("common");
  const [list, setList] = useState<SigningSecret[]>([{ secret: "", environment: "any" }]);
  const { pending, error, save } = useSaving(onClose);
  const change = (index: number, next: Partial<SigningSecret>): void => setList(list.map((one, at) => (at === index ? { ...one, ...next } : one)));
  const complete = list.length > 0 && list.every((one) => one.secret.trim() !== "");
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t("secret.paymentsSigningSecrets")}
      footer={
        <>
          <Button onPress={onClose}>{common("action.cancel")}</Button>
          <Button variant="primary" isPending={pending} isDisabled={!complete} onPress={() => void save({ paymentsSigningSecrets: list.map((one) => ({ ...one, secret: one.secret.trim() })) })}>
            {common("action.save")}
          </Button>
        </>
      }
    >
      <div className="stack">
        <p className="muted">{t(isSet ? "signing.replaces" : "signing.text")}</p>
        {list.map((one, index) => (
          <div key={index} className="billing-signing">
            <TextField autoFocus={index === 0} className="grow" label={t("signing.secret", { count: index + 1 })} placeholder="whsec_…" value={one.secret} onChange={(secret) => change(index, { secret })} maxLength={255} autoComplete="off" monospace />
            <Select label={t("signing.environment")} value={one.environment} onChange={(environment) => change(index, { environment })} options={environments.map((value) => ({ value, label: t(`signing.${value}`) }))} />
            {list.length > 1 && <IconButton label={t("remove", { name: t("signing.secret", { count: index + 1 }) })} icon={<X aria-hidden />} onPress={() => setList(list.filter((_, at) => at !== index))} />}
          </div>
        ))}
        <span>
          <Button size="s" icon={<Plus aria-hidden />} isDisabled={list.length >= maxSigningSecrets} onPress={() => setList([...list, { secret: "", environment: "any" }])}>
            {t("signing.add")}
          </Button>
        </span>
        <p className="small muted">{t("secret.once")}</p>
        {error !== null && <ErrorNotice error={error} title={t("settings.notSaved")} />}
      </div>
    </Dialog>
  );
}

function RemoveDialog({ name, onClose }: { name: Secret; onClose: () => void }): ReactNode {
  const t = useT("billing");
  const common = useT("common");
  const store = useStore();
  return (
    <ConfirmDialog isOpen onClose={onClose} title={t("secret.removeTitle", { name: t(`secret.${name}`) })} confirmLabel={common("action.remove")} onConfirm={() => store({ [name]: null })}>
      <p>{t(`secret.${name}.removed`)}</p>
    </ConfirmDialog>
  );
}
