import { type DragEvent, useEffect, useState } from "react";

import { number } from "../format";
import { type Failure, ask, useQuery } from "../graphql";
import { type Job, JobProgress, hasEnded, outcomeOf, useJob } from "../jobs";
import {
  FindingsDocument, type FindingsQuery, JobsDocument, MappingsDocument, type MappingInput, PreviewDocument, type PreviewQuery, SaveMappingDocument,
  StartImportDocument,
} from "../operations";
import { CursorPages, Empty, Field, Heading, Loaded, Refusal, Table, Time, useAction, useCursors } from "../parts/parts";
import { go, href } from "../routes";
import { download, upload } from "../upload";
import { undo } from "./Bulk";

const kinds = [
  "video", "channel", "subject", "topic", "tag", "captions", "highlight", "learning-material", "collection", "discipline", "education-level", "content-warning",
  "phrase", "synonym", "search-rule", "provider", "theme", "district", "school", "contract", "contract-legal-restriction",
];

/** Imports of files, and the history of all jobs. */
export function Imports() {
  const [file, setFile] = useState<{ id: string; name: string }>();
  return (
    <>
      <Heading title="Imports" />
      {file ? <Plan key={file.id} file={file} leave={() => setFile(undefined)} /> : <Choose label="File" hint="CSV, or import lines as JSON lines; compressed with gzip or not. The next page shows what it would become, and nothing is written yet." chosen={setFile} />}
      <History />
    </>
  );
}

/** A control for a file, which is uploaded at once. */
function Choose({ label, hint, chosen }: { label: string; hint: string; chosen: (file: { id: string; name: string }) => unknown }) {
  const [sending, setSending] = useState<{ file: File; sent: number }>();
  const [failure, setFailure] = useState<Failure>();
  const send = async (file: File | undefined) => {
    if (!file) return;
    setFailure(undefined);
    setSending({ file, sent: 0 });
    try {
      await chosen({ id: await upload(file, (sent) => setSending({ file, sent })), name: file.name });
    } catch (refused) {
      setFailure(refused as Failure);
    }
    setSending(undefined);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    void send(event.dataTransfer.files[0]);
  };
  return (
    <section className="card" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      {sending
        ? <label role="status">Sending {sending.file.name} <progress value={sending.sent} max={sending.file.size || 1} /></label>
        : <Field label={label} hint={`${hint} You can also drop the file here.`}>{(id) => <input id={id} type="file" accept=".csv,.tsv,.jsonl,.ndjson,.gz" onChange={(event) => void send(event.target.files?.[0])} />}</Field>}
      {failure && <Refusal failure={failure} />}
    </section>
  );
}

type Mapping = NonNullable<PreviewQuery["previewImport"]["mapping"]>;
const inputOf = ({ kind, source, fields }: Mapping): MappingInput => ({ kind, source, fields: fields.map(({ field, column, constant, separator }) => ({ field, column, constant, separator })) });

/** What becomes of an upload: the mapping, a preview, and the buttons that start the import. */
function Plan({ file, leave }: { file: { id: string; name: string }; leave: () => void }) {
  const [mapping, setMapping] = useState<Mapping>();
  const preview = useQuery(PreviewDocument, { upload: file.id, mapping: mapping ? inputOf(mapping) : null });
  const [options, setOptions] = useState({ strict: false, prune: false });
  const [failure, setFailure] = useState<Failure>();
  const [busy, setBusy] = useState(false);
  const start = async (dryRun: boolean) => {
    setBusy(true);
    try {
      const used = mapping ?? preview.data?.previewImport.mapping;
      const { startImport } = await ask(StartImportDocument, { input: { upload: file.id, mapping: used ? inputOf(used) : null, dryRun, ...options } });
      go(href("imports", startImport.id));
    } catch (refused) {
      setFailure(refused as Failure);
      setBusy(false);
    }
  };
  return (
    <section className="card" aria-label="Plan">
      <h2>{file.name}</h2>
      {preview.failure && <><Refusal failure={preview.failure} /><button type="button" className="secondary" onClick={leave}>Choose another file</button></>}
      {preview.data && (
        <div aria-busy={preview.loading}>
          {preview.data.previewImport.mapping && <Columns preview={preview.data.previewImport} mapping={mapping ?? preview.data.previewImport.mapping} change={setMapping} />}
          <Lines lines={preview.data.previewImport.lines} />
          <div className="tools">
            <label><input type="checkbox" checked={options.strict} onChange={(event) => setOptions({ ...options, strict: event.target.checked })} /> Everything or nothing</label>
            <label><input type="checkbox" checked={options.prune} onChange={(event) => setOptions({ ...options, prune: event.target.checked })} /> Delete what the file does not mention</label>
          </div>
          {failure && <Refusal failure={failure} />}
          <div className="row">
            <button type="button" disabled={busy} onClick={() => void start(true)}>Dry run</button>
            <button type="button" className="secondary" disabled={busy} onClick={() => void start(false)}>Import</button>
            <button type="button" className="secondary" onClick={leave}>Choose another file</button>
          </div>
        </div>
      )}
    </section>
  );
}

