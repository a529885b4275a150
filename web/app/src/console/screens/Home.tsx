import { type ReactNode, useMemo } from "react";

import { ago, hours, number } from "../format";
import { useQuery } from "../graphql";
import { CatalogueChangesDocument, EmptySearchesDocument, PlaysDocument, type PlaysQuery, SetUpDocument, TopVideosDocument, type UsageFilter } from "../operations";
import { Chart, type Point } from "../parts/Chart";
import { Empty, Heading, Loaded, Table, Time } from "../parts/parts";
import { type NamedPeriod, type Period, dayOf, days, daysOf, recentDays, recentMonths } from "../periods";
import { href } from "../routes";
import { useViewer } from "../viewer";

/** What happened in the last 30 days. */
export function Home() {
  const viewer = useViewer();
  return (
    <>
      <Heading title={viewer.userName ? `Good day, ${viewer.userName.split(" ")[0]}` : "Home"} />
      <Checklist />
      <Plays />
      <div className="halves">
        <TopVideos />
        <EmptySearches />
      </div>
      <RecentChanges />
    </>
  );
}

/** The plays of a period, by default the last 30 days, against those of the period before. */
export function Plays({ report, filter = { sandbox: false } }: { report?: NamedPeriod; filter?: UsageFilter }) {
  const { name, period, before } = useMemo(() => report ?? recentDays(30), [report]);
  const now = useQuery(PlaysDocument, { ...period, filter }), past = useQuery(PlaysDocument, before && { ...before, filter });
  const earlier = before && past.data?.usage;
  const points = useMemo(() => pointsOf(period, now.data?.usage.rows), [period, now.data]);
  const dashed = useMemo(() => before && past.data && pointsOf(before, past.data.usage.rows), [before, past.data]);
  return (
    <section className="card" aria-labelledby="plays">
      <h2 id="plays">Plays: {name.toLowerCase()}</h2>
      <Loaded result={now}>
        {({ usage }) => (
          <>
            <dl className="measures">
              <Measure name="Plays" value={usage.total.plays} before={earlier?.total.plays} />
              <Measure name="Time" value={usage.total.seconds} before={earlier?.total.seconds} shown={hours} />
              <Measure name="Users" value={usage.total.users} before={earlier?.total.users} />
              {!filter.videos && <Measure name="Videos played" value={usage.total.videos} before={earlier?.total.videos} />}
            </dl>
            <Chart name="Plays" points={points} before={dashed} />
            {usage.asOf && <p className="quiet">Everything that was received until {ago(usage.asOf)} is counted.</p>}
          </>
        )}
      </Loaded>
    </section>
  );
}

/** The plays of each day of a period. The server returns no row for a day without any. */
function pointsOf(period: Period, rows: PlaysQuery["usage"]["rows"] = []): Point[] {
  const plays = new Map(rows.map((row) => [new Date(row.from).getTime(), row.plays]));
  return daysOf(period).map((at) => ({ at, value: plays.get(new Date(at).getTime()) ?? 0 }));
}

function Measure({ name, value, before, shown = number }: { name: string; value: number; before?: number | undefined; shown?: (value: number) => string }) {
  const change = before ? Math.round(100 * (value - before) / before) : undefined;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{shown(value)} {change !== undefined && <small>{change >= 0 ? "+" : "−"}{number(Math.abs(change))} %</small>}</dd>
    </div>
  );
}

/** What is left to set up. */
function Checklist() {
  const viewer = useViewer();
  const period = useMemo(() => days(90), []);
  const may = (permission: typeof viewer.permissions[number]) => viewer.permissions.includes(permission);
  const state = useQuery(SetUpDocument, { ...period, customers: may("VIEW_CUSTOMERS"), staff: may("MANAGE_STAFF") });
  if (!state.data) return null;
  const { listedVideos, accounts, clients, staff, usage } = state.data;
  const steps: [done: boolean, text: ReactNode][] = [
    [listedVideos.total > 0, <>Import videos: <code>filmstrip import videos.jsonl</code></>],
    [!accounts || accounts.nodes.some((one) => !one.operator), <a href={href("new-customer")}>Add the first customer</a>],
    [!clients || clients.nodes.length > 1, <a href={href("customers")}>Give it a client, and send it the secret</a>],
    [usage.total.plays > 0, "Wait for the first play that a customer reports"],
    [!staff || staff.length > 1, <a href={href("staff")}>Invite a colleague</a>],
  ];
  if (steps.every(([done]) => done)) return null;
  return (
    <section className="card" aria-labelledby="setup">
      <h2 id="setup">Set up</h2>
      <ol>{steps.map(([done, text], i) => <li key={i}>{done ? <del>{text}</del> : text}{done && <span className="hidden"> (done)</span>}</li>)}</ol>
    </section>
  );
}

