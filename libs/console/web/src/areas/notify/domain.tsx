import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, CircleHelp, CircleX, Clock, Pencil, RotateCw, Trash2 } from "lucide-react";
import { useState, type FormEvent, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { useClients, useStepUp } from "../../session/index.ts";
import { Badge, Button, Card, ConfirmDialog, CopyButton, Dialog, ErrorNotice, fieldErrors, IconButton, isNotFound, KeyValueList, Notice, PageHeader, QueryState, TextField, TimeAgo, toast, type Tone } from "../../ui/index.ts";
import { NotifyTabs } from "./labels.tsx";
import type { DnsRecord, Domain } from "./model.ts";
import { keys } from "./queries.ts";

/** How long after a failed check a verified domain is given up, in hours. */
const graceHours = 72;

/** The email domain of the environment. */
export function DomainPage(): ReactNode {
  const t = useT("notify");
  const { notify } = useClients();
  const query = useQuery<Domain | null>({
    queryKey: keys.domain,
    queryFn: async ({ signal }) => {
      try {
        return await notify.getDomainStatus({ signal });
      } catch (error) {
        if (isNotFound(error)) return null;
        throw error;
      }
    },
    // Each read is a check of the DNS.
    refetchInterval: ({ state }) => (state.data && (state.data.status === "pending" || state.data.failingSince) ? 20_000 : false),
  });
  return (
    <>
      <PageHeader title={t("domain.title")} description={t("domain.text")} tabs={<NotifyTabs />} />
      <QueryState query={query}>{(domain) => (domain ? <Details domain={domain} onCheck={() => void query.refetch()} checking={query.isFetching} /> : <Card title={t("domain.setUp")} description={t("domain.setUpText")}><DomainForm /></Card>)}</QueryState>
    </>
  );
}

function DomainForm({ domain, onDone }: { domain?: Domain; onDone?: () => void }): ReactNode {
  const t = useT("notify");
  const { notify } = useClients();
  const client = useQueryClient();
  const [name, setName] = useState(domain?.domain ?? "");
  const [local, setLocal] = useState(domain?.fromEmail ?? "");
  const [fromName, setFromName] = useState(domain?.fromName ?? "");
  const save = useMutation({
    mutationFn: async () => notify.verifyDomain({ domain: name.trim(), fromEmail: local.trim(), fromName: fromName.trim() }),
    meta: { silent: true },
    onSuccess: (value) => {
      client.setQueryData(keys.domain, value);
      toast.success(t("domain.saved"));
      onDone?.();
    },
  });
  const errors = fieldErrors(save.error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form className="form" onSubmit={submit}>
      {domain && name.trim().toLowerCase() !== domain.domain && <Notice tone="warning">{t("domain.replaces")}</Notice>}
      <TextField label={t("domain.name")} description={t("domain.nameText")} placeholder="mail.example.com" value={name} onChange={setName} error={errors["domain"]} maxLength={221} isRequired autoComplete="off" monospace />
      <TextField type="email" label={t("domain.fromEmail")} description={t("domain.fromEmailText")} placeholder={`hello@${name.trim() || "mail.example.com"}`} value={local} onChange={setLocal} error={errors["fromEmail"]} isRequired autoComplete="off" />
      <TextField label={t("domain.fromName")} value={fromName} onChange={setFromName} error={errors["fromName"]} maxLength={100} isRequired autoComplete="off" />
      {save.error && <ErrorNotice error={save.error} title={t("domain.notSaved")} />}
      <div className="form-actions">
        <Button variant="primary" type="submit" isPending={save.isPending} isDisabled={!name.trim() || !local.trim() || !fromName.trim()}>
          {t(domain ? "domain.save" : "domain.add")}
        </Button>
      </div>
    </form>
  );
}

function Details({ domain, onCheck, checking }: { domain: Domain; onCheck: () => void; checking: boolean }): ReactNode {
  const t = useT("notify");
  const common = useT("common");
  const formats = useFormats();
  const { notify } = useClients();
  const stepUp = useStepUp();
  const client = useQueryClient();
  const [open, setOpen] = useState<"edit" | "delete" | null>(null);
  const verified = domain.status === "verified";
  const left = domain.dnsRecords.filter((record) => record.required && record.status !== "verified").length;
  return (
    <div className="stack">
      {domain.failingSince ? (
        <Notice tone="warning" title={t("domain.failing")}>
          <p>{t("domain.failingText", { time: formats.dateTime(new Date(Date.parse(domain.failingSince) + graceHours * 3_600_000)) })}</p>
        </Notice>
      ) : (
        !verified && (
          <Notice title={t("domain.pending", { count: left })}>
            <p>{t("domain.pendingText")}</p>
          </Notice>
        )
      )}
      <Card
        title={
          <span className="row wrap">
            <bdi>{domain.domain}</bdi>
            <Badge tone={domain.failingSince ? "warning" : verified ? "success" : "neutral"} dot>
              {t(domain.failingSince ? "domain.state.failing" : `domain.state.${domain.status}`)}
            </Badge>
          </span>
        }
        actions={
          <>
            <IconButton label={t("domain.edit")} icon={<Pencil aria-hidden />} onPress={() => setOpen("edit")} />
            <IconButton label={t("domain.delete")} icon={<Trash2 aria-hidden />} onPress={() => setOpen("delete")} />
          </>
        }
      >
        <KeyValueList
          items={[
            { label: t("domain.sender"), value: `${domain.fromName} <${domain.fromEmail}>` },
            { label: t("domain.verifiedAt"), value: domain.verifiedAt ? <TimeAgo value={domain.verifiedAt} /> : t("domain.never") },
            { label: t("domain.checkedAt"), value: domain.checkedAt ? <TimeAgo value={domain.checkedAt} /> : t("domain.never") },
          ]}
        />
      </Card>
      <Card
        flush
        title={t("records.title")}
        actions={
          <Button size="s" icon={<RotateCw aria-hidden />} isPending={checking} onPress={onCheck}>
            {t("records.check")}
          </Button>
        }
      >
        <p className="notify-records-text muted">{t("records.text")}</p>
        <ul className="notify-records">
          {domain.dnsRecords.map((record) => (
            <Record key={`${record.purpose}${record.name}`} record={record} />
          ))}
        </ul>
      </Card>
      {open === "edit" && (
        <Dialog isOpen onClose={() => setOpen(null)} title={t("domain.edit")}>
          <DomainForm domain={domain} onDone={() => setOpen(null)} />
        </Dialog>
      )}
      {open === "delete" && (
        <ConfirmDialog
          isOpen
          onClose={() => setOpen(null)}
          title={t("domain.deleteTitle")}
          confirmLabel={common("action.delete")}
          typeToConfirm={domain.domain}
          onConfirm={async () => {
            await stepUp(() => notify.deleteDomain(), { fresh: true });
            client.setQueryData(keys.domain, null);
            toast.success(t("domain.deleted"));
          }}
        >
          <p>{t("domain.deleteText")}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

const recordTones: Record<DnsRecord["status"], Tone> = { pending: "neutral", verified: "success", missing: "danger", mismatch: "warning", unknown: "neutral" };
const recordIcons: Record<DnsRecord["status"], ReactNode> = { pending: <Clock aria-hidden />, verified: <CircleCheck aria-hidden />, missing: <CircleX aria-hidden />, mismatch: <CircleAlert aria-hidden />, unknown: <CircleHelp aria-hidden /> };

function Record({ record }: { record: DnsRecord }): ReactNode {
  const t = useT("notify");
  const line = (label: string, value: string, copy: string): ReactNode => (
    <div className="notify-record-line">
      <span className="small muted">{label}</span>
      <code dir="ltr">{value}</code>
      <CopyButton text={value} label={copy} />
    </div>
  );
  return (
    <li className="notify-record">
      <div className="row between wrap">
        <span className="row wrap">
          <strong>{t(`record.${record.purpose}`)}</strong>
          <Badge>{record.type}</Badge>
          {!record.required && <span className="small muted">{t("record.recommended")}</span>}
        </span>
        <Badge tone={recordTones[record.status]} icon={recordIcons[record.status]}>
          {t(`record.state.${record.status}`)}
        </Badge>
      </div>
      <p className="small muted">{t(`record.text.${record.purpose}`)}</p>
      {line(t("record.name"), record.name, t("record.copyName", { purpose: t(`record.${record.purpose}`) }))}
      {line(t("record.value"), record.value, t("record.copyValue", { purpose: t(`record.${record.purpose}`) }))}
      {record.detail && (
        <p className="notify-record-detail" dir="auto">
          {record.detail}
        </p>
      )}
    </li>
  );
}
