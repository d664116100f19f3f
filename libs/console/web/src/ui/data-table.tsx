import { Download } from "lucide-react";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent, type ReactNode } from "react";
import { useT } from "../i18n/index.ts";
import { navigate, Link } from "../router/index.tsx";
import { Button } from "./button.tsx";
import { download, toCsv, type CsvValue } from "./csv.ts";
import { Checkbox, PlainCheckbox } from "./fields.tsx";
import { usePhone } from "./media.ts";
import { readFurther, type PagesResult } from "./queries.ts";
import { ErrorNotice, Spinner } from "./states.tsx";
import { toast } from "./toast.tsx";

export interface Column<Row> {
  id: string;
  header: string;
  /** Content of a cell. Without it, the column is only in the CSV file. */
  cell?: (row: Row) => ReactNode;
  /** The value in the CSV file. Without it, the column is not in the file. */
  csv?: (row: Row) => CsvValue;
  /** Width in the syntax of `grid-template-columns`, for example `120px` or `minmax(160px, 2fr)`. Default: `minmax(0, 1fr)`. */
  width?: string;
  align?: "start" | "end";
  /** On phones: the first line of the row, part of the second line (default), or left out. */
  phone?: "title" | "detail" | "hidden";
}

type ShownColumn<Row> = Column<Row> & Required<Pick<Column<Row>, "cell">>;

export interface TableSelection {
  selected: ReadonlySet<string>;
  onChange: (selected: ReadonlySet<string>) => void;
  /** Name of the checkbox of a row. */
  label: (id: string) => string;
}

export interface DataTableProps<Row> {
  /** Name of the table for screen readers. */
  label: string;
  /** Keep the array between renderings (`useMemo`), so that scrolling renders only new rows. */
  columns: readonly Column<Row>[];
  /** The result of `usePages`, or all rows. */
  source: PagesResult<Row> | { items: readonly Row[] };
  rowId: (row: Row) => string;
  /** The address that a row leads to. */
  rowHref?: (row: Row) => string;
  /** What a row does instead. */
  onRowPress?: (row: Row) => void;
  /** `EmptyState`: why there are no rows, and what the user can do. */
  empty: ReactNode;
  /** Name of the CSV file without ending. Without it, there is no export. */
  csvName?: string;
  selection?: TableSelection;
  /** Row with the keyboard's mark. */
  activeId?: string | null;
  /** Height of a row before it is measured, in pixels. With the height that most rows have, the table is laid out once. Default: the height of a row with one line. */
  estimate?: number;
  /** Left of the export button. */
  toolbar?: ReactNode;
}

/** So many pages are loaded for a CSV file, beside those of the list. */
const exportPages = 500;
/** Rows outside of the screen that are rendered: when the table appears, and later, so that scrolling shows no gaps. */
const firstOverscan = 2;
const laterOverscan = 8;
/** Distance of the rows from the top of the page before it is measured, in pixels. */
const usualMargin = 280;
/** So many heights of rows that the list no longer has are kept. */
const maxFormerRows = 1000;

/** Removes heights of former rows. The virtualizer keeps the heights of all rows that it has measured, and a list that polls gets new rows for hours. */
function forgetSizes(virtualizer: object, ids: readonly string[]): void {
  const { itemSizeCache: sizes } = virtualizer as { itemSizeCache: Map<unknown, number> };
  if (sizes.size <= ids.length + maxFormerRows) return;
  const present = new Set<unknown>(ids);
  for (const id of sizes.keys()) if (!present.has(id)) sizes.delete(id);
}

