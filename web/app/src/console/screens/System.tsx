import { useEffect } from "react";

import { bytes, number, words } from "../format";
import { ask, useQuery } from "../graphql";
import { type Job, hasEnded, outcomeOf } from "../jobs";
import { CancelJobDocument, MaintainDocument, MaintenanceDocument, RotateKeysDocument, SystemDocument, SystemSizesDocument } from "../operations";
import { Confirm, Heading, Loaded, Table, Time, useAction } from "../parts/parts";
import { useMay } from "../viewer";

const everySeconds = 5;

/** The engines, how far each is behind, and what helps. */
export function System() {
  const state = useQuery(SystemDocument, {});
  const { reload } = state;
  const may = useMay("MANAGE_SYSTEM");
  const act = useAction(reload);
  useEffect(() => {
    const timer = window.setInterval(reload, everySeconds * 1000);
    return () => window.clearInterval(timer);
  });
  return (
    <>
      <Heading title="System">{state.data && <span className={`badge ${state.data.system.status === "UP" ? "good" : ""}`}>{words(state.data.system.status)}</span>}</Heading>
      <section className="card">
        <Loaded result={state}>
          {({ system }) => (
            <>
              <Table label="Parts" rows={system.parts} keyOf={(part) => part.name} empty="Nothing is known about the service." columns={[
                { name: "Part", cell: (part) => words(part.name) },
                { name: "Engine", cell: (part) => part.engine },
                { name: "State", cell: (part) => <span className={`badge ${part.status === "UP" ? "good" : ""}`}>{words(part.status)}</span> },
                { name: "Behind by", numeric: true, cell: (part) => part.lag === null ? "" : `${number(part.lag)} changes` },
                { name: "Why, and what helps", cell: (part) => [part.detail, part.remedy].filter(Boolean).join(": ") },
              ]} />
              <p className="quiet">Version {system.version}. {number(system.videos)} videos.</p>
            </>
          )}
        </Loaded>
      </section>
      <Sizes />
      <Maintenance may={may} />
      <section className="card" aria-labelledby="keys">
        <h2 id="keys">Keys that sign tokens</h2>
        <p className="quiet">A new key signs ten minutes after its creation, and old ones verify until all their tokens have expired. If somebody else may know a key, withdraw the old ones: everybody must then sign in again.</p>
        {may && (
          <div className="row">
            <button type="button" className="secondary" onClick={() => void act(() => ask(RotateKeysDocument, { withdraw: false }), "There is a new key.")}>Add a new key</button>
            <Confirm action="Replace all keys" effect="Servers refuse all access tokens and addresses of embeds that were issued until now."
              run={() => act(() => ask(RotateKeysDocument, { withdraw: true }), "All keys were replaced.")} />
          </div>
        )}
        <Loaded result={state}>
          {({ system }) => (
            <Table label="Signing keys" rows={system.signingKeys} keyOf={(key) => key.id} empty="There is no key yet." columns={[
              { name: "Key", cell: (key) => <code>{key.id}</code> },
              { name: "Since", cell: (key) => <Time at={key.createdAt} /> },
            ]} />
          )}
        </Loaded>
      </section>
    </>
  );
}

const everyMinute = 60_000;

/** What grows: the bytes of each engine, and its largest tables. */
function Sizes() {
  const sizes = useQuery(SystemSizesDocument, {});
  const { reload } = sizes;
  useEffect(() => {
    const timer = window.setInterval(reload, everyMinute);
    return () => window.clearInterval(timer);
  });
  return (
    <section className="card" aria-labelledby="sizes">
      <h2 id="sizes">Sizes</h2>
      <Loaded result={sizes}>
        {({ system }) => (
          <Table label="Sizes" rows={system.sizes} keyOf={(size) => size.name} empty="No size is known." columns={[
            { name: "Of", cell: (size) => words(size.name) },
            { name: "Size", numeric: true, cell: (size) => size.bytes === null ? "unknown" : bytes(size.bytes) },
            { name: "Engine", cell: (size) => size.engine },
            { name: "Where", cell: (size) => size.bytes === null ? "" : size.inMemory ? "memory" : "disk" },
            { name: "Most of it", cell: (size) => size.tables.slice(0, 3).map((table) => [
              table.name, table.rows !== null && `about ${number(table.rows)}`, table.bytes !== null && bytes(table.bytes),
            ].filter(Boolean).join(": ")).join(", ") },
          ]} />
        )}
      </Loaded>
      <p className="quiet">Numbers of rows are estimates.</p>
    </section>
  );
}

const tasks = {
  VERIFY_USAGE: { name: "Verify the counts", about: "Counts the event log again, and compares that with all counts and statements." },
  REINDEX: { name: "Build the search index again", about: "Searches go on meanwhile." },
  BACKUP: { name: "Back up", about: "Copies the files of SQLite to the folder of --backup-dir." },
} as const;

/** What the engineer can let the servers do, and how that went the last time. */
function Maintenance({ may }: { may: boolean }) {
  const last = useQuery(MaintenanceDocument, {});
  const { reload } = last;
  const running = last.data && Object.values(last.data).some(({ nodes }) => nodes[0] && !hasEnded(nodes[0]));
  useEffect(() => {
    if (!running) return;
    const timer = window.setTimeout(reload, 1000);
    return () => window.clearTimeout(timer);
  }, [running, reload, last.data]);
  const act = useAction(reload);
  const report = (job: Job | undefined) => {
    if (!job) return "Not done yet";
    if (!job.maintenance) return job.error ?? outcomeOf(job);
    const { lines, sound } = job.maintenance;
    return sound ? lines.at(-1) : <details><summary>Something is wrong</summary><pre>{lines.join("\n")}</pre></details>;
  };
  return (
    <section className="card" aria-labelledby="maintenance">
      <h2 id="maintenance">Maintenance</h2>
      <Loaded result={last}>
        {(jobs) => (
          <Table label="Maintenance" rows={Object.keys(tasks) as (keyof typeof tasks)[]} keyOf={(task) => task} empty="" columns={[
            { name: "Task", cell: (task) => <>{tasks[task].name}<br /><span className="quiet">{tasks[task].about}</span></> },
            { name: "Result", cell: (task) => report(jobs[task].nodes[0]) },
            { name: "When", cell: (task) => jobs[task].nodes[0] && <Time at={jobs[task].nodes[0].createdAt} /> },
            ...(may ? [{
              name: "Action", cell: (task: keyof typeof tasks) => {
                const job = jobs[task].nodes[0];
                return job && !hasEnded(job)
                  ? <button type="button" className="secondary" disabled={job.cancelRequested} onClick={() => void act(() => ask(CancelJobDocument, { id: job.id }))}>Cancel<span className="hidden"> {tasks[task].name}</span></button>
                  : <button type="button" className="secondary" aria-label={`Start: ${tasks[task].name}`} onClick={() => void act(() => ask(MaintainDocument, { task }), "The task has started.")}>Start</button>;
              },
            }] : []),
          ]} />
        )}
      </Loaded>
    </section>
  );
}
