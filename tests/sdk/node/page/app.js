// An app that uses all React hooks. `render` is for servers.
import { createElement as h, StrictMode, useState } from "react";
import { TetradProvider, useFeatures, useFeedback, useSession, useTetrad } from "@tetrad/client/react";

function Account() {
  const { user, status, end } = useSession();
  return h("p", { id: "session" }, `${status} ${user?.email ?? ""}`, h("button", { id: "end", onClick: end }, "Sign out"));
}

function Paywall({ id }) {
  const { features, has, status, error, refresh } = useFeatures();
  return h(
    "p",
    { id },
    `${status} ${features.join(",")} ${has("export") ? "may export" : "may not export"} ${error?.name ?? ""}`,
    h("button", { onClick: refresh }, "Refresh"),
  );
}

function Board({ query }) {
  const { threads, status, error, hasMore, loadMore, vote, post, refresh } = useFeedback(query);
  const rows = threads.map(({ feedbackId, title, voteCount, voted }) =>
    h(
      "li",
      { key: feedbackId },
      `${title} ${voteCount} ${voted ? "voted" : "open"}`,
      h("button", { onClick: () => vote(feedbackId, !voted).catch(() => {}) }, `Vote ${title}`),
    ),
  );
  return h(
    "section",
    {},
    h("p", { id: "board" }, `${status} ${threads.length} ${error?.code ?? error?.name ?? "fine"}`),
    h("ul", {}, ...rows),
    h("button", { id: "more", disabled: !hasMore, onClick: loadMore }, "More"),
    h("button", { id: "refresh", onClick: refresh }, "Refresh"),
    h("button", { id: "post", onClick: () => post({ category: "feature", title: "Posted by a hook", body: "Yes." }) }, "Post"),
  );
}

function App() {
  const [isOpen, setOpen] = useState(true);
  const [q, setQ] = useState(undefined);
  const { session } = useTetrad();
  return h(
    "main",
    {},
    h(Account),
    h(Paywall, { id: "features" }),
    h(Paywall, { id: "features-again" }),
    h("button", { id: "toggle", onClick: () => setOpen(!isOpen) }, "Toggle"),
    h("button", { id: "search", onClick: () => setQ("hook") }, "Search"),
    isOpen ? h(Board, { query: { sort: "createdAt", q } }) : null,
    h("p", { id: "name" }, session ? "has a session" : "has none"),
  );
}

export const app = (clients) => h(StrictMode, {}, h(TetradProvider, { value: clients }, h(App)));
