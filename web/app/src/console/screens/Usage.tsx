import { useMemo, useState } from "react";

import { hours, number, words } from "../format";
import { ask, useQuery } from "../graphql";
import { UsageBeforeDocument, type UsageByQuery, UsageByDocument, type UsageDimension, type UsageFilter } from "../operations";
import { saveCSV } from "../parts/csv";
import { Heading, Loaded, Table, sentence, useNotice } from "../parts/parts";
import { type NamedPeriod, reportPeriods } from "../periods";
import { type Route, href, refine } from "../routes";
import { useMay } from "../viewer";
import { Plays } from "./Home";

type Row = UsageByQuery["usage"]["rows"][number];
type Keys = Pick<Row, "account" | "client" | "user" | "externalUser" | "video" | "channel" | "subject">;

interface Dimension {
  /** The parameter of the address that names what the plays are limited to, and the field of the filter. */
  parameter: string;
  filter: "accounts" | "clients" | "users" | "externalUsers" | "videos" | "channels" | "subjects";
  key: (row: Keys) => string | null;
  name: (row: Row) => string | null;
  /** The screen that shows one of them. */
  screen?: string;
}

const dimensions: Partial<Record<UsageDimension, Dimension>> = {
  VIDEO: { parameter: "video", filter: "videos", key: (row) => row.video, name: (row) => row.videoTitle, screen: "videos" },
  ACCOUNT: { parameter: "account", filter: "accounts", key: (row) => row.account, name: (row) => row.accountName, screen: "customers" },
  CLIENT: { parameter: "client", filter: "clients", key: (row) => row.client, name: (row) => row.clientName },
  CHANNEL: { parameter: "channel", filter: "channels", key: (row) => row.channel, name: (row) => row.channelName },
  SUBJECT: { parameter: "subject", filter: "subjects", key: (row) => row.subject, name: (row) => row.subjectName },
  USER: { parameter: "user", filter: "users", key: (row) => row.user ?? row.externalUser, name: (row) => row.userName },
};

const pageSize = 100, largestPage = 1000, largestFile = 100_000;
const known = (name: string | null): name is UsageDimension => name !== null && name in dimensions;

