import { useMutation, useQueryClient } from "@tanstack/react-query";
import { KeyRound, Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { useClients, useStepUp, useTenant } from "../../session/index.ts";
import { Badge, Button, Card, ConfirmDialog, CopyableCode, IconButton, KeyValueList, Notice, PageHeader, QueryState, Select, Switch, TimeAgo, toast } from "../../ui/index.ts";
import { CredentialDialog } from "./credential-dialog.tsx";
import { NotifyTabs, platformIcons, useReason } from "./labels.tsx";
import { platformKinds, type Platform, type PlatformKind } from "./model.ts";
import { keys, usePlatforms, useSettings, type Settings } from "./queries.ts";

/** The credentials of the push providers, and the settings of the environment. */
export function PushPage(): ReactNode {
  const t = useT("notify");
  const platforms = usePlatforms();
  const settings = useSettings();
  return (
    <>
      <PageHeader title={t("tabs.push")} description={t("platforms.text")} tabs={<NotifyTabs />} />
      <QueryState query={platforms}>
        {(all) => (
          <div className="stack">
            <div className="notify-platforms">
              {platformKinds.map((kind) => (
                <PlatformCard key={kind} kind={kind} platform={all.find((one) => one.kind === kind)} />
              ))}
            </div>
            <QueryState query={settings}>{(value) => <SettingsCard settings={value} />}</QueryState>
          </div>
        )}
      </QueryState>
    </>
  );
}

function PlatformCard({ kind, platform }: { kind: PlatformKind; platform: Platform | undefined }): ReactNode {
  const t = useT("notify");
  const formats = useFormats();
  const explain = useReason();
  const { slug } = useTenant();
  const { notify } = useClients();
  const client = useQueryClient();
  const stepUp = useStepUp();
  const [open, setOpen] = useState<"put" | "delete" | null>(null);
  const state = !platform ? "none" : platform.pausedUntil ? "paused" : "ready";
  return (
    <Card
      className="notify-platform"
      title={
        <span className="notify-platform-title">
          <span className="notify-carrier-icon">{platformIcons[kind]}</span>
          {t(`platform.${kind}`)}
        </span>
      }
      actions={
        <Badge tone={state === "ready" ? "success" : state === "paused" ? "warning" : "neutral"} dot>
          {t(`platforms.state.${state}`)}
        </Badge>
      }
    >
      <div className="stack notify-platform-body">
        <p className="small muted">{t(`platform.text.${kind}`)}</p>
        {platform?.pausedUntil && (
          <Notice tone="warning" title={t("platforms.paused", { time: formats.dateTime(platform.pausedUntil) })}>
            <p>{(platform.pausedReason && explain(platform.pausedReason)) ?? t("platforms.pausedText")}</p>
            {platform.pausedReason && <code>{platform.pausedReason}</code>}
          </Notice>
        )}
        {platform?.pruningStoppedAt && (
          <Notice tone="warning" title={t("platforms.pruning", { time: formats.dateTime(platform.pruningStoppedAt) })}>
            <p>{t("platforms.pruningText")}</p>
          </Notice>
        )}
        {platform && <KeyValueList layout="stacked" items={[...factsOf(platform, t), { label: t("column.updated"), value: <TimeAgo value={platform.updatedAt} /> }]} />}
        <div className="form-actions notify-platform-actions">
          <Button size="s" variant={platform ? "secondary" : "primary"} icon={<KeyRound aria-hidden />} onPress={() => setOpen("put")} aria-label={t(platform ? "platforms.replaceOf" : "platforms.addOf", { name: t(`platform.${kind}`) })}>
            {t(platform ? "platforms.replace" : "platforms.add")}
          </Button>
          {platform && <IconButton size="s" label={t("platforms.deleteOf", { name: t(`platform.${kind}`) })} icon={<Trash2 aria-hidden />} onPress={() => setOpen("delete")} />}
        </div>
      </div>
      {open === "put" && <CredentialDialog kind={kind} platform={platform} onClose={() => setOpen(null)} />}
      {open === "delete" && (
        <ConfirmDialog
          isOpen
          onClose={() => setOpen(null)}
          title={t("platforms.deleteTitle", { name: t(`platform.${kind}`) })}
          confirmLabel={t("platforms.delete")}
          typeToConfirm={slug}
          onConfirm={async () => {
            await stepUp(() => notify.deletePlatform(kind), { fresh: true });
            await client.invalidateQueries({ queryKey: keys.platforms });
            toast.success(t("platforms.deleted"));
          }}
        >
          <p>{t(kind === "webpush" ? "platforms.deleteWebText" : "platforms.deleteText")}</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

function factsOf(platform: Platform, t: ReturnType<typeof useT<"notify">>): { label: ReactNode; value: ReactNode }[] {
  if (platform.kind === "fcm") return [{ label: t("credential.projectId"), value: <code>{platform.projectId}</code> }];
  if (platform.kind === "webpush")
    return [
      { label: t("credential.subject"), value: platform.subject },
      { label: t("credential.publicKey"), value: <CopyableCode text={platform.publicKey} label={t("credential.copyPublicKey")} /> },
    ];
  return [
    { label: t("credential.bundleId"), value: <code>{platform.bundleId}</code> },
    { label: t("credential.keyId"), value: <code>{platform.keyId}</code> },
    { label: t("credential.teamId"), value: <code>{platform.teamId}</code> },
    { label: t("credential.environment"), value: t(`credential.environment.${platform.environment}`) },
  ];
}

const retentions = [30, 60, 90, 180, 365, 730] as const;

function SettingsCard({ settings }: { settings: Settings }): ReactNode {
  const t = useT("notify");
  const { notify } = useClients();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: async (next: Partial<Settings>) => notify.updateSettings(next),
    meta: { errorTitle: t("settings.notSaved") },
    onMutate: (next) => {
      const before = client.getQueryData<Settings>(keys.settings);
      client.setQueryData(keys.settings, { ...before, ...next });
      return { before };
    },
    onError: (_error, _next, context) => client.setQueryData(keys.settings, context?.before),
    onSuccess: (value) => {
      client.setQueryData(keys.settings, value);
      toast.success(t("settings.saved"));
    },
  });
  const days = [...new Set([...retentions, settings.notificationRetentionDays])].sort((a, b) => a - b);
  return (
    <Card title={t("settings.title")}>
      <div className="form">
        <Switch label={t("settings.pushEnabled")} description={t("settings.pushEnabledText")} isSelected={settings.pushEnabled} isDisabled={change.isPending} onChange={(pushEnabled) => change.mutate({ pushEnabled })} />
        <Select
          className="notify-retention"
          label={t("settings.retention")}
          description={t("settings.retentionText")}
          value={String(settings.notificationRetentionDays)}
          onChange={(value) => change.mutate({ notificationRetentionDays: Number(value) })}
          options={days.map((count) => ({ value: String(count), label: t("settings.days", { count }) }))}
        />
      </div>
    </Card>
  );
}
