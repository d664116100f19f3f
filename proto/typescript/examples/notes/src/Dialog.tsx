import { useId, useLayoutEffect, useRef, type ReactNode } from "react";
import { Icon } from "./icons";

/**
 * A modal dialog: in the middle of the page, or a drawer at its side. The browser keeps the focus inside and gives it back. The focus
 * begins at the element with `data-focus`, otherwise at the button that closes the dialog.
 */
export function Dialog({ title, drawer = false, onClose, children }: { title: string; drawer?: boolean; onClose: () => void; children: ReactNode }) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    dialog.querySelector<HTMLElement>("[data-focus]")?.focus();
    return () => dialog.close();
  }, []);
  const cancel = (event: { preventDefault: () => void }): void => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog
      ref={element}
      className={drawer ? "drawer" : "modal"}
      aria-labelledby={id}
      onCancel={cancel}
      onMouseDown={(event) => event.target === element.current && onClose()}
    >
      <div className="sheet">
        <header className="sheet-head">
          <h2 id={id}>{title}</h2>
          <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