/** The fields that the columns of a file fill. */
function Columns({ preview, mapping, change }: { preview: PreviewQuery["previewImport"]; mapping: Mapping; change: (mapping: Mapping) => void }) {
  const saved = useQuery(MappingsDocument, {});
  const act = useAction(saved.reload);
  const [name, setName] = useState("");
  const others = mapping.fields.filter((one) => !one.column);
  const of = (column: string) => mapping.fields.find((one) => one.column === column);
  const isList = (field: string) => preview.fields.find((one) => one.name === field)?.list ?? false;
  const fill = (column: string, field: string) => change({
    ...mapping,
    fields: [
      ...mapping.fields.filter((one) => one.column !== column && one.field !== field),
      ...(field ? [{ field, column, constant: null, separator: isList(field) ? ";" : null }] : []),
    ],
  });
  const separate = (column: string, separator: string) => change({ ...mapping, fields: mapping.fields.map((one) => one.column === column ? { ...one, separator: separator || null } : one) });
  const take = (id: string) => {
    const found = saved.data?.importMappings.find((one) => one.id === id);
    if (!found) return;
    setName(found.name);
    change({ ...found.mapping, fields: found.mapping.fields.filter((one) => !one.column || preview.columns.includes(one.column)) });
  };
  const add = (field: string) => { if (field) change({ ...mapping, fields: [...mapping.fields.filter((one) => one.field !== field), { field, column: null, constant: "…", separator: isList(field) ? ";" : null }] }); };
  const missing = preview.fields.filter((field) => field.required && !mapping.fields.some((one) => one.field === field.name));
  return (
    <>
      <div className="tools">
        {(saved.data?.importMappings.length ?? 0) > 0 && (
          <Field label="Saved mapping">{(id) => (
            <select id={id} value="" onChange={(event) => take(event.target.value)}>
              <option value="">Choose…</option>
              {saved.data?.importMappings.map((one) => <option key={one.id} value={one.id}>{one.name}</option>)}
            </select>
          )}</Field>
        )}
        <Field label="Kind">{(id) => <select id={id} value={mapping.kind} onChange={(event) => change({ ...mapping, kind: event.target.value, fields: [] })}>{kinds.map((kind) => <option key={kind}>{kind}</option>)}</select>}</Field>
        <Field label="Source">{(id) => <input id={id} placeholder="default" value={mapping.source ?? ""} onChange={(event) => change({ ...mapping, source: event.target.value || null })} />}</Field>
      </div>
      <Table label="Columns" rows={preview.columns} keyOf={(column) => column} empty="The file has no columns." columns={[
        { name: "Column", cell: (column) => column },
        { name: "Field", cell: (column) => (
          <select aria-label={`Field of ${column}`} value={of(column)?.field ?? ""} onChange={(event) => fill(column, event.target.value)}>
            <option value="">Ignored</option>
            {preview.fields.map((field) => <option key={field.name} value={field.name}>{field.name}{field.required ? " (needed)" : ""}</option>)}
          </select>
        ) },
        { name: "Separator", cell: (column) => isList(of(column)?.field ?? "") && <input aria-label={`Separator in ${column}`} size={3} value={of(column)?.separator ?? ""} onChange={(event) => separate(column, event.target.value)} /> },
      ]} />
      {missing.length > 0 && <p className="quiet">New items also need {missing.map((field) => field.name).join(", ")}.</p>}
      <div className="tools">
        {others.map((one) => (
          <Field key={one.field} label={`${one.field} of all lines`}>{(id) => (
            <span className="row">
              <input id={id} value={one.constant ?? ""} onChange={(event) => change({ ...mapping, fields: mapping.fields.map((other) => other.field === one.field ? { ...other, constant: event.target.value } : other) })} />
              <button type="button" className="secondary" aria-label={`Remove ${one.field}`} onClick={() => change({ ...mapping, fields: mapping.fields.filter((other) => other.field !== one.field) })}>✕</button>
            </span>
          )}</Field>
        ))}
        <Field label="Same in all lines">{(id) => (
          <select id={id} value="" onChange={(event) => add(event.target.value)}>
            <option value="">Add a field…</option>
            {preview.fields.filter((field) => !mapping.fields.some((one) => one.field === field.name)).map((field) => <option key={field.name}>{field.name}</option>)}
          </select>
        )}</Field>
        <Field label="Save the mapping as">{(id) => (
          <span className="row">
            <input id={id} value={name} onChange={(event) => setName(event.target.value)} />
            <button type="button" className="secondary" disabled={!name.trim()} onClick={() => void act(() => ask(SaveMappingDocument, { name, mapping: inputOf(mapping) }), `Saved as “${name}”.`)}>Save</button>
          </span>
        )}</Field>
      </div>
    </>
  );
}

