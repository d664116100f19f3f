import { ApiError } from "@tetrad/client";
import { ArrowLeftRight, Lock, Plus, X } from "lucide-react";
import { useState, type FormEvent, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { otherEnvironmentUrl, useMe, useStepUp, useTenant } from "../../session/index.ts";
import { Button, Card, ConfirmDialog, ErrorNotice, IconButton, LinkButton, Notice, PageHeader, QueryState, TextField, toast, useAttempt } from "../../ui/index.ts";
import { DeveloperTabs, ServiceLabel } from "./labels.tsx";
import { maxOrigins, readOrigin, settingsAccess, type OriginFault, type Service } from "./model.ts";
import { useChangeOrigins, useOrigins, useServices } from "./queries.ts";

/** The origins whose web pages may call each service. */
export function OriginsPage(): ReactNode {
  const t = useT("developers");
  const configured = useServices();
  return (
    <>
      <PageHeader title={t("tabs.origins")} description={t("origins.text")} tabs={<DeveloperTabs />} />
      <div className="dev-origins">
        {configured.map((service) => (
          <ServiceCard key={service} service={service} />
        ))}
      </div>
    </>
  );
}

function ServiceCard({ service }: { service: Service }): ReactNode {
  const t = useT("developers");
  const { role } = useMe();
  const { environment } = useTenant();
  const access = settingsAccess(service, role, environment);
  return (
    <Card title={<ServiceLabel service={service} />} description={t(`origins.for.${service}`)}>
      {access === "none" ? <Notice title={t("origins.ownerOnly")} /> : <Loaded service={service} writable={access === "write"} />}
    </Card>
  );
}

function Loaded({ service, writable }: { service: Service; writable: boolean }): ReactNode {
  const t = useT("developers");
  const common = useT("common");
  const query = useOrigins(service);
  return (
    <QueryState query={query}>
      {(origins) => (
        <div className="stack">
          <List service={service} origins={origins} writable={writable} />
          {!writable && (
            <Notice title={t("origins.production")}>
              <LinkButton size="s" href={otherEnvironmentUrl(location.href)} icon={<ArrowLeftRight aria-hidden />}>
                {common("environment.openProduction")}
              </LinkButton>
            </Notice>
          )}
          {writable && <AddForm service={service} origins={origins} />}
        </div>
      )}
    </QueryState>
  );
}

function List({ service, origins, writable }: { service: Service; origins: readonly string[]; writable: boolean }): ReactNode {
  const t = useT("developers");
  const common = useT("common");
  const change = useChangeOrigins(service);
  const stepUp = useStepUp();
  const [removing, setRemoving] = useState<string | null>(null);
  return (
    <>
      <ul className="dev-origin-list" aria-label={t("origins.list", { service: t(`service.${service}`) })}>
        <li>
          <Lock aria-hidden className="faint" />
          <code dir="ltr">{location.origin}</code>
          <span className="small muted">{t("origins.always")}</span>
        </li>
        {origins.map((origin) => (
          <li key={origin}>
            <code dir="ltr">{origin}</code>
            {writable && <IconButton size="s" label={t("origins.remove", { origin })} icon={<X aria-hidden />} onPress={() => setRemoving(origin)} />}
          </li>
        ))}
      </ul>
      {origins.length === 0 && writable && <p className="small muted">{t("origins.none")}</p>}
      {removing !== null && (
        <ConfirmDialog
          isOpen
          onClose={() => setRemoving(null)}
          title={t("origins.removeTitle")}
          confirmLabel={common("action.remove")}
          onConfirm={async () => {
            await stepUp(() => change((list) => list.filter((one) => one !== removing)), { fresh: true });
            toast.success(t("origins.removed"));
          }}
        >
          <p>
            <code dir="ltr">{removing}</code>
          </p>
          <p>{t("origins.removeText", { service: t(`service.${service}`) })}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** The service's refusal of a list, for its field. */
const refusalOf = (error: unknown): string | undefined => (error instanceof ApiError ? error.errors?.map(({ detail }) => detail).join(" ") : undefined);

function AddForm({ service, origins }: { service: Service; origins: readonly string[] }): ReactNode {
  const t = useT("developers");
  const change = useChangeOrigins(service);
  const stepUp = useStepUp();
  const [text, setText] = useState("");
  const [fault, setFault] = useState<{ key: OriginFault; origin: string } | null>(null);
  const { run, pending, error, clear } = useAttempt();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (text.trim() === "" || pending) return;
    const read = readOrigin(text, origins);
    if ("fault" in read) return setFault({ key: read.fault, origin: read.origin ?? "" });
    await run(async () => {
      await stepUp(() => change((list) => [...list, read.origin]), { fresh: true });
      setText("");
      toast.success(t("origins.added", { origin: read.origin }));
    });
  };
  const type = (next: string): void => {
    setText(next);
    setFault(null);
    clear();
  };
  const refusal = refusalOf(error);
  return (
    <form className="stack-s" onSubmit={(event) => void submit(event)} noValidate>
      <div className="dev-add">
        <TextField
          className="grow"
          type="url"
          label={t("origins.new", { service: t(`service.${service}`) })}
          hideLabel
          placeholder="https://app.example.com"
          value={text}
          onChange={type}
          maxLength={267}
          autoComplete="off"
          monospace
          error={fault ? t(`origins.fault.${fault.key}`, { origin: fault.origin, limit: maxOrigins }) : refusal}
        />
        <Button type="submit" icon={<Plus aria-hidden />} isPending={pending} isDisabled={text.trim() === ""}>
          {t("origins.add")}
        </Button>
      </div>
      {error !== null && <ErrorNotice error={error} title={t("origins.notSaved")} />}
    </form>
  );
}
