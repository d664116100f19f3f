import { ArrowDown, ArrowUp, ChevronsUp, Minus } from "lucide-react";
import type { ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { Badge, type Tone } from "../../ui/index.ts";
import type { Option } from "../../ui/index.ts";
import { categories, piecesOf, priorities, statuses, type Category, type Highlight, type Priority, type Status } from "./model.ts";

const statusTones: Record<Status, Tone> = { open: "accent", "in-progress": "warning", resolved: "success", closed: "neutral" };
const priorityIcons: Record<Priority, ReactNode> = { critical: <ChevronsUp aria-hidden />, high: <ArrowUp aria-hidden />, medium: <Minus aria-hidden />, low: <ArrowDown aria-hidden /> };

export function StatusBadge({ status }: { status: Status }): ReactNode {
  const t = useT("feedback");
  return (
    <Badge tone={statusTones[status]} dot>
      {t(`status.${status}`)}
    </Badge>
  );
}

export function PriorityLabel({ priority }: { priority: Priority | null | undefined }): ReactNode {
  const t = useT("feedback");
  if (!priority) return null;
  return (
    <span className={`feedback-priority feedback-priority-${priority}`}>
      {priorityIcons[priority]}
      {t(`priority.${priority}`)}
    </span>
  );
}

/** A text with the parts that the search has found. */
export function Marked({ text, highlights, field }: { text: string; highlights?: readonly Highlight[] | undefined; field: "title" | "body" }): ReactNode {
  return piecesOf(text, highlights, field).map((piece, index) => (piece.marked ? <mark key={index}>{piece.text}</mark> : piece.text));
}

export function useStatusOptions(): Option<Status>[] {
  const t = useT("feedback");
  return statuses.map((value) => ({ value, label: t(`status.${value}`), icon: <span aria-hidden className={`feedback-dot feedback-dot-${value}`} /> }));
}
export function useCategoryOptions(): Option<Category>[] {
  const t = useT("feedback");
  return categories.map((value) => ({ value, label: t(`category.${value}`) }));
}
export function usePriorityOptions(): Option<Priority>[] {
  const t = useT("feedback");
  return priorities.map((value) => ({ value, label: t(`priority.${value}`), icon: priorityIcons[value] }));
}
