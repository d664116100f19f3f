import { useQuery } from "@tanstack/react-query";
import { ArrowRight, MessagesSquare } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import { useFormats, useT } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { useClients, useConfig } from "../../session/index.ts";
import { useAreas } from "../../shell/areas.tsx";
import { Card, EmptyState, LinkButton, PageHeader, QueryState, Stat, TimeAgo } from "../../ui/index.ts";

const days30 = 30 * 86_400_000;

/** Where staff begin: what waits for an answer, and what the areas are for. */
export default function Overview(): ReactNode {
  const t = useT("common");
  const { feedbackUrl } = useConfig();
  return (
    <>
      <PageHeader title={t("overview.title")} />
      {feedbackUrl !== "" && <FeedbackStats />}
      <div className="columns">
        {feedbackUrl !== "" && <LatestThreads />}
        <AreaList />
      </div>
    </>
  );
}

function FeedbackStats(): ReactNode {
  const t = useT("common");
  const formats = useFormats();
  const { feedback } = useClients();
  const since = useMemo(() => new Date(Date.now() - days30).toISOString(), []);
  const { data } = useQuery({ queryKey: ["feedback", "stats", since], queryFn: ({ signal }) => feedback.getStats({ createdAfter: since }, { signal }).then((value) => value) });
  const seconds = (value: { p50: number } | null | undefined): string => (value ? formats.duration(value.p50) : "—");
  return (
    <div className="stats">
      <Stat label={t("overview.openThreads")} value={data ? formats.number(data.byStatus["open"] ?? 0) : "—"} hint={data && t("overview.openThreadsHint", { count: data.byStatus["in-progress"] ?? 0 })} />
      <Stat label={t("overview.unanswered")} value={seconds(data?.firstResponseSeconds)} hint={t("overview.last30")} />
      <Stat label={t("overview.resolution")} value={seconds(data?.resolutionSeconds)} hint={t("overview.last30")} />
    </div>
  );
}

function LatestThreads(): ReactNode {
  const t = useT("common");
  const { feedback } = useClients();
  const latest = useQuery({ queryKey: ["feedback", "latest"], queryFn: ({ signal }) => feedback.listFeedbacks({ limit: 6, status: "open,in-progress" }, { signal }).then((page) => page.items) });
  return (
    <Card
      title={t("overview.latest")}
      flush
      actions={
        <LinkButton size="s" variant="ghost" href="/console/feedback">
          {t("overview.allThreads")}
        </LinkButton>
      }
    >
      <QueryState query={latest}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState icon={<MessagesSquare aria-hidden />} title={t("overview.noThreads")} text={t("overview.noThreadsText")} />
          ) : (
            <ul className="link-list">
              {items.map((item) => (
                <li key={item.feedbackId}>
                  <Link href={`/console/feedback/${item.feedbackId}`}>
                    <span className="link-list-title" dir="auto">
                      {item.title}
                    </span>
                    <span className="faint nowrap">
                      <TimeAgo value={item.createdAt} />
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </QueryState>
    </Card>
  );
}

const descriptions = { feedback: "overview.feedback", users: "overview.users", notify: "overview.notify", billing: "overview.billing", developers: "overview.developers" } as const;

function AreaList(): ReactNode {
  const t = useT("common");
  const areas = useAreas();
  return (
    <Card title={t("overview.areas")} flush>
      <ul className="link-list">
        {areas.map(({ id, href, label, icon: Icon }) => {
          const description = descriptions[id as keyof typeof descriptions];
          return (
            description && (
              <li key={id}>
                <Link href={href}>
                  <Icon aria-hidden className="link-list-icon" />
                  <span className="link-list-text">
                    <span className="link-list-title">{t(label)}</span>
                    <span className="faint">{t(description)}</span>
                  </span>
                  <ArrowRight aria-hidden className="link-list-arrow" />
                </Link>
              </li>
            )
          );
        })}
      </ul>
    </Card>
  );
}
