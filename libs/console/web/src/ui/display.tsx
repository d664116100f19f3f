import { useEffect, useRef, useSyncExternalStore, type ReactNode } from "react";
import { useFormats, useT } from "../i18n/index.ts";
import { moveCount, usePathname } from "../router/index.tsx";
import { currentTenant } from "../session/environment.ts";

export type Tone = "neutral" | "accent" | "success" | "warning" | "danger" | "info" | "violet";

/** A short state. The text carries the meaning, the colour only supports it. */
export function Badge({ tone = "neutral", icon, dot = false, children }: { tone?: Tone; icon?: ReactNode; dot?: boolean; children: ReactNode }): ReactNode {
  return (
    <span className={`badge tone-${tone}`}>
      {dot && <span className="badge-dot" aria-hidden />}
      {icon}
      {children}
    </span>
  );
}

const minute = 60_000;
let now = Date.now();
const ticks = new Set<() => void>();
setInterval(() => {
  now = Date.now();
  for (const tick of ticks) tick();
}, minute / 2);
const useNow = (): number =>
  useSyncExternalStore(
    (tick) => {
      ticks.add(tick);
      return () => ticks.delete(tick);
    },
    () => now,
  );

/** "3 hours ago", with the exact time as title. Null shows a dash. */
export function TimeAgo({ value }: { value: string | null | undefined }): ReactNode {
  const formats = useFormats();
  const current = useNow();
  if (!value) return <span className="faint">—</span>;
  return (
    <time dateTime={value} title={formats.exact(value)}>
      {formats.relative(value, Math.max(current, Date.now()))}
    </time>
  );
}

/** Date and time, with the seconds and the zone as title. */
export function DateTime({ value }: { value: string | null | undefined }): ReactNode {
  const formats = useFormats();
  if (!value) return <span className="faint">—</span>;
  return (
    <time dateTime={value} title={formats.exact(value)}>
      {formats.dateTime(value)}
    </time>
  );
}

export interface PageHeaderProps {
  /** Name of the page; also the title of the document. */
  title: string;
  description?: ReactNode;
  /** Buttons. */
  actions?: ReactNode;
  /** Above the title, for example a link back. */
  before?: ReactNode;
  /** Below the title, for example `NavTabs`. */
  tabs?: ReactNode;
}

/** The heading of a page. After a move to another page it gets the focus, so that screen readers read it. */
export function PageHeader({ title, description, actions, before, tabs }: PageHeaderProps): ReactNode {
  const t = useT("common");
  const heading = useRef<HTMLHeadingElement>(null);
  const pathname = usePathname();
  useEffect(() => {
    const { slug, environment } = currentTenant();
    document.title = `${title} · ${slug} · ${environment === "sandbox" ? "Sandbox" : t("app.name")}`;
  }, [title, t]);
  useEffect(() => {
    if (moveCount() > 0) heading.current?.focus({ preventScroll: true });
  }, [pathname]);
  return (
    <header className="page-header">
      {before && <div className="page-before">{before}</div>}
      <div className="page-title-row">
        <div className="page-title-box">
          <h1 ref={heading} tabIndex={-1} className="page-title" dir="auto">
            {title}
          </h1>
          {description && <div className="page-description">{description}</div>}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </div>
      {tabs}
    </header>
  );
}

/** A framed part of a page. */
export function Card({ title, description, actions, children, flush = false, className }: { title?: ReactNode; description?: ReactNode; actions?: ReactNode; children?: ReactNode; flush?: boolean; className?: string }): ReactNode {
  return (
    <section className={`card${flush ? " card-flush" : ""}${className ? ` ${className}` : ""}`}>
      {(title || actions) && (
        <header className="card-header">
          <div>
            {title && <h2 className="card-title">{title}</h2>}
            {description && <p className="muted">{description}</p>}
          </div>
          {actions && <div className="row">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

/** Names and values. Null and undefined values show a dash. */
export function KeyValueList({ items, layout = "rows" }: { items: { label: ReactNode; value: ReactNode; key?: string }[]; layout?: "rows" | "stacked" }): ReactNode {
  return (
    <dl className={`key-values key-values-${layout}`}>
      {items.map(({ label, value, key }, index) => (
        <div key={key ?? index}>
          <dt>{label}</dt>
          <dd dir="auto">{value === null || value === undefined || value === "" ? <span className="faint">—</span> : value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A number with a label, for overviews. */
export function Stat({ label, value, hint, tone }: { label: string; value: ReactNode; hint?: ReactNode; tone?: Tone }): ReactNode {
  return (
    <div className={`stat card${tone ? ` stat-${tone}` : ""}`}>
      <span className="stat-label">{label}</span>
      <span className="stat-value">{value}</span>
      {hint && <span className="stat-hint">{hint}</span>}
    </div>
  );
}

/** Letters of a name in a circle. */
export function Avatar({ name }: { name: string }): ReactNode {
  const letters = [...name.replace(/@.*/, "").replace(/[^\p{L}\p{N}]+/gu, " ").trim()].slice(0, 1).join("").toUpperCase() || "?";
  const hue = [...name].reduce((sum, char) => (sum * 31 + char.codePointAt(0)!) % 6, 0);
  return (
    <span className={`avatar avatar-${hue}`} aria-hidden>
      {letters}
    </span>
  );
}

/** A bar of progress. `value` is between 0 and `max`; without a value the end is unknown. */
export function Progress({ label, value, max = 1, detail }: { label: string; value?: number | undefined; max?: number; detail?: ReactNode }): ReactNode {
  const part = value === undefined ? undefined : Math.min(1, max === 0 ? 1 : value / max);
  return (
    <div className="progress-box">
      <div className="progress-label">
        <span>{label}</span>
        {detail && <span className="muted">{detail}</span>}
      </div>
      <progress className="progress" aria-label={label} {...(part !== undefined && { value: part, max: 1 })} />
    </div>
  );
}
