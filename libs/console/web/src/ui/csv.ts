export type CsvValue = string | number | boolean | null | undefined;

/** Spreadsheet programs read cells with these first characters as formulas. */
const formula = /^[=+\-@\t\r]/;

/** One cell (RFC 4180). A text that a spreadsheet would read as a formula gets a leading `'`. */
export function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = String(value);
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A table as CSV, with CRLF line ends. */
export const toCsv = (rows: readonly (readonly CsvValue[])[]): string => rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");

/** Lets the browser store a file. */
export function download(filename: string, data: Blob | string, type = "text/csv;charset=utf-8"): void {
  // The mark lets spreadsheet programs read UTF-8.
  const blob = typeof data === "string" ? new Blob(type.startsWith("text/csv") ? ["\ufeff", data] : [data], { type }) : data;
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = filename;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
