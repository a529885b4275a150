// Tables as files for spreadsheets.

type Cell = string | number | null;

/** Saves a table as a CSV file (RFC 4180), which the browser names name.csv. */
export function saveCSV(name: string, header: string[], rows: Cell[][]): void {
  const lines = [header, ...rows].map((row) => row.map(written).join(","));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([lines.join("\r\n"), "\r\n"], { type: "text/csv" }));
  link.download = `${name}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}

// A spreadsheet takes a text that begins with one of these characters for a formula; an apostrophe prevents that.
const formula = /^[=+\-@\t\r]/;
const written = (cell: Cell) => typeof cell === "number" ? String(cell) : `"${(cell ?? "").replace(formula, "'$&").replaceAll("\"", "\"\"")}"`;
