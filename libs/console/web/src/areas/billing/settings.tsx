import { useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { useClients, useConfig, useStepUp, useTenant } from "../../session/index.ts";
import { Button, Card, CopyableCode, ErrorNotice, fieldErrors, KeyValueList, PageHeader, QueryState, Switch, TextField, toast, useAttempt } from "../../ui/index.ts";
import { ProductionOnly } from "./labels.tsx";
import { keys, useSettings, type TaggedSettings } from "./queries.ts";
import { Secrets } from "./secrets.tsx";
import { BillingTabs } from "./tabs.tsx";

/** Connections to the providers, and rules of access. Only production may change them. */
export function Settings(): ReactNode {
  const t = useT("billing");
  const settings = useSettings();
  const { environment } = useTenant();
  const writable = environment === "production";
  return (
    <>
      <PageHeader title={t("tabs.settings")} description={t("settings.text")} tabs={<BillingTabs />} />
      <div className="stack billing-settings">
        {!writable && <ProductionOnly text={t("production.settings")} />}
        <QueryState query={settings}>
          {(tagged) => (
            <>
              {writable ? <Rules key={tagged.etag ?? ""} tagged={tagged} /> : <ShownRules tagged={tagged} />}
              <Endpoints />
              <Secrets settings={tagged.settings} writable={writable} />
            </>
          )}
        </QueryState>
      </div>
    </>
  );
}

const maxLeeway = 86_400;

function Rules({ tagged: { settings, etag } }: { tagged: TaggedSettings }): ReactNode {
  const t = useT("billing");
  const common = useT("common");
  const formats = useFormats();
  const client = useQueryClient();
  const { billing } = useClients();
  const stepUp = useStepUp();
  const [pastDueIsActive, setPastDue] = useState(settings.pastDueIsActive);
  const [leeway, setLeeway] = useState(String(settings.renewalLeewaySeconds));
  const { run, pending, error, clear } = useAttempt();
  const seconds = Number(leeway);
  const valid = leeway.trim() !== "" && Number.isInteger(seconds) && seconds >= 0 && seconds <= maxLeeway;
  const dirty = pastDueIsActive !== settings.pastDueIsActive || seconds !== settings.renewalLeewaySeconds;
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!valid || !dirty) return;
    await run(async () => {
      await stepUp(() => billing.updateSettings({ pastDueIsActive, renewalLeewaySeconds: seconds }, etag === undefined ? {} : { ifMatch: etag }));
      await client.invalidateQueries({ queryKey: keys.all });
      toast.success(common("state.saved"));
    });
  };
  const reset = (): void => {
    setPastDue(settings.pastDueIsActive);
    setLeeway(String(settings.renewalLeewaySeconds));
    clear();
    void client.invalidateQueries({ queryKey: keys.settings });
  };
  return (
    <Card title={t("rules.title")} description={t("rules.text")}>
      <form className="stack" onSubmit={(event) => void save(event)}>
        <Switch label={t("rules.pastDue")} description={t("rules.pastDueText")} isSelected={pastDueIsActive} onChange={setPastDue} />
        <TextField
          className="billing-leeway"
          type="number"
          min={0}
          max={maxLeeway}
          step={1}
          label={t("rules.leeway")}
          description={valid ? t("rules.leewayText", { duration: formats.duration(seconds) }) : undefined}
          value={leeway}
          onChange={setLeeway}
          error={valid ? fieldErrors(error)["renewalLeewaySeconds"] : t("rules.leewayInvalid")}
        />
        {error !== null && <ErrorNotice error={error} title={t("settings.notSaved")} onRetry={reset} />}
        <div className="form-actions">
          <Button variant="primary" type="submit" isPending={pending} isDisabled={!dirty || !valid}>
            {common("action.save")}
          </Button>
          {dirty && <Button onPress={reset}>{t("settings.discard")}</Button>}
        </div>
      </form>
    </Card>
  );
}

function ShownRules({ tagged: { settings } }: { tagged: TaggedSettings }): ReactNode {
  const t = useT("billing");
  const formats = useFormats();
  return (
    <Card title={t("rules.title")} description={t("rules.text")}>
      <KeyValueList
        items={[
          { label: t("rules.pastDue"), value: t(settings.pastDueIsActive ? "yes" : "no"), key: "due" },
          { label: t("rules.leewayShort"), value: formats.duration(settings.renewalLeewaySeconds), key: "leeway" },
        ]}
      />
    </Card>
  );
}

/** The addresses that the providers call. */
function Endpoints(): ReactNode {
  const t = useT("billing");
  const { billingUrl } = useConfig();
  return (
    <Card title={t("endpoints.title")} description={t("endpoints.text")}>
      <KeyValueList
        layout="stacked"
        items={[
          { label: t("endpoints.purchases"), value: <CopyableCode text={`${billingUrl}/webhooks/purchases`} />, key: "purchases" },
          { label: t("endpoints.payments"), value: <CopyableCode text={`${billingUrl}/webhooks/payments`} />, key: "payments" },
        ]}
      />
    </Card>
  );
}