function TopVideos() {
  const { period } = useMemo(recentMonths, []);
  const top = useQuery(TopVideosDocument, { ...period, filter: { sandbox: false } });
  return (
    <section className="card" aria-labelledby="top">
      <h2 id="top">Most played this month and last</h2>
      <Loaded result={top}>
        {({ usage }) => (
          <Table label="Most played videos" rows={usage.rows.filter((row) => row.video)} keyOf={(row) => row.video ?? ""} empty="No video was played this month or last." columns={[
            { name: "Video", cell: (row) => <a href={href("videos", row.video ?? "")}>{row.videoTitle ?? row.video}</a> },
            { name: "Plays", numeric: true, cell: (row) => number(row.plays) },
            { name: "Time", numeric: true, cell: (row) => hours(row.seconds) },
          ]} />
        )}
      </Loaded>
    </section>
  );
}

function EmptySearches() {
  const period = useMemo(() => ({ from: dayOf(30), to: dayOf(0) }), []);
  const report = useQuery(EmptySearchesDocument, period);
  return (
    <section className="card" aria-labelledby="nothing">
      <h2 id="nothing">Searches that find nothing</h2>
      <Loaded result={report}>
        {({ searchReport }) => (
          <Table label="Searches that find nothing" rows={searchReport} keyOf={(row) => row.text} empty="Every search of the last 30 days finds something." columns={[
            { name: "Text", cell: (row) => <a href={href("search", "", { text: row.text })}>{row.text}</a> },
            { name: "Searches", numeric: true, cell: (row) => number(row.searches) },
          ]} />
        )}
      </Loaded>
    </section>
  );
}

function RecentChanges() {
  const changes = useQuery(CatalogueChangesDocument, { first: 8 });
  return (
    <section className="card" aria-labelledby="recent">
      <h2 id="recent">Recent changes of the catalogue</h2>
      <Loaded result={changes}>
        {({ catalogueAuditLog: { nodes } }) => nodes.length === 0
          ? <Empty>Nothing has changed yet. <a href={href("videos")}>Open a video</a> and correct its title to begin.</Empty>
          : <ul className="plain">{nodes.map((entry) => <li key={entry.number}><Time at={entry.at} /> · {entry.userName ?? entry.user ?? entry.client} · {describe(entry)}</li>)}</ul>}
      </Loaded>
    </section>
  );
}

/** Says what an entry of the catalogue's audit log is about. */
export function describe(entry: { kind: string; id: string | null; before: unknown; after: unknown }) {
  const kind = entry.kind.toLowerCase().replaceAll("_", " ");
  if (entry.id === null) {
    const counts = (entry.after ?? {}) as { source?: string; added?: number; changed?: number; deleted?: number };
    return <>import of {kind}{/s$|material$/.test(kind) ? "" : "s"} from {counts.source ?? "a file"}: {counts.added ?? 0} added, {counts.changed ?? 0} changed, {counts.deleted ?? 0} deleted</>;
  }
  const body = (entry.after ?? entry.before ?? {}) as { title?: string; name?: string; label?: string };
  const name = body.title ?? body.name ?? body.label ?? entry.id;
  const what = entry.before === null ? "added" : entry.after === null ? "deleted" : "changed";
  return <>{kind} {entry.kind === "VIDEO" && entry.after !== null ? <a href={href("videos", entry.id)}>{name}</a> : name} {what}</>;
}
