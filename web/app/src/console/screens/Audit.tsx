import { words } from "../format";
import { useQuery } from "../graphql";
import { type CatalogueKind, type ChangeFilter, ChangesDocument, type ChangesQuery, type RecordKind } from "../operations";
import { actorOf, Changes, verbOf } from "../parts/changes";
import { Empty, Heading, Loaded, Search } from "../parts/parts";
import { type Route, href, refine } from "../routes";
import { useMay } from "../viewer";
import { describe } from "./Home";

type Entry = ChangesQuery["changes"]["nodes"][number];

const catalogueKinds: CatalogueKind[] = ["VIDEO", "SUBJECT", "DISCIPLINE", "TOPIC", "TAG", "EDUCATION_LEVEL", "CHANNEL", "SYNONYM", "SEARCH_RULE", "CAPTIONS", "HIGHLIGHT", "CONTRACT"];
const recordKinds: RecordKind[] = ["account", "client", "tier", "contentPackage", "policy", "deprecation"];
const personKinds: RecordKind[] = ["user", "staffMember"];

/** Who changed what: one list of all changes, the newest first. */
export function Audit({ route }: { route: Route }) {
  const customers = useMay("VIEW_CUSTOMERS"), persons = useMay("VIEW_PERSONS");
  const given = (name: string) => route.params.get(name) ?? "";
  const kind = given("kind");
  const filter: ChangeFilter = {
    actor: given("actor") || null, from: given("from") ? `${given("from")}T00:00:00Z` : null, to: given("to") ? dayAfter(given("to")) : null,
    catalogueKind: catalogueKinds.find((one) => one === kind) ?? null, recordKind: [...recordKinds, ...personKinds].find((one) => one === kind) ?? null,
  };
  const filtered = !!(kind || given("actor") || given("from") || given("to"));
  const log = useQuery(ChangesDocument, { filter, first: 50, before: given("before") || null });
  const set = (name: string) => (value: string) => refine(route, { [name]: value, before: "" });
  return (
    <>
      <Heading title="Audit" />
      <div className="tools">
        <Search label="Id of a user or client" text={given("actor")} change={set("actor")} />
        <select aria-label="Kind" value={kind} className={kind && "chosen"} onChange={(event) => set("kind")(event.target.value)}>
          <option value="">Kind: all</option>
          <optgroup label="Catalogue">{catalogueKinds.map((one) => <option key={one} value={one}>{words(one)}</option>)}</optgroup>
          {customers && <optgroup label="Customers and staff">{[...recordKinds, ...(persons ? personKinds : [])].map((one) => <option key={one} value={one}>{words(one)}</option>)}</optgroup>}
        </select>
        <label>From <input type="date" value={given("from")} onChange={(event) => set("from")(event.target.value)} /></label>
        <label>To <input type="date" value={given("to")} onChange={(event) => set("to")(event.target.value)} /></label>
        {filtered && <a href={href("audit")}>Clear filters</a>}
      </div>
      <section className="card" aria-label="Changes">
        <Loaded result={log}>
          {({ changes: { nodes, pageInfo } }) => (
            <>
              {nodes.length === 0
                ? <Empty>{pageInfo.hasNextPage ? "None among the changes read so far. Go on to older ones." : filtered ? "No change matches. Clear the filters to see all." : "Nothing has changed yet. Every change that people and imports make is listed here."}</Empty>
                : <Changes entries={nodes.map((entry) => entry.id === null ? { ...entry, before: null, after: null } : entry)} head={(entry) => <Head entry={nodes.find((one) => one.number === entry.number && one.recordKind === entry.recordKind) ?? entry} />} actor={(entry) => (
                  <a href={href("audit", "", { ...Object.fromEntries(route.params), actor: entry.user ?? entry.client, before: "" })} title="Only changes of this user or client">{actorOf(entry)}</a>
                )} />}
              <nav className="pages" aria-label="Pages">
                {given("before") && <button type="button" className="secondary" onClick={() => refine(route, { before: "" })}>Newest</button>}
                {pageInfo.hasNextPage && <button type="button" className="secondary" onClick={() => refine(route, { before: pageInfo.endCursor ?? "" })}>Older</button>}
              </nav>
            </>
          )}
        </Loaded>
      </section>
    </>
  );
}

// The last day is included.
const dayAfter = (day: string) => new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString();

function Head({ entry }: { entry: Entry }) {
  if (entry.catalogueKind) return describe({ kind: entry.catalogueKind, id: entry.id, before: entry.before, after: entry.after });
  const screens: Partial<Record<RecordKind, string>> = { account: "customers", user: "users", contentPackage: "packages" };
  const screen = entry.recordKind && entry.after !== null ? screens[entry.recordKind] : undefined;
  const { name } = Object(entry.after ?? entry.before) as { name?: unknown };
  const called = typeof name === "string" && name !== "" ? name : entry.id;
  return <>{words(entry.recordKind ?? "").toLowerCase()} {screen && entry.id ? <a href={href(screen, entry.id)}>{called}</a> : <strong>{called}</strong>} {verbOf(entry)}</>;
}