/** What was played, by any dimension, against the period before unless this month belongs to it. Each row leads to its own plays. */
export function Usage({ route }: { route: Route }) {
  const asked = route.params.get("by"), by: UsageDimension = known(asked) ? asked : "VIDEO";
  const periods = useMemo(reportPeriods, []);
  const asks = route.params.get("period") ?? "", chosen = Object.hasOwn(periods, asks) ? asks : "recent";
  const current = periods[chosen] as NamedPeriod, { period, before: earlier } = current;
  const persons = useMay("VIEW_PERSONS"), notice = useNotice();
  const [saving, setSaving] = useState(false);
  const limits = Object.entries(dimensions).filter(([, { parameter }]) => route.params.get(parameter));
  const filter: UsageFilter = { sandbox: false };
  for (const [, { parameter, filter: field }] of limits) filter[field] = [route.params.get(parameter) ?? ""];
  if (route.params.get("externalUser")) filter.externalUsers = [route.params.get("externalUser") ?? ""];
  const report = useQuery(UsageByDocument, { ...period, by: [by], filter, first: pageSize });
  const past = useQuery(UsageBeforeDocument, earlier && { ...earlier, by: [by], filter }), before = earlier && past.data?.usage;
  const limited = useQuery(UsageByDocument, limits.length > 0 ? { ...period, by: limits.map(([name]) => name as UsageDimension), filter, first: 1 } : undefined);

  const { key, name, screen, parameter } = dimensions[by] as Dimension;
  const earlierPlays = new Map(before?.rows.map((row) => [key(row), row.plays]));
  const shown = (row: Row) => name(row) ?? (key(row) || "unknown");
  const next = (row: Row) => {
    const into = by === "VIDEO" ? "ACCOUNT" : "VIDEO";
    const external = by === "USER" && row.externalUser;
    return href(route.screen, route.id, { ...Object.fromEntries(route.params), by: into, [external ? "externalUser" : parameter]: key(row) ?? "" });
  };
  const change = (row: Row) => {
    const old = earlierPlays.get(key(row));
    if (old) return `${row.plays >= old ? "+" : "−"}${number(Math.round(100 * Math.abs(row.plays - old) / old))} %`;
    return before && before.count <= largestPage ? "new" : "";
  };
  const save = async () => {
    setSaving(true);
    try {
      const rows: Row[] = [];
      let after: string | null = null;
      do {
        const page: UsageByQuery = await ask(UsageByDocument, { ...period, by: [by], filter, first: largestPage, after });
        rows.push(...page.usage.rows);
        after = page.usage.endCursor;
      } while (after && rows.length < largestFile);
      saveCSV(`usage-by-${by.toLowerCase()}`, ["id", "name", "plays", "seconds", "users"], rows.map((row) => [key(row), name(row), row.plays, row.seconds, row.users]));
      if (after) notice({ text: `The file has the first ${number(rows.length)} rows.` });
    } catch (failure) {
      notice({ text: sentence((failure as Error).message) });
    }
    setSaving(false);
  };
  return (
    <>
      <Heading title="Usage">
        <select aria-label="By" value={by} onChange={(event) => refine(route, { by: event.target.value })}>
          {Object.keys(dimensions).filter((one) => one !== "USER" || persons).map((one) => <option key={one} value={one}>By {words(one).toLowerCase()}</option>)}
        </select>
        <select aria-label="Period" value={chosen} onChange={(event) => refine(route, { period: event.target.value })}>
          {Object.entries(periods).map(([id, { name }]) => <option key={id} value={id}>{name}</option>)}
        </select>
      </Heading>
      {(limits.length > 0 || filter.externalUsers) && (
        <p className="row">
          {limits.map(([dimension, limit]) => (
            <button key={dimension} type="button" className="secondary" aria-label={`All, not one ${words(dimension).toLowerCase()}`} onClick={() => refine(route, { [limit.parameter]: "" })}>
              {words(dimension)}: {limited.data?.usage.rows.map(limit.name)[0] ?? route.params.get(limit.parameter)} ✕
            </button>
          ))}
          {filter.externalUsers && <button type="button" className="secondary" aria-label="All, not one user" onClick={() => refine(route, { externalUser: "" })}>User: {filter.externalUsers[0]} ✕</button>}
        </p>
      )}
      <Plays report={current} filter={filter} />
      <section className="card">
        <Loaded result={report}>
          {({ usage }) => (
            <>
              <Table label="Usage" rows={usage.rows} keyOf={(row) => (key(row) ?? "") + (row.externalUser ?? "")} empty="Nothing was played in this period." columns={[
                { name: words(by), cell: (row) => key(row) ? <a href={next(row)}>{shown(row)}</a> : shown(row) },
                { name: "Plays", numeric: true, cell: (row) => number(row.plays) },
                ...(earlier ? [{ name: "Change", numeric: true, cell: change }] : []),
                { name: "Time", numeric: true, cell: (row) => hours(row.seconds) },
                { name: "Users", numeric: true, cell: (row) => number(row.users) },
                ...(screen ? [{ name: "", cell: (row: Row) => key(row) && <a href={href(screen, key(row) ?? "")} aria-label={`Open ${shown(row)}`}>Open</a> }] : []),
              ]} />
              <p className="row">
                <span className="quiet">The first {number(usage.rows.length)} of {number(usage.count)}.</span>
                <button type="button" className="secondary" disabled={saving} onClick={() => void save()}>{saving ? "Downloading…" : "Download as CSV"}</button>
              </p>
            </>
          )}
        </Loaded>
      </section>
    </>
  );
}
