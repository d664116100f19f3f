import type { ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { Select, Switch, TextField } from "../../ui/index.ts";
import { pushOf, type PushDraft } from "./draft.ts";

/** The options of a push template. Empty fields have the default of the service. */
export function PushOptionFields({ value, onChange, errors }: { value: PushDraft; onChange: (value: PushDraft) => void; errors: Record<string, string> }): ReactNode {
  const t = useT("notify");
  const set = (next: Partial<PushDraft>): void => onChange({ ...value, ...next });
  const field = (name: "collapseKey" | "image" | "link" | "sound" | "channelId", maxLength: number): ReactNode => (
    <TextField label={t(`push.${name}`)} description={t(`push.${name}Text`)} value={value[name]} onChange={(text) => set({ [name]: text })} error={errors[`push/${name}`]} maxLength={maxLength} autoComplete="off" />
  );
  const failed = Object.keys(errors).some((name) => name.startsWith("push"));
  const used = Object.keys(pushOf(value) ?? {}).length;
  return (
    <details className="notify-options" {...(failed && { open: true })}>
      <summary>
        {t("push.options")}
        {used > 0 && <span className="muted"> · {t("push.used", { count: used })}</span>}
      </summary>
      <div className="notify-option-fields">
        <Select
          label={t("push.priority")}
          value={value.priority || "default"}
          onChange={(priority) => set({ priority: priority === "default" ? "" : priority })}
          options={(["default", "high", "normal"] as const).map((option) => ({ value: option, label: t(`push.priority.${option}`) }))}
        />
        <TextField type="number" label={t("push.ttlSeconds")} description={t("push.ttlSecondsText")} value={value.ttlSeconds} onChange={(ttlSeconds) => set({ ttlSeconds })} error={errors["push/ttlSeconds"]} min={0} max={2_419_200} />
        {field("link", 2000)}
        {field("image", 2000)}
        {field("collapseKey", 64)}
        <TextField type="number" label={t("push.badge")} description={t("push.badgeText")} value={value.badge} onChange={(badge) => set({ badge })} error={errors["push/badge"]} min={0} />
        {field("sound", 100)}
        {field("channelId", 200)}
      </div>
      <Switch label={t("push.background")} description={t("push.backgroundText")} isSelected={value.background} onChange={(background) => set({ background })} />
    </details>
  );
}