/** A list as a table: virtualised, with further pages by cursor, CSV export, and states for loading, errors and no rows. */
export function DataTable<Row>({ label, columns: all, source, rowId, rowHref, onRowPress, empty, csvName, selection, activeId, estimate = 46, toolbar }: DataTableProps<Row>): ReactNode {
  const t = useT("common");
  const phone = usePhone();
  const columns = useMemo(() => all.filter((column): column is ShownColumn<Row> => column.cell !== undefined), [all]);
  const query = "query" in source ? source.query : undefined;
  const rows = source.items;
  const body = useRef<HTMLDivElement>(null);
  const latest = useRef<RowActions<Row> | null>(null);
  const [actions] = useState<RowActions<Row>>(() => ({
    toggle: (id, on) => latest.current!.toggle(id, on),
    open: (row) => latest.current!.open(row),
    label: (id) => latest.current!.label(id),
  }));
  const [margin, setMargin] = useState(usualMargin);
  const [overscan, setOverscan] = useState(firstOverscan);
  const hasRows = rows.length > 0;
  useLayoutEffect(() => {
    if (body.current) setMargin(body.current.getBoundingClientRect().top + scrollY);
  }, [hasRows, phone, selection !== undefined && selection.selected.size > 0]);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => (phone ? 76 : estimate),
    overscan,
    scrollMargin: margin,
    getItemKey: (index) => rowId(rows[index]!),
  });
  useEffect(() => {
    if (!hasRows) return undefined;
    const timer = setTimeout(() => setOverscan(laterOverscan), 150);
    return () => clearTimeout(timer);
  }, [hasRows]);
  useEffect(() => forgetSizes(virtualizer, rows.map(rowId)), [virtualizer, rows]);
  const virtual = virtualizer.getVirtualItems();
  const lastShown = virtual.at(-1)?.index ?? -1;
  const canLoad = query?.hasNextPage === true && !query.isFetchingNextPage && !query.isFetchNextPageError;
  useEffect(() => {
    if (canLoad && rows.length > 0 && lastShown >= rows.length - 15) void query?.fetchNextPage();
  }, [canLoad, lastShown, rows.length, query]);

  const activeIndex = activeId == null ? -1 : rows.findIndex((row) => rowId(row) === activeId);
  useEffect(() => {
    if (activeIndex >= 0) virtualizer.scrollToIndex(activeIndex, { align: "auto" });
  }, [activeIndex, virtualizer]);

  if (query && query.data === undefined) {
    if (query.error) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
    return (
      <div className="center table-loading">
        <Spinner />
      </div>
    );
  }
  const template = [...(selection ? ["36px"] : []), ...columns.map((column) => column.width ?? "minmax(0, 1fr)")].join(" ");
  const allSelected = selection !== undefined && rows.length > 0 && rows.every((row) => selection.selected.has(rowId(row)));
  const someSelected = selection !== undefined && rows.some((row) => selection.selected.has(rowId(row)));
  const opens = rowHref !== undefined || onRowPress !== undefined;
  // Rows get functions that stay the same, so that scrolling renders only rows that come into view.
  latest.current = {
    toggle: (id, on) => {
      if (!selection) return;
      const next = new Set(selection.selected);
      if (on) next.add(id);
      else next.delete(id);
      selection.onChange(next);
    },
    open: (row) => {
      if (rowHref) navigate(rowHref(row));
      else onRowPress?.(row);
    },
    label: (id) => selection?.label(id) ?? id,
  };
  const title = columns.find((column) => column.phone === "title") ?? columns[0]!;

  return (
    <div className="table-box">
      {(toolbar !== undefined || csvName !== undefined) && (
        <div className="table-toolbar">
          <div className="row wrap">{toolbar}</div>
          {csvName !== undefined && rows.length > 0 && <ExportButton columns={all} source={source} name={csvName} />}
        </div>
      )}
      {rows.length === 0 ? (
        empty
      ) : (
        <div role="table" aria-label={label} aria-rowcount={query?.hasNextPage ? -1 : rows.length + 1} aria-busy={query?.isPlaceholderData ?? false} className={`table${query?.isPlaceholderData ? " table-stale" : ""}`}>
          <div role="rowgroup" className="table-head">
            <div role="row" aria-rowindex={1} className="table-row table-head-row" style={{ gridTemplateColumns: phone ? (selection ? "36px 1fr" : "1fr") : template }}>
              {selection && (
                <div role="columnheader" className="table-cell">
                  <Checkbox
                    hideLabel
                    isSelected={allSelected}
                    isIndeterminate={!allSelected && someSelected}
                    onChange={(on) => selection.onChange(on ? new Set(rows.map(rowId)) : new Set())}
                  >
                    {t("table.selectAll")}
                  </Checkbox>
                </div>
              )}
              {phone ? (
                <div role="columnheader" className="table-cell">
                  {title.header}
                </div>
              ) : (
                columns.map((column) => (
                  <div key={column.id} role="columnheader" className={`table-cell${column.align === "end" ? " table-end" : ""}`}>
                    {column.header}
                  </div>
                ))
              )}
            </div>
          </div>
          <div role="rowgroup" ref={body} className="table-body" style={{ height: virtualizer.getTotalSize() }}>
            {virtual.map(({ index, start }) => {
              const row = rows[index]!;
              const id = rowId(row);
              return (
                <TableRow
                  key={id}
                  row={row}
                  id={id}
                  index={index}
                  start={start - margin}
                  columns={columns}
                  title={title}
                  template={phone ? (selection ? "36px minmax(0, 1fr)" : "minmax(0, 1fr)") : template}
                  isPhone={phone}
                  isSelectable={selection !== undefined}
                  isSelected={selection?.selected.has(id) ?? false}
                  isActive={id === activeId}
                  opens={opens}
                  isFocusable={opens && !rowHref}
                  actions={actions}
                  measure={virtualizer.measureElement}
                />
              );
            })}
          </div>
        </div>
      )}
      {query?.isFetchNextPageError && <ErrorNotice error={query.error} onRetry={() => void query.fetchNextPage()} />}
      {rows.length > 0 && query && (
        <div className="table-foot">
          {query.isFetchingNextPage ? (
            <Spinner />
          ) : query.hasNextPage ? (
            <Button size="s" onPress={() => void query.fetchNextPage()}>
              {t("table.more")}
            </Button>
          ) : (
            <span className="faint">{t("table.rows", { count: rows.length })}</span>
          )}
        </div>
      )}
    </div>
  );
}

