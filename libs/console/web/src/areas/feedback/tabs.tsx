import type { ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { NavTabs } from "../../ui/index.ts";

export function FeedbackTabs(): ReactNode {
  const t = useT("feedback");
  return (
    <NavTabs
      label={t("title")}
      tabs={[
        { href: "/console/feedback", label: t("tabs.inbox") },
        { href: "/console/feedback/statistics", label: t("tabs.statistics") },
        { href: "/console/feedback/board", label: t("tabs.board") },
      ]}
    />
  );
}
