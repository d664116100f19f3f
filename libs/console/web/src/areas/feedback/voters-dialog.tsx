import { ThumbsUp } from "lucide-react";
import type { ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { useClients } from "../../session/index.ts";
import { Button, Dialog, EmptyState, QueryState, TimeAgo, usePages } from "../../ui/index.ts";
import type { Thread } from "./model.ts";
import { keys } from "./queries.ts";

/** The users who have voted for a thread, newest first. */
export function VotersDialog({ thread, onClose }: { thread: Thread; onClose: () => void }): ReactNode {
  const t = useT("feedback");
  const common = useT("common");
  const { feedback } = useClients();
  const voters = usePages(keys.voters(thread.feedbackId), (cursor, signal) => feedback.listVotes(thread.feedbackId, { limit: 100, ...cursor }, { signal }));
  return (
    <Dialog isOpen onClose={onClose} title={t("voters.title", { count: thread.voteCount })}>
      <QueryState query={voters.query}>
        {() =>
          voters.items.length === 0 ? (
            <EmptyState icon={<ThumbsUp aria-hidden />} title={t("voters.none")} text={t("voters.noneText")} />
          ) : (
            <>
              <ul className="feedback-voters">
                {voters.items.map((voter) => (
                  <li key={voter.userId}>
                    <Link href={`/console/users/${encodeURIComponent(voter.userId)}`} className="truncate" dir="auto">
                      {voter.userEmail ?? voter.userId}
                    </Link>
                    <span className="faint small nowrap">
                      <TimeAgo value={voter.createdAt} />
                    </span>
                  </li>
                ))}
              </ul>
              {voters.query.hasNextPage && (
                <Button size="s" isPending={voters.query.isFetchingNextPage} onPress={() => void voters.query.fetchNextPage()}>
                  {common("table.more")}
                </Button>
              )}
            </>
          )
        }
      </QueryState>
    </Dialog>
  );
}
