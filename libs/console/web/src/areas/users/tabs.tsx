import type { ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { NavTabs } from "../../ui/index.ts";

export function UsersTabs(): ReactNode {
  const t = useT("users");
  return (
    <NavTabs
      label={t("title")}
      tabs={[
        { href: "/console/users", label: t("tabs.users") },
        { href: "/console/users/erasures", label: t("tabs.erasures") },
      ]}
    />
  );
}
