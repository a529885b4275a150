import { useMemo } from "react";

import { hours, number, words } from "../format";
import { useQuery } from "../graphql";
import { TitlesDocument, type UsageByQuery, UsageByDocument, type UsageDimension } from "../operations";
import { Heading, Loaded, Table } from "../parts/parts";
import { days } from "../periods";
import { type Route, href, refine } from "../routes";
import { useMay } from "../viewer";
import { Plays } from "./Home";

type Row = UsageByQuery["usage"]["rows"][number];
const columns: Record<string, (row: Row) => string | null> = {
  VIDEO: (row) => row.video, ACCOUNT: (row) => row.account, CLIENT: (row) => row.client, CHANNEL: (row) => row.channel, SUBJECT: (row) => row.subject, USER: (row) => row.user ?? row.externalUser,
};

/** What was played, by any dimension. */
export function Usage({ route }: { route: Route }) {
  const by = (route.params.get("by") ?? "VIDEO") as UsageDimension, span = Number(route.params.get("days") ?? 30);
  const period = useMemo(() => days(span), [span]);
  const persons = useMay("VIEW_PERSONS");
  const report = useQuery(UsageByDocument, { ...period, by: [by], filter: { sandbox: false } });
  const keyOf = (row: Row) => columns[by]?.(row) ?? "";
  const ids = by === "VIDEO" ? report.data?.usage.rows.map(keyOf).filter(Boolean) : [];
  const titles = useQuery(TitlesDocument, ids && ids.length > 0 ? { ids } : undefined);
  const titleOf = (id: string) => titles.data?.searchVideos.videos.find((video) => video.id === id)?.title ?? id;
  const named = (row: Row) => by === "VIDEO" ? <a href={href("videos", keyOf(row))}>{titleOf(keyOf(row))}</a> : by === "ACCOUNT" ? <a href={href("customers", keyOf(row))}>{keyOf(row)}</a> : keyOf(row) || "unknown";
  const file = (rows: Row[]) => URL.createObjectURL(new Blob([["name,plays,seconds,users", ...rows.map((row) => [quoted(by === "VIDEO" ? titleOf(keyOf(row)) : keyOf(row)), row.plays, row.seconds, row.users].join(","))].join("\r\n")], { type: "text/csv" }));
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
