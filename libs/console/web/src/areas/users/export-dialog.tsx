import { CircleCheck } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { useClients, useStepUp } from "../../session/index.ts";
import { Button, Checkbox, Dialog, download, ErrorNotice, isCancelled, Notice, RadioGroup, toast } from "../../ui/index.ts";
import { exportOf, filesOf, readExport, type ExportedPart } from "./export.ts";
import type { Service } from "./model.ts";

type State = { status: "running"; lines: number } | { status: "done"; part: ExportedPart } | { status: "failed"; error: unknown };

/** Exports what the services store of a user. A service that fails can be asked again alone, or left out. */
export function ExportDialog({ id, services, onClose }: { id: string; services: readonly Service[]; onClose: () => void }): ReactNode {
  const t = useT("users");
  const common = useT("common");
  const clients = useClients();
  const stepUp = useStepUp();
  const [chosen, setChosen] = useState<ReadonlySet<Service>>(new Set(services));
  const [look, setLook] = useState<"one" | "each">("one");
  const [states, setStates] = useState<Partial<Record<Service, State>>>({});
  const abort = useRef(new AbortController());
  useEffect(() => {
    abort.current = new AbortController();
    return () => abort.current.abort();
  }, []);
  const wanted = services.filter((service) => chosen.has(service));
  const busy = wanted.some((service) => states[service]?.status === "running");
  const failed = wanted.filter((service) => states[service]?.status === "failed");
  const set = (service: Service, state: State): void => setStates((before) => ({ ...before, [service]: state }));

  const save = (parts: readonly ExportedPart[]): void => {
    for (const { name, blob } of filesOf(parts, id, look === "one")) download(name, blob);
    toast.success(t("export.done"));
    onClose();
  };
  const doneParts = (): ExportedPart[] => wanted.flatMap((service) => (states[service]?.status === "done" ? [(states[service] as { part: ExportedPart }).part] : []));
  const readOne = async (service: Service, signal: AbortSignal): Promise<ExportedPart | null> => {
    const known = states[service];
    if (known?.status === "done") return known.part;
    set(service, { status: "running", lines: 0 });
    try {
      const part = await readExport(service, exportOf(clients, service, id, signal), (lines) => set(service, { status: "running", lines }));
      set(service, { status: "done", part });
      return part;
    } catch (error) {
      if (!signal.aborted) set(service, { status: "failed", error });
      return null;
    }
  };
  const run = async (): Promise<void> => {
    const { signal } = abort.current;
    try {
      // The export has all personal data of the user, so the identity of the reader is confirmed first.
      await stepUp(async () => undefined, { fresh: true });
    } catch (error) {
      if (!isCancelled(error)) toast.error(error, t("export.failed"));
      return;
    }
    const parts = await Promise.all(wanted.map((service) => readOne(service, signal)));
    if (!signal.aborted && parts.every((part) => part !== null)) save(parts);
  };

  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t("export.title")}
      size="m"
      footer={
        <>
          <Button onPress={onClose}>{common("action.cancel")}</Button>
          {failed.length > 0 && doneParts().length > 0 && !busy && <Button onPress={() => save(doneParts())}>{t("export.withoutFailed")}</Button>}
          <Button variant="primary" isPending={busy} isDisabled={wanted.length === 0} onPress={() => void run()}>
            {failed.length > 0 && !busy ? common("action.retry") : t("export.start")}
          </Button>
        </>
      }
    >
      <div className="stack">
        <p className="muted">{t("export.text")}</p>
        <ul className="users-export">
          {services.map((service) => (
            <li key={service}>
              <Checkbox
                isSelected={chosen.has(service)}
                isDisabled={busy}
                onChange={(on) => setChosen((before) => new Set(on ? [...before, service] : [...before].filter((one) => one !== service)))}
              >
                <span className="users-export-text">
                  <span className="strong">{t(`service.${service}`)}</span>
                  <span className="small muted">{t(`export.${service}`)}</span>
                </span>
              </Checkbox>
              <ExportState state={chosen.has(service) ? states[service] : undefined} />
            </li>
          ))}
        </ul>
        {failed.map((service) => (
          <ErrorNotice key={service} error={(states[service] as { error: unknown }).error} title={t("export.serviceFailed", { service: t(`service.${service}`) })} />
        ))}
        {failed.length > 0 && !busy && <Notice tone="warning">{t("export.incomplete")}</Notice>}
        <RadioGroup
          label={t("export.files")}
          look="segments"
          value={look}
          onChange={setLook}
          options={[
            { value: "one", label: t("export.one") },
            { value: "each", label: t("export.each") },
          ]}
        />
      </div>
    </Dialog>
  );
}

function ExportState({ state }: { state: State | undefined }): ReactNode {
  const t = useT("users");
  const formats = useFormats();
  if (!state || state.status === "failed") return null;
  if (state.status === "running")
    return (
      <span className="users-export-state muted">
        <span className="spinner spinner-s" aria-hidden />
        {t("export.lines", { count: state.lines })}
      </span>
    );
  return (
    <span className="users-export-state users-on">
      <CircleCheck aria-hidden />
      {t("export.lines", { count: state.part.lines })} · {formats.bytes(state.part.bytes)}
    </span>
  );
}
