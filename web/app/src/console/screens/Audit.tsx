import { words } from "../format";
import { useQuery } from "../graphql";
import { CatalogueChangesDocument, RecordChangesDocument } from "../operations";
import { Changes } from "../parts/changes";
import { Empty, Heading, Loaded } from "../parts/parts";
import { type Route, href, refine } from "../routes";
import { useMay } from "../viewer";
import { describe } from "./Home";

/** Who changed what. */
export function Audit({ route }: { route: Route }) {
  const customers = useMay("VIEW_CUSTOMERS");
  const of = route.params.get("of") ?? "";
  return (
    <>
      <Heading title="Audit" />
      <nav className="tabs" aria-label="Audit log">
        <a href={href("audit")} aria-current={of === "" ? "page" : undefined}>Catalogue</a>
        {customers && <a href={href("audit", "", { of: "records" })} aria-current={of === "records" ? "page" : undefined}>Customers and staff</a>}
      </nav>
      {of === "records" ? <Records route={route} /> : <Catalogue route={route} />}
    </>
  );
}

function Older({ route, page }: { route: Route; page: { hasNextPage: boolean; endCursor: string | null } }) {
  return (
    <nav className="pages" aria-label="Pages">
      {route.params.get("before") && <button type="button" className="secondary" onClick={() => refine(route, { before: "" })}>Newest</button>}
      {page.hasNextPage && <button type="button" className="secondary" onClick={() => refine(route, { before: page.endCursor ?? "" })}>Older</button>}
    </nav>
  );
}

function Catalogue({ route }: { route: Route }) {
  const log = useQuery(CatalogueChangesDocument, { first: 50, before: route.params.get("before") });
  return (
    <section className="card">
      <Loaded result={log}>
        {({ catalogueAuditLog: { nodes, pageInfo } }) => (
          <>
            {nodes.length === 0 ? <Empty>Nothing has changed yet.</Empty> : <Changes entries={nodes.map((entry) => entry.id === null ? { ...entry, before: null, after: null } : entry)} head={(entry) => describe(nodes.find((one) => one.number === entry.number) ?? entry)} />}
            <Older route={route} page={pageInfo} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function Records({ route }: { route: Route }) {
  const persons = useMay("VIEW_PERSONS");
  const log = useQuery(RecordChangesDocument, { first: 50, before: route.params.get("before"), kind: persons ? null : "account" });
  return (
    <section className="card">
      <Loaded result={log}>
        {({ auditLog: { nodes, pageInfo } }) => (
          <>
            {nodes.length === 0 ? <Empty>Nothing has changed yet.</Empty> : <Changes entries={nodes} head={(entry) => <>{words(entry.kind)} <strong>{entry.id}</strong></>} />}
            <Older route={route} page={pageInfo} />
          </>
        )}
      </Loaded>
    </section>
  );
}
