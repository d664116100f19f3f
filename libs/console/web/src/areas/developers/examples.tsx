import { ExternalLink } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { Link, useSearch } from "../../router/index.tsx";
import { useTenant } from "../../session/index.ts";
import { Card, CodeView, CopyableCode, KeyValueList, LinkButton, PageHeader, RadioGroup, Select, Tabs } from "../../ui/index.ts";
import { DeveloperTabs, useServiceOptions } from "./labels.tsx";
import type { Service } from "./model.ts";
import { useServices, useUrlOf } from "./queries.ts";
import { curlOf, exportOf, keyVariable, nodeOf, receiverOf, sampleIds, type SampleId } from "./samples.ts";

/** Requests with the hosts of the tenant, to be copied. */
export function Examples(): ReactNode {
  const t = useT("developers");
  const of = useServices();
  const options = useServiceOptions(of);
  const urlOf = useUrlOf();
  const [params, setSearch] = useSearch();
  const service = of.find((one) => one === params.get("service")) ?? of[0]!;
  return (
    <>
      <PageHeader
        title={t("tabs.examples")}
        description={t("examples.text")}
        actions={
          <LinkButton href={`${urlOf(service)}/docs`} target="_blank" rel="noopener" icon={<ExternalLink aria-hidden />}>
            {t("examples.reference")}
          </LinkButton>
        }
        tabs={<DeveloperTabs />}
      />
      <div className="stack">
        <RadioGroup label={t("column.service")} hideLabel look="segments" className="dev-segments" value={service} onChange={(next) => setSearch({ service: next })} options={options} />
        <Request key={service} service={service} url={urlOf(service)} />
        <Receive service={service} />
      </div>
    </>
  );
}

function Request({ service, url }: { service: Service; url: string }): ReactNode {
  const t = useT("developers");
  const common = useT("common");
  const { environment } = useTenant();
  const ids: readonly SampleId[] = sampleIds[service];
  const [id, setId] = useState(ids[0]!);
  return (
    <Card title={t("examples.request")} description={t("examples.requestText", { environment: common(`environment.${environment}`) })}>
      <div className="stack">
        <KeyValueList
          items={[
            { label: t("examples.host"), value: <CopyableCode text={url} />, key: "host" },
            {
              label: t("column.key"),
              value: (
                <>
                  <CopyableCode text={exportOf(service)} />
                  <p className="small muted">
                    {service === "feedback" ? t("examples.keyOperator") : t("examples.keyOwn", { variable: keyVariable(service) })}{" "}
                    {service !== "feedback" && <Link href="/console/developers">{t("tabs.keys")}</Link>}
                  </p>
                </>
              ),
              key: "key",
            },
          ]}
        />
        <Select className="dev-sample" label={t("examples.operation")} value={id} onChange={setId} options={ids.map((value) => ({ value, label: t(`sample.${value}`) }))} />
        <Tabs
          label={t("examples.request")}
          tabs={[
            { id: "curl", label: "curl", content: <CodeView text={curlOf(service, id, url)} label="curl" /> },
            {
              id: "node",
              label: "Node.js",
              content: (
                <div className="stack-s">
                  <CodeView text={nodeOf(service, id, url)} label="Node.js" />
                  <p className="small muted">
                    {t("examples.node")} <code dir="ltr">npm install @tetrad/client</code>
                  </p>
                </div>
              ),
            },
          ]}
        />
      </div>
    </Card>
  );
}

function Receive({ service }: { service: Service }): ReactNode {
  const t = useT("developers");
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (location.hash === "#receive") box.current?.scrollIntoView();
  }, []);
  return (
    <div ref={box} className="dev-receive">
      <Card title={t("examples.receive")} description={t("examples.receiveText")}>
        <div className="stack-s">
          <CodeView text={receiverOf(service)} label={t("examples.receive")} />
          <p className="small muted">
            {t("examples.receiveTest")} <Link href="/console/developers/webhooks">{t("tabs.webhooks")}</Link>
          </p>
        </div>
      </Card>
    </div>
  );
}
