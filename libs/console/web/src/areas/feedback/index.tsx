import { lazy, type ReactNode } from "react";
import { Routes } from "../../router/index.tsx";
import { BoardSettings } from "./board-settings.tsx";
import "./inbox.css";
import { Inbox } from "./inbox.tsx";
import "./settings.css";
import "./thread.css";
import { ThreadPage } from "./thread.tsx";

/** Loads the library for charts only when it is needed. */
const Statistics = lazy(async () => ({ default: (await import("./statistics.tsx")).Statistics }));

/** The area Feedback. */
export default function FeedbackArea(): ReactNode {
  return (
    <Routes
      routes={[
        { path: "/console/feedback", render: () => <Inbox /> },
        { path: "/console/feedback/statistics", render: () => <Statistics /> },
        { path: "/console/feedback/board", render: () => <BoardSettings /> },
        { path: "/console/feedback/:id", render: ({ id }) => <ThreadPage id={id!} /> },
      ]}
    />
  );
}
