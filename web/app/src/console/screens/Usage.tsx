import { useMemo } from "react";

import { hours, number, words } from "../format";
import { useQuery } from "../graphql";
import { type UsageByQuery, UsageByDocument, type UsageDimension } from "../operations";
import { Heading, Loaded, Table } from "../parts/parts";
import { days } from "../periods";
import { type Route, href, refine } from "../routes";
import { useMay } from "../viewer";
import { Plays } from "./Home";

type Row = UsageByQuery["usage"]["rows"][number];
const columns: Record<string, (row: Row) => [key: string | null, name: string | null]> = {
  VIDEO: (row) => [row.video, row.videoTitle], ACCOUNT: (row) => [row.account, row.accountName], CLIENT: (row) => [row.client, row.clientName],
  CHANNEL: (row) => [row.channel, row.channelName], SUBJECT: (row) => [row.subject, row.subjectName], USER: (row) => [row.user ?? row.externalUser, row.userName],
};

/** What was played, by any dimension. */
export function Usage({ route }: { route: Route }) {
  const by = (route.params.get("by") ?? "VIDEO") as UsageDimension, span = Number(route.params.get("days") ?? 30);
  const period = useMemo(() => days(span), [span]);
  const persons = useMay("VIEW_PERSONS");
  const report = useQuery(UsageByDocument, { ...period, by: [by], filter: { sandbox: false } });
  const keyOf = (row: Row) => columns[by]?.(row)[0] ?? "";
  const nameOf = (row: Row) => columns[by]?.(row)[1] ?? (keyOf(row) || "unknown");
  const named = (row: Row) => keyOf(row) && (by === "VIDEO" || by === "ACCOUNT") ? <a href={href(by === "VIDEO" ? "videos" : "customers", keyOf(row))}>{nameOf(row)}</a> : nameOf(row);
  const file = (rows: Row[]) => URL.createObjectURL(new Blob([["id,name,plays,seconds,users", ...rows.map((row) => [quoted(keyOf(row)), quoted(nameOf(row)), row.plays, row.seconds, row.users].join(","))].join("\r\n")], { type: "text/csv" }));
  const save = (rows: Row[]) => {
    const link = document.createElement("a");
    link.href = file(rows);
    link.download = `usage-by-${by.toLowerCase()}.csv`;
    link.click();
  };
  return (
    <>
      <Heading title="Usage">
        <select aria-label="By" value={by} onChange={(event) => refine(route, { by: event.target.value })}>
          {Object.keys(columns).filter((one) => one !== "USER" || persons).map((one) => <option key={one} value={one}>By {words(one).toLowerCase()}</option>)}
        </select>
        <select aria-label="Period" value={span} onChange={(event) => refine(route, { days: event.target.value })}>
          {[7, 30, 60, 90].map((one) => <option key={one} value={one}>Last {one} days</option>)}
        </select>
      </Heading>
      <Plays />
      <section className="card">
        <Loaded result={report}>
          {({ usage }) => (
            <>
              <Table label="Usage" rows={usage.rows} keyOf={(row) => keyOf(row) + (row.externalUser ?? "")} empty="Nothing was played in this period." columns={[
                { name: words(by), cell: named },
                { name: "Plays", numeric: true, cell: (row) => number(row.plays) },
                { name: "Time", numeric: true, cell: (row) => hours(row.seconds) },
                { name: "Users", numeric: true, cell: (row) => number(row.users) },
              ]} />
              <p className="row"><span className="quiet">The first {number(usage.rows.length)} of {number(usage.count)}.</span> <button type="button" className="secondary" onClick={() => save(usage.rows)}>Download as CSV</button></p>
            </>
          )}
        </Loaded>
      </section>
    </>
  );
}

// A cell that a spreadsheet would take for a formula begins with an apostrophe.
const quoted = (text: string) => `"${text.replace(/^[=+\-@\t\r]/, "'$&").replaceAll("\"", "\"\"")}"`;
