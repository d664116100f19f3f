import { Eraser } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { DataTable, DateTime, EmptyState, LinkButton, PageHeader, RowLink, type Column } from "../../ui/index.ts";
import { ErasureBadge } from "./labels.tsx";
import { erasureHref, progressOf, stateOf, type Erasure } from "./model.ts";
import { useErasures } from "./queries.ts";
import { UsersTabs } from "./tabs.tsx";

/** The erasures of the last 90 days. */
export function Erasures(): ReactNode {
  const t = useT("users");
  const pages = useErasures();
  const columns = useMemo(
    (): Column<Erasure>[] => [
      {
        id: "user",
        header: t("column.id"),
        phone: "title",
        csv: (erasure) => erasure.userId,
        cell: (erasure) => (
          <RowLink href={erasureHref(erasure.erasureId)}>
            <code>{erasure.userId}</code>
          </RowLink>
        ),
      },
      { id: "state", header: t("column.status"), width: "130px", csv: stateOf, cell: (erasure) => <ErasureBadge state={stateOf(erasure)} /> },
      {
        id: "services",
        header: t("erasures.services"),
        width: "120px",
        csv: (erasure) => erasure.targets.map((target) => `${target.service}: ${target.status}`).join(", "),
        cell: (erasure) => <span className="small muted">{t("erasures.progress", progressOf(erasure))}</span>,
      },
      { id: "requested", header: t("erasure.requested"), width: "180px", csv: (erasure) => erasure.requestedAt, cell: (erasure) => <span className="small muted nowrap"><DateTime value={erasure.requestedAt} /></span> },
      { id: "completed", header: t("erasure.completed"), width: "180px", phone: "hidden", csv: (erasure) => erasure.completedAt, cell: (erasure) => <span className="small muted nowrap"><DateTime value={erasure.completedAt} /></span> },
    ],
    [t],
  );
  return (
    <>
      <PageHeader title={t("erasures.title")} description={t("erasures.text")} tabs={<UsersTabs />} />
      <DataTable
        label={t("erasures.title")}
        columns={columns}
        source={pages}
        rowId={(erasure) => erasure.erasureId}
        rowHref={(erasure) => erasureHref(erasure.erasureId)}
        csvName="erasures"
        empty={<EmptyState icon={<Eraser aria-hidden />} title={t("erasures.empty")} text={t("erasures.emptyText")} action={<LinkButton href="/console/users">{t("erasures.toUsers")}</LinkButton>} />}
      />
    </>
  );
}
