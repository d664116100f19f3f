import { useQueryClient } from "@tanstack/react-query";
import { ChevronUp, ExternalLink, ImageUp, Trash2 } from "lucide-react";
import { useMemo, useState, type CSSProperties, type FormEvent, type ReactNode } from "react";
import { FileTrigger } from "react-aria-components";
import { useFormats, useT } from "../../i18n/index.ts";
import { useClients, useConfig, useTenant } from "../../session/index.ts";
import { Button, Card, ErrorNotice, fieldErrors, LinkButton, PageHeader, QueryState, Switch, TextField, toast } from "../../ui/index.ts";
import { StatusBadge } from "./labels.tsx";
import { keys, useSettings, type Settings } from "./queries.ts";
import { FeedbackTabs } from "./tabs.tsx";

/** Settings of the board and of emails. */
export function BoardSettings(): ReactNode {
  const t = useT("feedback");
  const { feedbackUrl } = useConfig();
  const settings = useSettings();
  return (
    <>
      <PageHeader
        title={t("board.title")}
        description={t("board.text")}
        tabs={<FeedbackTabs />}
        actions={
          settings.data?.publicBoard && (
            <LinkButton href={`${feedbackUrl}/board`} target="_blank" rel="noopener" icon={<ExternalLink aria-hidden />}>
              {t("board.open")}
            </LinkButton>
          )
        }
      />
      <QueryState query={settings}>{(data) => <Form key={JSON.stringify(data)} settings={data} />}</QueryState>
    </>
  );
}

type Draft = Pick<Settings, "publicBoard" | "publicByDefault" | "reopenOnReply" | "notifyUsers"> & { boardName: string; boardColor: string; notifyEmail: string };

const draftOf = (settings: Settings): Draft => ({
  publicBoard: settings.publicBoard,
  publicByDefault: settings.publicByDefault,
  reopenOnReply: settings.reopenOnReply,
  notifyUsers: settings.notifyUsers,
  boardName: settings.boardName ?? "",
  boardColor: settings.boardColor ?? "",
  notifyEmail: settings.notifyEmail ?? "",
});

/** The fields that differ. Empty texts restore the default. */
function changesOf(before: Draft, after: Draft): Record<string, string | boolean | null> {
  const names = (Object.keys(after) as (keyof Draft)[]).filter((name) => after[name] !== before[name]);
  return Object.fromEntries(names.map((name) => [name, after[name] === "" ? null : after[name]]));
}

function Form({ settings }: { settings: Settings }): ReactNode {
  const t = useT("feedback");
  const common = useT("common");
  const client = useQueryClient();
  const { feedback } = useClients();
  const before = useMemo(() => draftOf(settings), [settings]);
  const [draft, setDraft] = useState(before);
  const [error, setError] = useState<unknown>(null);
  const [pending, setPending] = useState(false);
  const [preview, setPreview] = useState<string | null>(null);
  const changes = changesOf(before, draft);
  const dirty = Object.keys(changes).length > 0;
  const errors = fieldErrors(error);
  const set = (next: Partial<Draft>): void => setDraft((one) => ({ ...one, ...next }));
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setPending(true);
    setError(null);
    try {
      client.setQueryData(keys.settings, await feedback.updateSettings(changes as never));
      toast.success(common("state.saved"));
    } catch (failure) {
      setError(failure);
    } finally {
      setPending(false);
    }
  };
  return (
    <div className="feedback-settings">
      <form className="stack" onSubmit={(event) => void save(event)}>
        <Card title={t("board.public")}>
          <div className="stack">
            <Switch label={t("board.publicBoard")} description={t("board.publicBoardText")} isSelected={draft.publicBoard} onChange={(publicBoard) => set({ publicBoard })} />
            <Switch label={t("board.publicByDefault")} description={t("board.publicByDefaultText")} isSelected={draft.publicByDefault} onChange={(publicByDefault) => set({ publicByDefault })} />
          </div>
        </Card>
        <Card title={t("board.look")}>
          <div className="stack">
            <TextField label={t("board.name")} description={t("board.nameText")} value={draft.boardName} onChange={(boardName) => set({ boardName })} maxLength={60} error={errors["boardName"]} />
            <ColorField value={draft.boardColor} onChange={(boardColor) => set({ boardColor })} error={errors["boardColor"]} />
            <Logo settings={settings} onPreview={setPreview} />
          </div>
        </Card>
        <Card title={t("board.emails")}>
          <div className="stack">
            <TextField type="email" label={t("board.notifyEmail")} description={t("board.notifyEmailText")} value={draft.notifyEmail} onChange={(notifyEmail) => set({ notifyEmail })} error={errors["notifyEmail"]} />
            <Switch label={t("board.notifyUsers")} description={t("board.notifyUsersText")} isSelected={draft.notifyUsers} onChange={(notifyUsers) => set({ notifyUsers })} />
            <Switch label={t("board.reopenOnReply")} description={t("board.reopenOnReplyText")} isSelected={draft.reopenOnReply} onChange={(reopenOnReply) => set({ reopenOnReply })} />
          </div>
        </Card>
        {error !== null && <ErrorNotice error={error} title={t("board.notSaved")} />}
        <div className="feedback-save">
          <Button variant="primary" type="submit" isDisabled={!dirty} isPending={pending}>
            {common("action.save")}
          </Button>
          {dirty && <Button onPress={() => (setDraft(before), setError(null))}>{t("board.discard")}</Button>}
        </div>
      </form>
      <Preview draft={draft} logo={preview} hasLogo={settings.logo != null} />
    </div>
  );
}

