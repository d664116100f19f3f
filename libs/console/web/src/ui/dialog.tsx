import { TriangleAlert, X } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { useT } from "../i18n/index.ts";
import { useAttempt } from "./attempt.ts";
import { Button, IconButton } from "./button.tsx";
import { TextField } from "./fields.tsx";
import { ErrorNotice } from "./states.tsx";

export interface DialogProps {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  /** Width: 420, 560 or 880 pixels. `drawer`: a panel at the edge. */
  size?: "s" | "m" | "l" | "drawer";
  /** Buttons at the bottom. */
  footer?: ReactNode;
  role?: "dialog" | "alertdialog";
  /** Whether an action runs whose result the dialog shows. The dialog cannot be closed meanwhile. */
  isPending?: boolean;
  children: ReactNode;
}

/** A modal dialog. Escape closes it, and a press outside closes it unless it is an alert dialog. */
export function Dialog({ isOpen, onClose, title, size = "m", footer, role = "dialog", isPending = false, children }: DialogProps): ReactNode {
  const t = useT("common");
  return (
    <ModalOverlay isOpen={isOpen} onOpenChange={(open) => !open && !isPending && onClose()} isDismissable={role === "dialog" && !isPending} isKeyboardDismissDisabled={isPending} className={`overlay${size === "drawer" ? " overlay-drawer" : ""}`}>
      <Modal className={`modal modal-${size}`}>
        <AriaDialog role={role} className="dialog">
          <header className="dialog-header">
            <Heading slot="title" className="dialog-title">
              {title}
            </Heading>
            <IconButton label={t("action.close")} icon={<X aria-hidden />} isDisabled={isPending} onPress={onClose} />
          </header>
          <div className="dialog-body">{children}</div>
          {footer && <footer className="dialog-footer">{footer}</footer>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

export interface ConfirmDialogProps {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  /** What happens, and what cannot be undone. */
  children: ReactNode;
  confirmLabel: string;
  tone?: "danger" | "primary";
  /** For dangerous actions: the user types this name to enable the button. */
  typeToConfirm?: string;
  /** The dialog closes when this succeeds, and shows the error when it fails. */
  onConfirm: () => PromiseLike<unknown> | unknown;
}

/** Asks before an action. Render it while `isOpen`, so that it begins empty. */
export function ConfirmDialog({ isOpen, onClose, title, children, confirmLabel, tone = "danger", typeToConfirm, onConfirm }: ConfirmDialogProps): ReactNode {
  const t = useT("common");
  const [typed, setTyped] = useState("");
  const { run, pending, error, clear } = useAttempt();
  const close = (): void => {
    setTyped("");
    clear();
    onClose();
  };
  const confirm = async (): Promise<void> => {
    await run(async () => {
      await onConfirm();
      close();
    });
  };
  const blocked = typeToConfirm !== undefined && typed.trim() !== typeToConfirm;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={title}
      size="s"
      role="alertdialog"
      isPending={pending}
      footer={
        <>
          <Button onPress={close} isDisabled={pending} autoFocus={typeToConfirm === undefined}>
            {t("action.cancel")}
          </Button>
          <Button variant={tone} isPending={pending} isDisabled={blocked} onPress={() => void confirm()}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      <div className="stack">
        <div className={tone === "danger" ? "confirm-text" : undefined}>
          {tone === "danger" && <TriangleAlert aria-hidden className="confirm-icon" />}
          <div className="stack-s">{children}</div>
        </div>
        {typeToConfirm !== undefined && <TextField autoFocus label={t("confirm.type", { name: typeToConfirm })} value={typed} onChange={setTyped} autoComplete="off" monospace />}
        {error !== null && <ErrorNotice error={error} />}
      </div>
    </Dialog>
  );
}
