import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { ListBox, ListBoxItem } from "react-aria-components";
import { useT } from "../../i18n/index.ts";
import { navigate } from "../../router/index.tsx";
import { useClients } from "../../session/index.ts";
import { Button, Dialog, ErrorNotice, Notice, readAgain, SearchField, Spinner, toast } from "../../ui/index.ts";
import { StatusBadge } from "./labels.tsx";
import { threadHref, type Status, type Thread } from "./model.ts";
import { keys } from "./queries.ts";

/** Titles with a lower score share hardly more than a common word. */
const leastScore = 0.2;

interface Candidate {
  feedbackId: string;
  title: string;
  status: string;
  voteCount: number;
}

interface Props {
  thread: Thread;
  /** The thread that is chosen first. */
  suggested?: Thread | undefined;
  onClose: () => void;
}

/** Chooses the thread that continues this one: a suggestion, or a result of a search. */
export function MergeDialog({ thread, suggested, onClose }: Props): ReactNode {
  const t = useT("feedback");
  const common = useT("common");
  const { feedback } = useClients();
  const client = useQueryClient();
  const [text, setText] = useState("");
  const [q, setQ] = useState("");
  const [into, setInto] = useState<string | null>(suggested?.feedbackId ?? null);
  const [error, setError] = useState<unknown>(null);
  const [pending, setPending] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setQ(text.trim()), 350);
    return () => clearTimeout(timer);
  }, [text]);
  const found = useQuery({
    queryKey: ["feedback", "merge", thread.feedbackId, q],
    queryFn: async ({ signal }): Promise<Candidate[]> => {
      const items: readonly (Candidate & { mergedInto?: string | null })[] = q
        ? (await feedback.listFeedbacks({ q, limit: 20, sort: "relevance" }, { signal })).items
        : (await feedback.listSimilar({ title: thread.title }, { signal })).items.filter(({ score, feedbackId }) => score >= leastScore && feedbackId !== suggested?.feedbackId);
      return [...(suggested && !q ? [suggested] : []), ...items].filter((one) => one.feedbackId !== thread.feedbackId && !one.mergedInto);
    },
  });
  const target = found.data?.find((one) => one.feedbackId === into);
  const merge = async (): Promise<void> => {
    if (!target) return;
    setPending(true);
    setError(null);
    try {
      await feedback.mergeFeedback(thread.feedbackId, { into: target.feedbackId });
      void readAgain(client, keys.lists);
      void client.invalidateQueries({ queryKey: keys.thread(thread.feedbackId) });
      void client.invalidateQueries({ queryKey: keys.thread(target.feedbackId) });
      toast.success(t("merge.done"));
      onClose();
      navigate(threadHref(target.feedbackId));
    } catch (failure) {
      setError(failure);
      setPending(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t("merge.title")}
      footer={
        <>
          <Button onPress={onClose}>{common("action.cancel")}</Button>
          <Button variant="primary" isDisabled={!target} isPending={pending} onPress={() => void merge()}>
            {t("merge.confirm")}
          </Button>
        </>
      }
    >
      <div className="stack">
        <p className="strong" dir="auto">
          {thread.title}
        </p>
        <p className="muted">{t("merge.text")}</p>
        <SearchField label={t("merge.search")} value={text} onChange={setText} />
        <section aria-label={t(q ? "merge.results" : "merge.suggestions")} className="stack-s">
          <h3 className="small">{t(q ? "merge.results" : "merge.suggestions")}</h3>
          {found.error ? (
            <ErrorNotice error={found.error} onRetry={() => void found.refetch()} />
          ) : !found.data ? (
            <div className="center">
              <Spinner />
            </div>
          ) : found.data.length === 0 ? (
            <p className="muted">{t(q ? "merge.noResults" : "merge.noSuggestions")}</p>
          ) : (
            <ListBox
              aria-label={t(q ? "merge.results" : "merge.suggestions")}
              className="feedback-candidates"
              selectionMode="single"
              selectedKeys={into ? [into] : []}
              onSelectionChange={(chosen) => setInto(chosen === "all" ? null : ((([...chosen][0] as string | undefined) ?? null)))}
              items={found.data.map((one) => ({ ...one, id: one.feedbackId }))}
            >
              {(one) => (
                <ListBoxItem id={one.id} textValue={one.title} className="feedback-candidate">
                  <span className="radio-dot" aria-hidden />
                  <span className="grow" dir="auto">
                    {one.title}
                  </span>
                  <span className="faint small nowrap">{t("thread.votes", { count: one.voteCount })}</span>
                  <StatusBadge status={one.status as Status} />
                </ListBoxItem>
              )}
            </ListBox>
          )}
        </section>
        <Notice tone="warning">
          <p>{t("merge.effect")}</p>
        </Notice>
        {error !== null && <ErrorNotice error={error} title={t("merge.failed")} />}
      </div>
    </Dialog>
  );
}
