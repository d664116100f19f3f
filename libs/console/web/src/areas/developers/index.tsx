import type { ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { Routes } from "../../router/index.tsx";
import { NotFound } from "../../shell/shell.tsx";
import { Audit } from "./audit.tsx";
import "./developers.css";
import { Examples } from "./examples.tsx";
import { Keys } from "./keys.tsx";
import { OriginsPage } from "./origins.tsx";
import { WebhookPage } from "./webhook.tsx";
import { Webhooks } from "./webhooks.tsx";

/** The area Developers. */
export default function DevelopersArea(): ReactNode {
  const t = useT("common");
  const root = "/console/developers";
  return (
    <Routes
      routes={[
        { path: root, render: () => <Keys /> },
        { path: `${root}/webhooks`, render: () => <Webhooks /> },
        { path: `${root}/webhooks/:service/:id`, render: ({ service, id }) => <WebhookPage key={`${service}/${id}`} service={service!} id={id!} /> },
        { path: `${root}/origins`, render: () => <OriginsPage /> },
        { path: `${root}/audit`, render: () => <Audit /> },
        { path: `${root}/examples`, render: () => <Examples /> },
      ]}
      otherwise={<NotFound title={t("page.notFound")} />}
    />
  );
}
