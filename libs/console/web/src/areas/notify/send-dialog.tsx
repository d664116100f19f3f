import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { navigate } from "../../router/index.tsx";
import { useClients, useMe, useTenant } from "../../session/index.ts";
import { Button, Dialog, ErrorNotice, fieldErrors, LinkButton, Notice, QueryState, Select, TextField, toast } from "../../ui/index.ts";
import { ChannelLabel } from "./labels.tsx";
import { notificationHref, type Template } from "./model.ts";
import { keys, useTemplates } from "./queries.ts";
import { VariableFields } from "./variables.tsx";

interface Props {
  isOpen: boolean;
  onClose: () => void;
  /** The template to send. Without it, the user chooses one. */
  template?: Template;
  /** First values of the placeholders. */
  variables?: Record<string, string>;
}

/** Sends one notification, at once or later. */
export function SendDialog({ isOpen, onClose, template, variables = {} }: Props): ReactNode {
  const t = useT("notify");
  const templates = useTemplates();
  if (!isOpen) return null;
  if (template) return <Form isTest onClose={onClose} templates={[template]} first={template} variables={variables} />;
  if (templates.data) return <Form onClose={onClose} templates={templates.data} first={templates.data.length === 1 ? templates.data[0] : undefined} variables={variables} />;
  return (
    <Dialog isOpen onClose={onClose} title={t("send.title")}>
      <QueryState query={templates}>{() => null}</QueryState>
    </Dialog>
  );
}

/** The time of a `datetime-local` field in ISO 8601, or undefined. */
const momentOf = (local: string): string | undefined => (local && !Number.isNaN(Date.parse(local)) ? new Date(local).toISOString() : undefined);

function Form({ isTest = false, onClose, templates, first, variables }: { isTest?: boolean; onClose: () => void; templates: Template[]; first: Template | undefined; variables: Record<string, string> }): ReactNode {
  const t = useT("notify");
  const common = useT("common");
  const me = useMe();
  const { environment } = useTenant();
  const { notify } = useClients();
  const client = useQueryClient();
  const [id, setId] = useState(first?.templateId ?? null);
  const [recipients, setRecipients] = useState<Record<string, string>>({ email: me.email, push: me.sub, sms: "" });
  const [values, setValues] = useState(variables);
  const [sendAt, setSendAt] = useState("");
  const template = templates.find((one) => one.templateId === id);
  const to = template ? (recipients[template.channel] ?? "") : "";
  const send = useMutation({
    mutationFn: async ({ name, channel, placeholders }: Template) => {
      const moment = momentOf(sendAt);
      const given = Object.fromEntries(placeholders.map((placeholder) => [placeholder, values[placeholder] ?? ""]));
      return notify.sendNotification({ templateName: name, channel, to: to.trim(), variables: given, ...(moment && { sendAt: moment }) });
    },
    meta: { silent: true },
    onSuccess: ({ notificationId }) => {
      void client.invalidateQueries({ queryKey: keys.notifications });
      toast.success(t("send.done", { to: to.trim() }), { action: { label: t("send.follow"), run: () => navigate(notificationHref(notificationId)) } });
      onClose();
    },
  });
  const errors = fieldErrors(send.error);
  if (templates.length === 0)
    return (
      <Dialog isOpen onClose={onClose} title={t("send.title")} footer={<LinkButton variant="primary" href="/console/notify/templates/new" onClick={onClose}>{t("templates.create")}</LinkButton>}>
        <p>{t("send.noTemplates")}</p>
      </Dialog>
    );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t(isTest ? "send.testTitle" : "send.title")}
      footer={
        <>
          <Button onPress={onClose}>{common("action.cancel")}</Button>
          <Button variant="primary" icon={<Send aria-hidden />} isDisabled={!template || !to.trim()} isPending={send.isPending} onPress={() => template && send.mutate(template)}>
            {t(sendAt ? "send.schedule" : "send.now")}
          </Button>
        </>
      }
    >
      <div className="stack">
        {environment === "production" && <Notice tone="warning">{t("send.production")}</Notice>}
        {templates.length === 1 && template ? (
          <div className="notify-picked">
            <ChannelLabel channel={template.channel} />
            <strong dir="auto">{template.name}</strong>
          </div>
        ) : (
          <Select
            label={t("send.template")}
            placeholder={t("send.choose")}
            value={id}
            onChange={(value) => setId(value)}
            options={templates.map((one) => ({ value: one.templateId, label: one.name, description: t(`channel.${one.channel}`) }))}
            error={errors["templateName"]}
          />
        )}
        {template && (
          <>
            <TextField
              key={template.channel}
              label={t(`send.to.${template.channel}`)}
              description={t(`send.toText.${template.channel}`)}
              value={to}
              onChange={(value) => setRecipients({ ...recipients, [template.channel]: value })}
              error={errors["to"]}
              autoComplete="off"
              maxLength={254}
              isRequired
            />
            <VariableFields names={template.placeholders} values={values} onChange={setValues} errors={errors} />
            <TextField type="datetime-local" label={t("send.at")} description={t("send.atText")} value={sendAt} onChange={setSendAt} error={errors["sendAt"]} />
          </>
        )}
        {send.error && <ErrorNotice error={send.error} title={t("send.failed")} />}
      </div>
    </Dialog>
  );
}
