import { CircleAlert, Info, RotateCw, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { useT } from "../i18n/index.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy.tsx";
import { describeError } from "./errors.ts";

export function Spinner({ label }: { label?: string }): ReactNode {
  const t = useT("common");
  return (
    <span className="spinner-box" role="status">
      <span className="spinner" aria-hidden />
      <span className="visually-hidden">{label ?? t("state.loading")}</span>
    </span>
  );
}

/** An error with its request id, which helps the operator to find the request. */
export function ErrorNotice({ error, title, onRetry }: { error: unknown; title?: string; onRetry?: () => void }): ReactNode {
  const t = useT("common");
  const described = describeError(error);
  const detail = described.detail ?? (title === undefined ? undefined : described.title);
  return (
    <div className="notice notice-danger" role="alert">
      <CircleAlert aria-hidden />
      <div className="notice-body">
        <strong>{title ?? described.title}</strong>
        {detail && described.fields.length === 0 && <p dir="auto">{detail}</p>}
        {described.fields.length > 0 && (
          <ul className="notice-fields">
            {described.fields.map((field) => (
              <li key={field.pointer + field.detail}>
                <code>{field.pointer || "/"}</code> {field.detail}
              </li>
            ))}
          </ul>
        )}
        {described.requestId && (
          <p className="notice-request">
            {t("error.requestId")} <code>{described.requestId}</code>
            <CopyButton text={described.requestId} label={t("error.copyRequestId")} />
          </p>
        )}
        {onRetry && (
          <Button size="s" icon={<RotateCw aria-hidden />} onPress={onRetry}>
            {t("action.retry")}
          </Button>
        )}
      </div>
    </div>
  );
}

export function Notice({ tone = "info", title, children }: { tone?: "info" | "warning" | "success"; title?: string; children?: ReactNode }): ReactNode {
  return (
    <div className={`notice notice-${tone}`} role="note">
      {tone === "warning" ? <TriangleAlert aria-hidden /> : <Info aria-hidden />}
      <div className="notice-body">
        {title && <strong>{title}</strong>}
        {children}
      </div>
    </div>
  );
}

/** A list without entries: why it is empty, and what the user can do. */
export function EmptyState({ icon, title, text, action }: { icon?: ReactNode; title: string; text?: ReactNode; action?: ReactNode }): ReactNode {
  return (
    <div className="empty">
      {icon && <span className="empty-icon">{icon}</span>}
      <h2 className="empty-title">{title}</h2>
      {text && <p className="muted">{text}</p>}
      {action && <div className="empty-action">{action}</div>}
    </div>
  );
}

/** The content of a query: a spinner, an error with retry, or the data. */
export function QueryState<Data>({ query, children }: { query: { data: Data | undefined; error: unknown; isPending: boolean; refetch: () => unknown }; children: (data: Data) => ReactNode }): ReactNode {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <div className="center">
      <Spinner />
    </div>
  );
}

/** Grey lines while content loads. */
export function Skeleton({ lines = 3 }: { lines?: number }): ReactNode {
  return (
    <div className="stack-s" aria-hidden>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} className="skeleton" />
      ))}
    </div>
  );
}