const defaultColor = "#1a56c4";

function ColorField({ value, onChange, error }: { value: string; onChange: (value: string) => void; error: string | undefined }): ReactNode {
  const t = useT("feedback");
  return (
    <div className="row feedback-color">
      <TextField className="feedback-color-text" label={t("board.color")} description={t("board.colorText")} placeholder={defaultColor} value={value} onChange={(text) => onChange(text.trim().toLowerCase())} maxLength={7} error={error} monospace />
      <TextField className="feedback-color-picker" label={t("board.colorPicker")} hideLabel type="color" value={/^#[0-9a-f]{6}$/.test(value) ? value : defaultColor} onChange={onChange} />
    </div>
  );
}

const maxLogoBytes = 262_144;

/** The logo is stored at once, because it is not part of the form's request. */
function Logo({ settings, onPreview }: { settings: Settings; onPreview: (url: string | null) => void }): ReactNode {
  const t = useT("feedback");
  const formats = useFormats();
  const client = useQueryClient();
  const { feedback } = useClients();
  const [pending, setPending] = useState(false);
  const logo = settings.logo ?? null;

  const run = async (action: () => PromiseLike<unknown>, done: string): Promise<void> => {
    setPending(true);
    try {
      await action();
      await client.invalidateQueries({ queryKey: keys.settings });
      toast.success(done);
    } catch (error) {
      toast.error(error, t("logo.failed"));
    } finally {
      setPending(false);
    }
  };
  const choose = (files: FileList | null): void => {
    const file = files?.[0];
    if (!file) return;
    if (file.size > maxLogoBytes) toast.error(new Error(t("logo.tooLarge", { limit: formats.bytes(maxLogoBytes) })), t("logo.failed"));
    else void run(() => feedback.putLogo(file, { contentType: file.type as "image/png" }).then(() => onPreview(URL.createObjectURL(file))), t("logo.saved"));
  };
  return (
    <div className="stack-s" role="group" aria-label={t("logo.label")}>
      <span className="field-label">{t("logo.label")}</span>
      <span className="field-description">{logo ? t("logo.facts", { type: logo.contentType.replace("image/", "").toUpperCase(), width: logo.width, height: logo.height, size: formats.bytes(logo.sizeBytes) }) : t("logo.none")}</span>
      <div className="row wrap">
        <FileTrigger acceptedFileTypes={["image/png", "image/webp"]} onSelect={choose}>
          <Button size="s" icon={<ImageUp aria-hidden />} isPending={pending}>
            {t(logo ? "logo.replace" : "logo.upload")}
          </Button>
        </FileTrigger>
        {logo && (
          <Button size="s" variant="ghost" icon={<Trash2 aria-hidden />} onPress={() => void run(() => feedback.deleteLogo().then(() => onPreview(null)), t("logo.removed"))}>
            {t("logo.remove")}
          </Button>
        )}
      </div>
    </div>
  );
}

/** How the top of the board looks with these settings. */
function Preview({ draft, logo, hasLogo }: { draft: Draft; logo: string | null; hasLogo: boolean }): ReactNode {
  const t = useT("feedback");
  const { slug } = useTenant();
  const color = /^#[0-9a-f]{6}$/.test(draft.boardColor) ? draft.boardColor : defaultColor;
  return (
    <aside className="feedback-preview" aria-label={t("preview.title")}>
      <Card title={t("preview.title")} description={t(draft.publicBoard ? "preview.text" : "preview.off")}>
        {/* A picture of the page, not a page: nothing in it can be used. */}
        <div className="feedback-preview-page" style={{ "--preview": color } as CSSProperties} inert>
          <div className="feedback-preview-top">
            {/* The picture of an earlier upload is on another host, from which this page loads none. */}
            {logo ? <img src={logo} alt="" /> : hasLogo ? <span className="feedback-preview-logo">{t("logo.label")}</span> : <span className="feedback-preview-mark">{[...(draft.boardName || slug)][0]?.toUpperCase()}</span>}
            <strong dir="auto">{draft.boardName || slug}</strong>
            <span className="feedback-preview-button">{t("preview.newPost")}</span>
          </div>
          {([["preview.first", 128, "in-progress"], ["preview.second", 74, "open"], ["preview.third", 51, "resolved"]] as const).map(([text, votes, status]) => (
            <div key={text} className="feedback-preview-row">
              <span className="feedback-preview-vote">
                <ChevronUp aria-hidden />
                {votes}
              </span>
              <span className="grow">{t(text)}</span>
              <StatusBadge status={status} />
            </div>
          ))}
        </div>
      </Card>
    </aside>
  );
}
