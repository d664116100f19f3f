import { X } from "lucide-react";
import type { ReactNode, RefObject } from "react";
import { useT } from "../../i18n/index.ts";
import { useMe } from "../../session/index.ts";
import { Button, MultiSelect, SearchField, Select, TextField, useDelayed } from "../../ui/index.ts";
import { useCategoryOptions, usePriorityOptions, useStatusOptions } from "./labels.tsx";
import { isNarrowed, sorts, type Filter, type Sort } from "./model.ts";
import { useStaff } from "./queries.ts";

interface Props {
  filter: Filter;
  onChange: (changes: Partial<Filter>) => void;
  onClear: () => void;
  searchInput: RefObject<HTMLInputElement | null>;
}

export function FilterBar({ filter, onChange, onClear, searchInput }: Props): ReactNode {
  const t = useT("feedback");
  const me = useMe();
  const staff = useStaff();
  const [q, setQ, flushQ] = useDelayed(filter.q, (value) => onChange({ q: value, ...(value === "" && filter.sort === "relevance" && { sort: "" }) }));
  const [tag, setTag] = useDelayed(filter.tag, (value) => onChange({ tag: value.trim() }));
  const others = (staff.data ?? []).filter(({ userId }) => userId !== me.sub);
  const known = filter.assignee === "" || ["me", "none"].includes(filter.assignee) || others.some(({ userId }) => userId === filter.assignee);
  const assignees = [
    { value: "all", label: t("filter.anyAssignee") },
    { value: "me", label: t("filter.me") },
    { value: "none", label: t("assignee.none") },
    ...others.map(({ userId, email }) => ({ value: userId, label: email })),
    ...(known ? [] : [{ value: filter.assignee, label: filter.assignee }]),
  ];
  const shownSorts = sorts.filter((sort) => sort !== "relevance" || filter.q.trim() !== "");
  return (
    <div className="filters feedback-filters" role="search" aria-label={t("filter.label")}>
      <SearchField label={t("filter.search")} value={q} onChange={setQ} onSubmit={flushQ} inputRef={searchInput} />
      <div className="feedback-filter-row">
      <MultiSelect label={t("column.status")} options={useStatusOptions()} values={filter.status} onChange={(status) => onChange({ status })} />
      <MultiSelect label={t("column.category")} options={useCategoryOptions()} values={filter.category} onChange={(category) => onChange({ category })} />
      <MultiSelect label={t("column.priority")} options={usePriorityOptions()} values={filter.priority} onChange={(priority) => onChange({ priority })} />
      <Select label={t("column.assignee")} hideLabel size="s" options={assignees} value={filter.assignee || "all"} onChange={(value) => onChange({ assignee: value === "all" ? "" : value })} />
      <TextField label={t("filter.tag")} hideLabel className="feedback-tag-filter" placeholder={t("filter.tag")} value={tag} onChange={setTag} maxLength={50} />
      <Select
        label={t("filter.sort")}
        hideLabel
        size="s"
        options={shownSorts.map((value) => ({ value, label: t(`sort.${value}`) }))}
        value={(filter.sort || (filter.q.trim() ? "relevance" : "createdAt")) as Sort}
        onChange={(sort) => onChange({ sort: sort === (filter.q.trim() ? "relevance" : "createdAt") ? "" : sort })}
      />
      {isNarrowed(filter) && (
        <Button size="s" variant="ghost" icon={<X aria-hidden />} onPress={onClear}>
          {t("inbox.clear")}
        </Button>
      )}
      </div>
    </div>
  );
}