interface RowActions<Row> {
  toggle: (id: string, on: boolean) => void;
  open: (row: Row) => void;
  label: (id: string) => string;
}

interface CellsProps<Row> {
  row: Row;
  id: string;
  columns: readonly ShownColumn<Row>[];
  title: ShownColumn<Row>;
  isPhone: boolean;
  isSelectable: boolean;
  isSelected: boolean;
  actions: RowActions<Row>;
}

interface TableRowProps<Row> extends CellsProps<Row> {
  index: number;
  /** Distance from the top of the table's body, in pixels. */
  start: number;
  template: string;
  isActive: boolean;
  opens: boolean;
  isFocusable: boolean;
  measure: (element: HTMLElement | null) => void;
}

/** The place of a row. It changes with the rows above, so the content is memoised apart. */
function TableRow<Row>({ index, start, template, isActive, opens, isFocusable, measure, ...cells }: TableRowProps<Row>): ReactNode {
  const { row, isSelected, actions } = cells;
  const onClick = (event: MouseEvent): void => {
    // Controls act themselves, and marking a text does not open the row.
    if (opens && !(event.target as Element).closest("a, button, input, label, select, textarea") && !getSelection()?.toString()) actions.open(row);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && event.target === event.currentTarget) actions.open(row);
  };
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      data-active={isActive || undefined}
      aria-current={isActive || undefined}
      data-selected={isSelected || undefined}
      data-opens={opens || undefined}
      ref={measure}
      tabIndex={isFocusable ? 0 : undefined}
      className="table-row"
      style={{ gridTemplateColumns: template, transform: `translateY(${start}px)` }}
      onClick={onClick}
      onKeyDown={onKeyDown}
    >
      <Cells {...cells} />
    </div>
  );
}

function CellsView<Row>({ row, id, columns, title, isPhone, isSelectable, isSelected, actions }: CellsProps<Row>): ReactNode {
  return (
    <>
      {isSelectable && (
        <div role="cell" className="table-cell">
          <PlainCheckbox label={actions.label(id)} isSelected={isSelected} onChange={(on) => actions.toggle(id, on)} />
        </div>
      )}
      {isPhone ? (
        <div role="cell" className="table-card">
          <div className="table-card-title">{title.cell(row)}</div>
          <div className="table-card-details">
            {columns
              .filter((column) => column !== title && column.phone !== "hidden")
              .map((column) => (
                <span key={column.id}>{column.cell(row)}</span>
              ))}
          </div>
        </div>
      ) : (
        columns.map((column) => (
          <div key={column.id} role="cell" className={`table-cell${column.align === "end" ? " table-end" : ""}`}>
            {column.cell(row)}
          </div>
        ))
      )}
    </>
  );
}

const Cells = memo(CellsView) as typeof CellsView;

/** Loads the further pages, and stores all rows as a CSV file. Says so if there are too many pages for one file. */
function ExportButton<Row>({ columns, source, name }: { columns: readonly Column<Row>[]; source: DataTableProps<Row>["source"]; name: string }): ReactNode {
  const t = useT("common");
  const [pending, setPending] = useState(false);
  const run = async (): Promise<void> => {
    setPending(true);
    try {
      const further = "query" in source ? await readFurther(source, exportPages) : { items: [], more: false };
      const rows = [...source.items, ...further.items];
      const shown = columns.filter((column) => column.csv !== undefined);
      download(`${name}.csv`, toCsv([shown.map((column) => column.header), ...rows.map((row) => shown.map((column) => column.csv!(row)))]));
      if (further.more) toast.warning(t("table.exportCut", { count: rows.length }), t("table.exportCutText"));
    } catch (error) {
      toast.error(error, t("table.exportFailed"));
    } finally {
      setPending(false);
    }
  };
  return (
    <Button size="s" variant="ghost" icon={<Download aria-hidden />} isPending={pending} isDisabled={"query" in source && source.query.isPlaceholderData} onPress={() => void run()}>
      {t("table.export")}
    </Button>
  );
}

/** The link of a row's main cell. */
export function RowLink({ href, children }: { href: string; children: ReactNode }): ReactNode {
  return (
    <Link href={href} className="row-link" dir="auto">
      {children}
    </Link>
  );
}
