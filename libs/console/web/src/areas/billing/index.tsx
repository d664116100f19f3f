import { lazy, type ReactNode } from "react";
import { Routes } from "../../router/index.tsx";
import { useT } from "../../i18n/index.ts";
import { NotFound } from "../../shell/shell.tsx";
import { LinkButton } from "../../ui/index.ts";
import "./billing.css";
import { Events } from "./events.tsx";
import { Products } from "./products.tsx";
import { Settings } from "./settings.tsx";
import { Subscribers } from "./subscribers.tsx";
import { Syncs } from "./syncs.tsx";
import { UserPage } from "./user.tsx";

/** Loads the library for charts only when it is needed. */
const Statistics = lazy(async () => ({ default: (await import("./statistics.tsx")).Statistics }));

/** The area Billing. */
export default function BillingArea(): ReactNode {
  const t = useT("billing");
  return (
    <Routes
      routes={[
        { path: "/console/billing", render: () => <Statistics /> },
        { path: "/console/billing/subscribers", render: () => <Subscribers /> },
        { path: "/console/billing/users/:id", render: ({ id }) => <UserPage key={id} id={id!} /> },
        { path: "/console/billing/products", render: () => <Products /> },
        { path: "/console/billing/events", render: () => <Events /> },
        { path: "/console/billing/sync", render: () => <Syncs /> },
        { path: "/console/billing/settings", render: () => <Settings /> },
      ]}
      otherwise={<NotFound title={t("notFound")} action={<LinkButton href="/console/billing">{t("title")}</LinkButton>} />}
    />
  );
}