/** What the first records become. */
function Lines({ lines }: { lines: PreviewQuery["previewImport"]["lines"] }) {
  return (
    <>
      <Table label="Preview" rows={lines} keyOf={(line) => String(line.line)} empty="The file has no records." columns={[
        { name: "Line", cell: (line) => number(line.line) },
        { name: "Becomes", cell: (line) => <code>{brief(line.record)}</code> },
        { name: "Problems", cell: (line) => line.problems.join("; ") },
      ]} />
      <p className="quiet">The preview checks each record alone. A dry run reads the whole file, and also finds records that refer to nothing or contradict the catalogue.</p>
    </>
  );
}

function brief(record: unknown): string {
  const { format: _, kind: __, ref, title, name, ...others } = (record ?? {}) as Record<string, unknown>;
  const text = JSON.stringify({ ref, title, name, ...others });
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

/** One job, while it runs and afterwards. */
export function Import({ id }: { id: string }) {
  const { job, failure } = useJob(id);
  return (
    <>
      <Heading title={job ? nameOf(job) : "Import"}><a href={href("imports")}>All imports</a></Heading>
      {failure && <Refusal failure={failure} />}
      {!job && !failure && <div className="skeleton" role="status"><span className="hidden">Loading</span></div>}
      {job && !hasEnded(job) && <JobProgress job={job} label={job.state === "WAITING" ? "Waiting for another job" : "Running"} />}
      {job && hasEnded(job) && <Ended job={job} />}
    </>
  );
}

function nameOf(job: Job): string {
  if (job.import) return `${job.import.dryRun ? "Dry run of" : "Import of"} ${job.import.fileName}`;
  const selected = job.change?.selected ?? 0;
  return `${job.kind === "UNDO" ? "Undo in" : "Change of"} ${number(selected)} ${selected === 1 ? "video" : "videos"}`;
}

function Ended({ job }: { job: Job }) {
  const act = useAction(() => {});
  const result = job.import?.result;
  const again = async (upload: string, dryRun: boolean, confirmPrune = false) => {
    const before = job.import;
    if (!before) return;
    const { startImport } = await ask(StartImportDocument, {
      input: { upload, mapping: before.mapping ? inputOf(before.mapping) : null, dryRun, strict: before.strict, prune: before.prune, confirmPrune },
    });
    go(href("imports", startImport.id));
  };
  return (
    <>
      {job.error && <div role="alert" className="refusal"><p>It failed: {job.error}</p></div>}
      {job.state === "CANCELLED" && <p>It was cancelled. What it had done until then stays.</p>}
      {result && (
        <dl className="measures" aria-label="Result">
          {([["Added", result.added], ["Changed", result.changed], ["Unchanged", result.unchanged], ["Rejected", result.rejected], ["Deleted", result.pruned], ["Held", result.held]] as const)
            .map(([name, count]) => <div key={name}><dt>{name}</dt><dd>{number(count)}</dd></div>)}
        </dl>
      )}
      {result?.nothingWritten && <p>{job.import?.dryRun ? "This was a dry run: nothing was written." : "Nothing was written, because a line was rejected."}</p>}
      {result?.pruneRefused && <p>Nothing was deleted: {result.pruneRefused}</p>}
      {job.change?.result && <p>{outcomeOf(job)}.{job.change.result.failed > 0 && ` ${number(job.change.result.failed)} could not change, such as ${job.change.result.problems[0]?.video}: ${job.change.result.problems[0]?.problem}.`}</p>}
      <div className="tools">
        {job.import?.dryRun && job.state === "DONE" && <button type="button" onClick={() => void act(() => again(job.import?.upload ?? "", false), "The import has started.")}>Import</button>}
        {result?.pruneRefused && result.rejected === 0 && !job.import?.dryRun && (
          <button type="button" className="secondary" onClick={() => void act(() => again(job.import?.upload ?? "", false, true), "The import has started.")}>Import again and delete nevertheless</button>
        )}
        {job.files.map((file) => <button key={file.path} type="button" className="secondary" onClick={() => void act(() => download(file), `${file.name} was downloaded.`)}>Download {file.name}</button>)}
        {job.change?.undoable && <button type="button" className="secondary" onClick={() => void act(() => undo(job.id), "Undone.")}>Undo</button>}
      </div>
      {job.import && <Found job={job} />}
      {job.import && (result?.rejected ?? 0) > 0 && (
        <Choose label="Corrected file" hint={`It is imported${job.import.dryRun ? " as a dry run" : ""} with the same mapping at once.`} chosen={(file) => again(file.id, job.import?.dryRun ?? true)} />
      )}
    </>
  );
}

type Findings = NonNullable<NonNullable<NonNullable<FindingsQuery["job"]>["import"]>["findings"]>;
const most = 100;

/** The first findings of an import. */
function Found({ job }: { job: Job }) {
  const read = useQuery(FindingsDocument, { id: job.id });
  return (
    <Loaded result={read}>
      {({ job: found }) => {
        const findings = found?.import?.findings;
        if (!findings) return <Empty>The details were deleted.</Empty>;
        return (
          <>
            {findings.problems.length > 0 && <div role="alert" className="refusal"><ul>{findings.problems.map((one) => <li key={`${one.line} ${one.problem}`}>{one.line !== null && `Line ${number(one.line)}: ${one.field}: `}{one.problem}</li>)}</ul></div>}
            <Rows title="Rejected lines" total={job.import?.result?.rejected ?? 0} rows={findings.rejected.map((one) => ({ line: one.line, item: "", problem: one.reasons.join("; ") }))} />
            <Rows title="Differences" total={job.import?.result?.differences ?? 0} rows={findings.differences.map(rowOf)} />
            <Rows title="Held values" total={job.import?.result?.held ?? 0} rows={findings.held.map(rowOf)} />
          </>
        );
      }}
    </Loaded>
  );
}

const rowOf = (one: Findings["held"][number]) => ({ line: one.line, item: `${one.kind ?? ""} ${one.id ?? ""}`.trim(), problem: one.field ? `${one.field}: ${one.problem}` : one.problem });

function Rows({ title, total, rows }: { title: string; total: number; rows: { line: number | null; item: string; problem: string }[] }) {
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <Table label={title} rows={rows.slice(0, most).map((row, at) => ({ ...row, at }))} keyOf={(row) => String(row.at)} empty="" columns={[
        { name: "Line", cell: (row) => row.line === null ? "" : number(row.line) },
        ...(rows.some((row) => row.item) ? [{ name: "Item", cell: (row: { item: string }) => row.item }] : []),
        { name: title === "Rejected lines" ? "Reasons" : "Values", cell: (row) => row.problem },
      ]} />
      {total > most && <p className="quiet">These are the first {number(Math.min(rows.length, most))} of {number(total)}.</p>}
    </section>
  );
}

