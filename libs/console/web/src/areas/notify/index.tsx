import type { ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { Routes } from "../../router/index.tsx";
import { NotFound } from "../../shell/shell.tsx";
import { BroadcastComposer } from "./broadcast-composer.tsx";
import { BroadcastPage } from "./broadcast.tsx";
import { Broadcasts } from "./broadcasts.tsx";
import { Deliveries } from "./deliveries.tsx";
import { Devices } from "./devices.tsx";
import { DomainPage } from "./domain.tsx";
import { NotificationPage } from "./notification.tsx";
import "./notify.css";
import { PushPage } from "./push.tsx";
import { Suppressions } from "./suppressions.tsx";
import { NewTemplatePage, TemplatePage } from "./template-editor.tsx";
import { Templates } from "./templates.tsx";

/** The area Notifications. */
export default function NotifyArea(): ReactNode {
  const t = useT("common");
  const root = "/console/notify";
  return (
    <div className="notify">
      <Routes
        routes={[
          { path: root, render: () => <Deliveries /> },
          { path: `${root}/deliveries/:id`, render: ({ id }) => <NotificationPage key={id} id={id!} /> },
          { path: `${root}/templates`, render: () => <Templates /> },
          { path: `${root}/templates/new`, render: () => <NewTemplatePage /> },
          { path: `${root}/templates/:id`, render: ({ id }) => <TemplatePage key={id} id={id!} /> },
          { path: `${root}/broadcasts`, render: () => <Broadcasts /> },
          { path: `${root}/broadcasts/new`, render: () => <BroadcastComposer /> },
          { path: `${root}/broadcasts/:id`, render: ({ id }) => <BroadcastPage key={id} id={id!} /> },
          { path: `${root}/devices`, render: () => <Devices /> },
          { path: `${root}/suppressions`, render: () => <Suppressions /> },
          { path: `${root}/domain`, render: () => <DomainPage /> },
          { path: `${root}/push`, render: () => <PushPage /> },
        ]}
        otherwise={<NotFound title={t("page.notFound")} />}
      />
    </div>
  );
}
