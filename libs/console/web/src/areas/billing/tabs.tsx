import { useEffect, useRef, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { NavTabs } from "../../ui/index.ts";

export function BillingTabs(): ReactNode {
  const t = useT("billing");
  const box = useRef<HTMLDivElement>(null);
  // On phones, the current tab may be outside of the view.
  useEffect(() => {
    box.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, []);
  return (
    <div ref={box} className="billing-tabs">
      <NavTabs
        label={t("title")}
        tabs={[
          { href: "/console/billing", label: t("tabs.revenue") },
          { href: "/console/billing/subscribers", label: t("tabs.subscribers") },
          { href: "/console/billing/products", label: t("tabs.products") },
          { href: "/console/billing/events", label: t("tabs.events") },
          { href: "/console/billing/sync", label: t("tabs.sync") },
          { href: "/console/billing/settings", label: t("tabs.settings") },
        ]}
      />
    </div>
  );
}
