import { Bell, Image, User } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { useTenant } from "../../session/index.ts";
import { RadioGroup } from "../../ui/index.ts";
import { parseHtml, textOf } from "./html.ts";
import { HtmlPreview } from "./html-preview.tsx";
import { smsParts } from "./model.ts";
import type { Rendered } from "./queries.ts";

/** How a message looks for its recipient. Nothing in it can be used. */
export function MessagePreview({ message }: { message: Rendered }): ReactNode {
  if (message.channel === "email") return <EmailPreview message={message} />;
  return message.channel === "push" ? <PushPreview message={message} /> : <SmsPreview text={message.body} />;
}

function EmailPreview({ message }: { message: Rendered }): ReactNode {
  const t = useT("notify");
  const { slug } = useTenant();
  const [view, setView] = useState<"picture" | "text" | "source">("picture");
  const html = message.format === "html";
  const words = useMemo(() => (html ? textOf(parseHtml(message.body)) : message.body), [html, message.body]);
  return (
    <div className="stack-s">
      {html && (
        <RadioGroup
          label={t("preview.view")}
          hideLabel
          look="segments"
          value={view}
          onChange={setView}
          options={(["picture", "text", "source"] as const).map((value) => ({ value, label: t(`preview.${value}`) }))}
        />
      )}
      <div className="notify-mail">
        <div className="notify-mail-head">
          <span className="notify-mail-avatar" aria-hidden>
            <User />
          </span>
          <div className="notify-mail-lines">
            <strong dir="auto">{message.subject || <span className="faint">{t("preview.noSubject")}</span>}</strong>
            <span className="small muted">{t("preview.from", { name: slug })}</span>
          </div>
        </div>
        <div className="notify-mail-body" tabIndex={0} role="region" aria-label={t("preview.body")}>
          {html && view === "picture" ? <HtmlPreview html={message.body} /> : <pre className={view === "source" && html ? "notify-source" : "notify-text"} dir={view === "source" && html ? "ltr" : "auto"}>{view === "source" && html ? message.body : words}</pre>}
        </div>
      </div>
      {html && view === "picture" && <p className="small muted">{t("preview.htmlText")}</p>}
    </div>
  );
}

function PushPreview({ message }: { message: Rendered }): ReactNode {
  const t = useT("notify");
  const { slug } = useTenant();
  if (message.push?.background) return <p className="muted">{t("preview.background")}</p>;
  return (
    <div className="notify-phone">
      <div className="notify-push">
        <span className="notify-push-icon" aria-hidden>
          <Bell />
        </span>
        <div className="notify-push-text">
          <span className="notify-push-app small">
            <span className="truncate">{slug}</span>
            <span>{t("preview.now")}</span>
          </span>
          {message.subject && <strong dir="auto">{message.subject}</strong>}
          <span dir="auto" className="pre">{message.body}</span>
          {message.push?.image && <span className="notify-push-image small"><Image aria-hidden /><span className="truncate">{message.push.image}</span></span>}
        </div>
      </div>
    </div>
  );
}

function SmsPreview({ text }: { text: string }): ReactNode {
  const t = useT("notify");
  const formats = useFormats();
  const { characters, parts } = smsParts(text);
  return (
    <div className="stack-s">
      <div className="notify-phone">
        <p className="notify-bubble pre" dir="auto">{text || "…"}</p>
      </div>
      <p className="small muted">{t("preview.smsParts", { characters: formats.number(characters), count: parts })}</p>
    </div>
  );
}
