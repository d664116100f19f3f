import { useQueryClient } from "@tanstack/react-query";
import { Ban, SearchX, Trash2 } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { useClients } from "../../session/index.ts";
import { Button, ConfirmDialog, DataTable, EmptyState, IconButton, PageHeader, readAgain, SearchField, Spinner, TextField, TimeAgo, toast, usePages, useShortcuts, type Column } from "../../ui/index.ts";
import { ChannelLabel, NotifyTabs, useReason } from "./labels.tsx";
import type { Suppression } from "./model.ts";
import { keys, useSettled } from "./queries.ts";

/** A search reads at most this number of pages of 100 entries. */
const maxSearchedPages = 100;

/** Recipients who get no messages. */
export function Suppressions(): ReactNode {
  const t = useT("notify");
  const { notify } = useClients();
  const client = useQueryClient();
  const explain = useReason();
  const [text, setText] = useState("");
  const [removing, setRemoving] = useState<Suppression | null>(null);
  const [typed, setTyped] = useState("");
  const searchInput = useRef<HTMLInputElement>(null);
  const pages = usePages<Suppression>(keys.suppressions, (cursor, signal) => notify.listSuppressions({ limit: 100, ...cursor }, { signal }), { refetchInterval: 15_000 });
  const wanted = useSettled(text, 250).trim().toLowerCase().replace(/[\s()-]/g, "");
  const found = wanted ? pages.items.filter(({ address }) => address.toLowerCase().includes(wanted)) : pages.items;
  const { query } = pages;
  const searching = wanted !== "" && found.length === 0 && query.hasNextPage && (query.data?.pages.length ?? 0) < maxSearchedPages;
  useShortcuts({ "/": () => searchInput.current?.focus() });
  useEffect(() => {
    // The service has no search, so the console reads on until an entry matches.
    if (searching && !query.isFetchingNextPage && !query.isFetchNextPageError) void query.fetchNextPage();
  }, [searching, query]);
  const hashed = removing?.address.startsWith("hash:") ?? false;
  const columns: Column<Suppression>[] = [
    { id: "address", header: t("column.recipient"), phone: "title", width: "minmax(0, 1fr)", csv: (one) => one.address, cell: (one) => <bdi className="strong truncate notify-cell">{one.address}</bdi> },
    { id: "channel", header: t("column.channel"), width: "130px", csv: (one) => one.channel, cell: (one) => <ChannelLabel channel={one.channel} /> },
    { id: "reason", header: t("column.reason"), width: "minmax(0, 1fr)", phone: "hidden", csv: (one) => one.reason, cell: (one) => <span className="muted" dir="auto" title={one.reason}>{explain(one.reason) ?? one.reason}</span> },
    { id: "created", header: t("suppressions.since"), width: "128px", csv: (one) => one.createdAt, cell: (one) => <span className="small muted nowrap"><TimeAgo value={one.createdAt} /></span> },
    { id: "actions", header: t("column.actions"), width: "84px", align: "end", cell: (one) => <IconButton size="s" label={t("suppressions.remove", { address: one.address })} icon={<Trash2 aria-hidden />} onPress={() => { setTyped(""); setRemoving(one); }} /> },
  ];
  return (
    <>
      <PageHeader title={t("tabs.suppressions")} description={t("suppressions.text")} tabs={<NotifyTabs />} />
      <div className="stack">
        <div className="filters notify-filters" role="search" aria-label={t("filter.label")}>
          <SearchField label={t("suppressions.search")} value={text} onChange={setText} inputRef={searchInput} />
        </div>
        {searching ? (
          <div className="center">
            <Spinner label={t("suppressions.searching")} />
          </div>
        ) : (
          <DataTable
            label={t("tabs.suppressions")}
            columns={columns}
            source={wanted ? { items: found } : pages}
            rowId={(one) => `${one.channel} ${one.address}`}
            csvName="suppressions"
            empty={
              query.data === undefined ? null : wanted ? (
                <EmptyState icon={<SearchX aria-hidden />} title={t("suppressions.nothingFound")} text={t("suppressions.nothingFoundText")} action={<Button onPress={() => setText("")}>{t("filter.clear")}</Button>} />
              ) : (
                <EmptyState icon={<Ban aria-hidden />} title={t("suppressions.empty")} text={t("suppressions.emptyText")} />
              )
            }
          />
        )}
      </div>
      {removing && (
        <ConfirmDialog
          isOpen
          onClose={() => setRemoving(null)}
          title={t("suppressions.removeTitle")}
          confirmLabel={t("suppressions.confirm")}
          onConfirm={async () => {
            await notify.deleteSuppression(hashed ? typed.trim() : removing.address);
            await readAgain(client, keys.suppressions);
            toast.success(t("suppressions.removed"));
          }}
        >
          <p dir="auto">{t("suppressions.removeText", { address: removing.address })}</p>
          {hashed && <TextField label={t("suppressions.hashed")} description={t("suppressions.hashedText")} value={typed} onChange={setTyped} autoComplete="off" maxLength={254} />}
        </ConfirmDialog>
      )}
    </>
  );
}
