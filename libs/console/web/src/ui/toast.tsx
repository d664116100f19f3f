import { CircleAlert, CircleCheck, X } from "lucide-react";
import { useEffect, useSyncExternalStore, type ReactNode } from "react";
import { useT } from "../i18n/index.ts";
import { Button, IconButton } from "./button.tsx";
import { describeError, isCancelled } from "./errors.ts";

interface Toast {
  id: number;
  tone: "success" | "warning" | "danger";
  title: string;
  detail?: string | undefined;
  requestId?: string | undefined;
  action?: { label: string; run: () => void } | undefined;
}

let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();
const set = (next: readonly Toast[]): void => {
  toasts = next;
  for (const listener of listeners) listener();
};
const dismiss = (id: number): void => set(toasts.filter((toast) => toast.id !== id));
const add = (toast: Omit<Toast, "id">): void => set([...toasts, { ...toast, id: (last += 1) }].slice(-3));

/** Short messages at the edge of the page. Warnings and errors stay until they are closed. */
export const toast = {
  success: (title: string, options: { action?: { label: string; run: () => void } } = {}): void => add({ tone: "success", title, ...options }),
  warning: (title: string, detail: string): void => add({ tone: "warning", title, detail }),
  /** `title`: the failed action, for example "The thread was not changed". */
  error: (error: unknown, title?: string): void => {
    if (isCancelled(error)) return;
    const described = describeError(error);
    const fields = described.fields.map((field) => `${field.pointer} ${field.detail}`).join(" ");
    add({ tone: "danger", title: title ?? described.title, detail: fields || (title ? (described.detail ?? described.title) : described.detail), requestId: described.requestId });
  },
};

/** Time for which a message of success is shown, if it offers no action. */
const lifetimeMs = 4000;
const lifetimeWithActionMs = 8000;

function ToastItem({ item }: { item: Toast }): ReactNode {
  const t = useT("common");
  useEffect(() => {
    if (item.tone !== "success") return undefined;
    const timer = setTimeout(() => dismiss(item.id), item.action ? lifetimeWithActionMs : lifetimeMs);
    return () => clearTimeout(timer);
  }, [item]);
  return (
    <li className={`toast toast-${item.tone}`}>
      {item.tone === "success" ? <CircleCheck aria-hidden /> : <CircleAlert aria-hidden />}
      <div className="toast-body">
        <strong dir="auto">{item.title}</strong>
        {item.detail && <span dir="auto">{item.detail}</span>}
        {item.requestId && (
          <span className="toast-request">
            {t("error.requestId")} <code>{item.requestId}</code>
          </span>
        )}
        {item.action && (
          <Button
            size="s"
            onPress={() => {
              item.action?.run();
              dismiss(item.id);
            }}
          >
            {item.action.label}
          </Button>
        )}
      </div>
      <IconButton size="s" label={t("action.close")} icon={<X aria-hidden />} onPress={() => dismiss(item.id)} />
    </li>
  );
}

export function Toasts(): ReactNode {
  const t = useT("common");
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <section aria-label={t("toasts.label")} aria-live="polite" className="toasts">
      <ul>
        {shown.map((item) => (
          <ToastItem key={item.id} item={item} />
        ))}
      </ul>
    </section>
  );
}
