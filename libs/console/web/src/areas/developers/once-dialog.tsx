import { useState, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { Button, CopyButton, Dialog, Notice } from "../../ui/index.ts";

interface Props {
  title: string;
  /** Name of the secret, for example "API key". */
  label: string;
  secret: string;
  /** What the secret is for. */
  children?: ReactNode;
  /** Why the text must be stored now. */
  warning: string;
  onClose: () => void;
}

/** Shows a secret that no later response contains. Without a copy, the first attempt to close it is met with a question. */
export function OnceDialog({ title, label, secret, children, warning, onClose }: Props): ReactNode {
  const t = useT("developers");
  const [copied, setCopied] = useState(false);
  const [asked, setAsked] = useState(false);
  return (
    <Dialog
      isOpen
      role="alertdialog"
      onClose={() => (copied || asked ? onClose() : setAsked(true))}
      title={title}
      footer={
        <Button variant="primary" onPress={onClose}>
          {t("once.stored")}
        </Button>
      }
    >
      <div className="stack">
        {children}
        <div className="dev-secret">
          <code tabIndex={0} role="textbox" aria-readonly aria-label={label} dir="ltr">
            {secret}
          </code>
          <CopyButton text={secret} showLabel onCopied={() => setCopied(true)} />
        </div>
        <Notice tone="warning" title={warning} />
        {asked && !copied && (
          <div role="alert">
            <Notice tone="warning" title={t("once.sure")}>
              <p>{t("once.sureText")}</p>
            </Notice>
          </div>
        )}
      </div>
    </Dialog>
  );
}
