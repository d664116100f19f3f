"use client";

import { useFeedback } from "@tetrad/client/react";

export function Board() {
  const { status, threads, vote } = useFeedback({ sort: "votes" });
  if (status === "loading") return <p>loading</p>;
  return (
    <ul>
      {threads.map((thread) => (
        <li key={thread.feedbackId} onClick={() => void vote(thread.feedbackId, true)}>
          {thread.title}
        </li>
      ))}
    </ul>
  );
}
