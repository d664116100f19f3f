import { Check, Copy } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { useT } from "../i18n/index.ts";
import { Button, IconButton } from "./button.tsx";

/** Copies a text. With `showLabel`, the label is visible. `onCopied` is called when the text has been copied. */
export function CopyButton({ text, label, showLabel = false, onCopied }: { text: string; label?: string; showLabel?: boolean; onCopied?: () => void }): ReactNode {
  const t = useT("common");
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(() => {
      setCopied(true);
      onCopied?.();
    });
  const icon = copied ? <Check aria-hidden /> : <Copy aria-hidden />;
  const name = copied ? t("action.copied") : (label ?? t("action.copy"));
  return (
    <>
      {showLabel ? (
        <Button size="s" icon={icon} onPress={copy}>
          {name}
        </Button>
      ) : (
        <IconButton size="s" label={name} icon={icon} onPress={copy} />
      )}
      <span role="status" className="visually-hidden">
        {copied ? t("action.copied") : ""}
      </span>
    </>
  );
}

/** A value in fixed-width type with a button that copies it. `secret`: selectable on its own line. */
export function CopyableCode({ text, label }: { text: string; label?: string }): ReactNode {
  return (
    <span className="copyable">
      <code dir="ltr">{text}</code>
      <CopyButton text={text} {...(label !== undefined && { label })} />
    </span>
  );
}
