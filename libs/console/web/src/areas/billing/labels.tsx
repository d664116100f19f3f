import { ArrowLeftRight, CircleCheck, CircleSlash } from "lucide-react";
import type { ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { otherEnvironmentUrl } from "../../session/index.ts";
import { Badge, LinkButton, Notice, type Tone } from "../../ui/index.ts";
import { isKnownType, markOf, type BillingEvent, type Entitlement, type EventResult, type Status } from "./model.ts";

/** Whether the user may use the product now. */
export function AccessBadge({ isActive }: { isActive: boolean }): ReactNode {
  const t = useT("billing");
  return isActive ? (
    <Badge tone="success" icon={<CircleCheck aria-hidden />}>
      {t("access.yes")}
    </Badge>
  ) : (
    <Badge icon={<CircleSlash aria-hidden />}>{t("access.no")}</Badge>
  );
}

const statusTones: Record<Status, Tone> = { active: "accent", expired: "warning", paused: "violet" };

/** What the provider reported last. */
export function StatusBadge({ status }: { status: Status }): ReactNode {
  const t = useT("billing");
  return (
    <Badge tone={statusTones[status]} dot>
      {t(`status.${status}`)}
    </Badge>
  );
}

const resultTones: Record<EventResult, Tone> = { applied: "success", skipped: "neutral", stale: "neutral", duplicate: "neutral", rejected: "danger", deferred: "warning" };

export function ResultBadge({ result }: { result: EventResult }): ReactNode {
  const t = useT("billing");
  return <Badge tone={resultTones[result]}>{t(`result.${result}`)}</Badge>;
}

/** The name of a type of events: in words if it is known, otherwise as the provider names it. */
export function useEventName(): (type: string | null) => string {
  const t = useT("billing");
  return (type) => (type === null ? t("event.unreadable") : isKnownType(type) ? t(`event.${type}`) : type);
}

/** The name of an event, with its mark. */
export function EventName({ event }: { event: BillingEvent }): ReactNode {
  const name = useEventName();
  return (
    <span className="billing-event-name">
      <span className={`billing-dot billing-dot-${markOf(event)}`} aria-hidden />
      <span className="truncate" dir="auto">
        {name(event.type)}
      </span>
    </span>
  );
}

const stores: Record<string, string> = { APP_STORE: "App Store", MAC_APP_STORE: "Mac App Store", PLAY_STORE: "Google Play", AMAZON: "Amazon", STRIPE: "Stripe", PADDLE: "Paddle", RC_BILLING: "RevenueCat Web" };

/** Where an entitlement comes from: the store, a promotion or a grant. */
export function useOrigin(): (one: Pick<Entitlement, "store" | "source">) => string {
  const t = useT("billing");
  return ({ store, source }) => {
    if (source === "manual") return t("source.manual");
    if (store === "PROMOTIONAL") return t("source.promotional");
    return store === null ? t(`source.${source}`) : (stores[store] ?? store);
  };
}

/** The price of a period, for all units; null if it is unknown. */
export function usePrice(): (one: Pick<Entitlement, "price" | "quantity">) => string | null {
  const formats = useFormats();
  return ({ price, quantity }) => {
    if (price === null) return null;
    const unit = safeMoney(formats.money, price.amount, price.currency);
    return quantity !== null && quantity !== 1 ? `${formats.number(quantity)} × ${unit}` : unit;
  };
}

/** Intl refuses currencies that are not three letters. */
export function safeMoney(money: (minor: number, currency: string) => string, amount: number, currency: string): string {
  try {
    return money(amount, currency);
  } catch {
    return `${amount} ${currency}`;
  }
}

/** Names of features as chips. */
export function Chips({ names, most = Infinity }: { names: readonly string[]; most?: number }): ReactNode {
  const t = useT("billing");
  if (names.length === 0) return <span className="faint">—</span>;
  return (
    <span className="billing-chips">
      {names.slice(0, most).map((name) => (
        <span key={name} className="billing-chip" dir="auto" title={name}>
          {name}
        </span>
      ))}
      {names.length > most && <span className="faint small">{t("chips.more", { count: names.length - most })}</span>}
    </span>
  );
}

/** In the sandbox: settings and products are changed in production. */
export function ProductionOnly({ text }: { text: string }): ReactNode {
  const t = useT("billing");
  return (
    <Notice title={t("production.title")}>
      <p>{text}</p>
      <LinkButton size="s" href={otherEnvironmentUrl(location.href)} icon={<ArrowLeftRight aria-hidden />}>
        {t("production.open")}
      </LinkButton>
    </Notice>
  );
}