/** Former jobs. */
function History() {
  const at = useCursors();
  const jobs = useQuery(JobsDocument, { kind: null, after: at.after });
  const act = useAction(jobs.reload);
  const running = jobs.data?.jobs.nodes.some((job) => !hasEnded(job)) ?? false;
  const { reload } = jobs;
  useEffect(() => {
    if (!running) return undefined;
    const timer = window.setInterval(reload, 2000);
    return () => window.clearInterval(timer);
    // reload is new in every render.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [running]);
  return (
    <section>
      <h2>History</h2>
      <Loaded result={jobs}>
        {({ jobs: { nodes, pageInfo } }) => (
          <>
            <Table label="History" rows={nodes} keyOf={(job) => job.id} empty="Nothing was imported here yet, and no list of videos was changed." columns={[
              { name: "What", cell: (job) => <a href={href("imports", job.id)}>{nameOf(job)}</a> },
              { name: "Result", cell: outcomeOf },
              { name: "Who", cell: (job) => job.userName ?? job.client },
              { name: "When", numeric: true, cell: (job) => <Time at={job.createdAt} /> },
              { name: "Action", cell: (job) => job.change?.undoable && !nodes.some((other) => other.change?.undoes === job.id) && <button type="button" className="secondary" onClick={() => void act(() => undo(job.id), "Undone.")}>Undo<span className="hidden"> {nameOf(job)}</span></button> },
            ]} />
            <CursorPages at={at} info={pageInfo} />
          </>
        )}
      </Loaded>
    </section>
  );
}
