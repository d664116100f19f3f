import { UserRound, X } from "lucide-react";
import { useState, type FormEvent, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { useMe } from "../../session/index.ts";
import { Button, CopyableCode, DateTime, IconButton, KeyValueList, Select, Switch, TextField, type Option } from "../../ui/index.ts";
import { usePriorityOptions, useStatusOptions } from "./labels.tsx";
import { searchOf, emptyFilter, type Changes, type Priority, type Status, type Thread } from "./model.ts";
import { useSettings, useStaff, useUpdateThread } from "./queries.ts";

/** Status, priority, assignee, visibility, tags, and facts about a thread. Changes apply at once. */
export function Properties({ thread, frozen }: { thread: Thread; frozen: boolean }): ReactNode {
  const t = useT("feedback");
  const me = useMe();
  const settings = useSettings();
  const update = useUpdateThread();
  const set = (changes: Changes): void => update.mutate({ thread, set: changes });
  const priorities: Option<Priority | "none">[] = [{ value: "none", label: t("priority.none") }, ...usePriorityOptions()];
  const { appContext } = thread;
  return (
    <div className="feedback-properties">
      <Select label={t("column.status")} isDisabled={frozen} options={useStatusOptions()} value={thread.status as Status} onChange={(status) => set({ status })} />
      <Select label={t("column.priority")} isDisabled={frozen} options={priorities} value={(thread.priority ?? "none") as Priority | "none"} onChange={(value) => set({ priority: value === "none" ? null : value })} />
      <div className="stack-s">
        <AssigneeSelect thread={thread} frozen={frozen} onSet={set} />
        {!frozen && thread.assigneeId !== me.sub && (
          <div>
            <Button size="s" variant="ghost" icon={<UserRound aria-hidden />} onPress={() => set({ assigneeId: me.sub, assigneeEmail: me.email })}>
              {t("assignee.toMe")}
            </Button>
          </div>
        )}
      </div>
      <Tags thread={thread} frozen={frozen} onSet={(tags) => set({ tags })} />
      <Switch
        label={t("visibility.onBoard")}
        description={settings.data?.publicBoard === false ? t("visibility.boardOff") : t("visibility.text")}
        isDisabled={frozen}
        isSelected={thread.visibility === "public"}
        onChange={(on) => set({ visibility: on ? "public" : "private" })}
      />
      <hr className="feedback-line" />
      <KeyValueList
        layout="stacked"
        items={[
          {
            label: t("column.user"),
            value: thread.userId && (
              <span className="stack-s feedback-user">
                <span>
                  {thread.userEmail ?? thread.userId}
                  {thread.userEmail && thread.userEmailVerified === false && <span className="faint"> · {t("properties.unverified")}</span>}
                </span>
                <span className="row wrap small">
                  <Link href={`/console/users/${encodeURIComponent(thread.userId)}`}>{t("properties.profile")}</Link>
                  <Link href={`/console/feedback${searchOf({ ...emptyFilter, user: thread.userId })}`}>{t("properties.otherThreads")}</Link>
                </span>
              </span>
            ),
          },
          ...(appContext ? [{ label: t("properties.app"), value: [[appContext.appName, appContext.appVersion], [appContext.os, appContext.osVersion]].map((pair) => pair.filter(Boolean).join(" ")).filter(Boolean).join(" · ") }] : []),
          { label: t("column.created"), value: <DateTime value={thread.createdAt} /> },
          { label: t("properties.changed"), value: <DateTime value={thread.updatedAt} /> },
          { label: t("column.id"), value: <CopyableCode text={thread.feedbackId} /> },
        ]}
      />
    </div>
  );
}

function AssigneeSelect({ thread, frozen, onSet }: { thread: Thread; frozen: boolean; onSet: (changes: Changes) => void }): ReactNode {
  const t = useT("feedback");
  const me = useMe();
  const staff = useStaff();
  const people = staff.data ?? [{ userId: me.sub, email: me.email }];
  const assigned = thread.assigneeId ?? thread.assigneeEmail;
  const match = people.find(({ userId, email }) => userId === thread.assigneeId || (!thread.assigneeId && email === thread.assigneeEmail));
  // The identifier can be that of another system.
  const other: Option[] = assigned && !match ? [{ value: "other", label: thread.assigneeEmail ?? assigned }] : [];
  const options: Option[] = [{ value: "none", label: t("assignee.none") }, ...other, ...people.map(({ userId, email }) => ({ value: userId, label: userId === me.sub ? t("assignee.me", { email }) : email }))];
  return (
    <Select
      label={t("column.assignee")}
      isDisabled={frozen}
      options={options}
      value={match?.userId ?? (assigned ? "other" : "none")}
      onChange={(value) => {
        if (value === "other") return;
        const person = people.find(({ userId }) => userId === value);
        onSet({ assigneeId: person?.userId ?? null, assigneeEmail: person?.email ?? null });
      }}
    />
  );
}

const maxTags = 10;

function Tags({ thread, frozen, onSet }: { thread: Thread; frozen: boolean; onSet: (tags: string[]) => void }): ReactNode {
  const t = useT("feedback");
  const [text, setText] = useState("");
  const add = (event: FormEvent): void => {
    event.preventDefault();
    const tag = text.trim();
    setText("");
    if (tag !== "" && !thread.tags.includes(tag)) onSet([...thread.tags, tag]);
  };
  return (
    <div className="stack-s" role="group" aria-label={t("tags.label")}>
      <span className="field-label" aria-hidden>
        {t("tags.label")}
      </span>
      {thread.tags.length > 0 && (
        <ul className="feedback-tags">
          {thread.tags.map((tag) => (
            <li key={tag} className="feedback-tag" dir="auto">
              {tag}
              {!frozen && <IconButton size="s" className="feedback-tag-remove" label={t("tags.remove", { tag })} icon={<X aria-hidden />} onPress={() => onSet(thread.tags.filter((one) => one !== tag))} />}
            </li>
          ))}
        </ul>
      )}
      {!frozen && thread.tags.length < maxTags && (
        <form onSubmit={add} className="feedback-tag-form">
          <TextField label={t("tags.add")} hideLabel placeholder={t("tags.add")} value={text} onChange={setText} maxLength={50} />
        </form>
      )}
    </div>
  );
}
