// Parts that several screens have.
import { type FormEvent, type KeyboardEvent, type ReactNode, createContext, useCallback, useContext, useEffect, useId, useRef, useState } from "react";

import { ago, instant, shown, words } from "../format";
import { Failure, type Result } from "../graphql";
import { noteUnsaved, refine, useRoute } from "../routes";
import { signInElsewhere } from "../session";
import { type Edit, isOutdated } from "./edit";

/** The head of a screen: its name, what belongs beside it, and the title of the browser's window. */
export function Heading({ title, children }: { title: string; children?: ReactNode }) {
  useEffect(() => { document.title = `${title} - Filmstrip console`; }, [title]);
  return <div className="heading"><h1>{title}</h1>{children}</div>;
}

export function Time({ at }: { at: string }) { return <time dateTime={at} title={instant(at)}>{ago(at)}</time>; }

/** Says what went wrong and what to do, with the id under which the server's log has the request. */
export function Refusal({ failure, retry }: { failure: Error; retry?: (() => void) | undefined }) {
  const { code, reasons, trace } = failure instanceof Failure ? failure : { code: "", reasons: [], trace: "" };
  return (
    <div role="alert" className="refusal">
      <p>{messageOf(failure)}</p>
      {reasons.length > 0 && reasons.join() !== failure.message && <ul>{reasons.map((reason) => <li key={reason}>{reason}</li>)}</ul>}
      {code === "SIGNED_OUT" && <SignIn />}
      {trace && <p className="quiet">If this goes on, tell your engineer the trace <code>{trace}</code>.</p>}
      {retry && <button type="button" className="secondary" onClick={retry}>Try again</button>}
    </div>
  );
}

/** Leads to the sign-in page in another tab, so that this page keeps what somebody has typed. */
function SignIn() {
  const [address, setAddress] = useState<string>();
  useEffect(() => void signInElsewhere().then(setAddress), []);
  return <p><a href={address} target="_blank" rel="noopener">Sign in again in another tab</a></p>;
}

/** Says what a failure means. */
const messageOf = (failure: Error) => isOutdated(failure) ? "Somebody has changed this meanwhile. Look at what is stored now, then try again." : sentence(failure.message);

export const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

/** Shows what a query yields, a skeleton before the first answer, or its failure. If it cannot be read again, what was read stays. */
export function Loaded<R>({ result, children }: { result: Result<R>; children: (data: R) => ReactNode }) {
  const refusal = result.failure && <Refusal failure={result.failure} retry={result.reload} />;
  if (result.data !== undefined) return <div aria-busy={result.loading}>{refusal}{children(result.data)}</div>;
  return refusal ?? <div className="skeleton" role="status"><span className="hidden">Loading</span></div>;
}

export function Empty({ children }: { children: ReactNode }) { return <p className="empty">{children}</p>; }

export interface Column<Row> { name: string; numeric?: boolean; cell: (row: Row) => ReactNode }

/** The rows that somebody has selected, by key. They may be on several pages. */
export interface Selection<Row> { keys: ReadonlySet<string>; change: (keys: ReadonlySet<string>) => void; nameOf: (row: Row) => string }

/** A table. The first column names the row. With a selection, each row has a checkbox. */
export function Table<Row>({ label, columns, rows, keyOf, empty, selection }: {
  label: string; columns: Column<Row>[]; rows: readonly Row[]; keyOf: (row: Row) => string; empty: ReactNode; selection?: Selection<Row> | undefined;
}) {
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  const select = (some: readonly Row[], on: boolean) => {
    const keys = new Set(selection?.keys);
    for (const row of some) on ? keys.add(keyOf(row)) : keys.delete(keyOf(row));
    selection?.change(keys);
  };
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead><tr>{selection && <th scope="col"><input type="checkbox" aria-label="Select all on this page" checked={rows.every((row) => selection.keys.has(keyOf(row)))} onChange={(event) => select(rows, event.target.checked)} /></th>}{columns.map((column) => <th key={column.name} scope="col" className={column.numeric ? "numeric" : ""}>{column.name}</th>)}</tr></thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {selection && <td><input type="checkbox" aria-label={`Select ${selection.nameOf(row)}`} checked={selection.keys.has(keyOf(row))} onChange={(event) => select([row], event.target.checked)} /></td>}
              {columns.map((column, i) => i === 0
                ? <th key={column.name} scope="row">{column.cell(row)}</th>
                : <td key={column.name} className={column.numeric ? "numeric" : ""}>{column.cell(row)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A search box that reports its text once the typing pauses. */
export function Search({ label, text, change }: { label: string; text: string; change: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const waiting = useRef<number>(undefined);
  useEffect(() => setTyped(text), [text]);
  useEffect(() => () => window.clearTimeout(waiting.current), []); // a screen that was left must not come back
  const type = (next: string) => {
    setTyped(next);
    window.clearTimeout(waiting.current);
    waiting.current = window.setTimeout(() => change(next), 150);
  };
  return <input type="search" aria-label={label} placeholder={label} value={typed} onChange={(event) => type(event.target.value)} />;
}

/** A labelled field of a form; children is the control, which gets the id. */
export function Field({ label, hint, children }: { label: string; hint?: ReactNode; children: (id: string) => ReactNode }) {
  const id = useId();
  return <div className="field"><label htmlFor={id}>{label}</label>{children(id)}{hint && <small>{hint}</small>}</div>;
}

/**
 * A form that shows why the server refused it, cannot be sent twice at a time, and is not left with changes by mistake. ⌘S and
 * Ctrl+S send it. With edit, it changes a record: its controls have no names, and somebody else may change the record, too.
 */
export function Form<F extends object>({ label, send, children, submit, edit }: { label: string; send: (data: FormData) => Promise<void>; children: ReactNode; submit: string; edit?: Edit<F> }) {
  const [refusal, setRefusal] = useState<{ failure: Failure; version: Edit<F>["version"] | undefined }>();
  const failure = refusal?.failure;
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const notice = useNotice();
  const changes = edit?.changed.length ?? 0;
  const outdated = edit !== undefined && changes > 0 && (edit.overtaken.length > 0 || isOutdated(failure));
  const reading = outdated && isOutdated(failure) && refusal?.version === edit.version;
  useEffect(() => () => noteUnsaved(form, false), []);
  useEffect(() => { if (edit) noteUnsaved(form, changes > 0); });
  const changed = (event: FormEvent) => { if ((event.target as HTMLInputElement).name) noteUnsaved(form, true); };
  const pressed = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== "s" || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    if (!busy) form.current?.requestSubmit();
  };
  const run = async () => {
    if (edit?.exists && changes === 0) {
      notice({ text: "Nothing has changed." });
      return;
    }
    setBusy(true);
    setRefusal(undefined);
    try {
      await send(new FormData(form.current ?? undefined));
      noteUnsaved(form, false); // send may go to another page, whose address is seen only after this
    } catch (refused) {
      setRefusal({ failure: refused as Failure, version: edit?.version });
      if (isOutdated(refused)) edit?.reread();
    } finally {
      setBusy(false);
    }
  };
  const submitted = (event: FormEvent) => {
    event.preventDefault();
    if (!outdated) void run();
  };
  const take = () => {
    setRefusal(undefined);
    edit?.discard();
  };
  return (
    <form ref={form} aria-label={label} onChange={changed} onKeyDown={pressed} onSubmit={submitted}>
      {children}
      {failure && !(edit && isOutdated(failure)) && <Refusal failure={failure} />}
      {outdated ? (
        <div role="alert" className="refusal">
          <p>Somebody has changed this meanwhile. {reading ? "The console reads what is stored now." : "What you have changed, and what is stored now:"}</p>
          {!reading && <ul>{edit.changed.map((name) => <li key={name}>{words(name)}{typeof edit.fields[name] === "string" && <>: <ins>{shown(edit.fields[name])}</ins> <del>{shown(edit.stored[name])}</del></>}</li>)}</ul>}
          <p className="row">
            <button type="button" disabled={busy} onClick={() => { if (form.current?.reportValidity()) void run(); }}>Keep mine</button>
            <button type="button" className="secondary" disabled={busy} onClick={take}>Take the stored values</button>
          </p>
        </div>
      ) : <div className="submit"><button type="submit" disabled={busy}>{submit}</button></div>}
    </form>
  );
}

/** The value of a field, or undefined if it is empty. */
export function valueOf(data: FormData, name: string): string | undefined {
  const value = data.get(name);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** Copies a text. */
export function Copy({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <button type="button" className="secondary" onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}>
      {copied ? "Copied" : label}
    </button>
  );
}

interface Notice { text: string; undo?: (() => Promise<unknown>) | undefined }
const notices = createContext<(notice: Notice) => void>(() => {});

/** Returns a function that shows a notice for 15 seconds: what was done and, if it can be undone, a button for that. */
export function useNotice() { return useContext(notices); }

/**
 * Returns a function that runs an action, says what was done, unless the action does so itself, or why it was refused, and then
 * calls changed. undo gets what the action returned.
 */
export function useAction(changed: () => void) {
  const notice = useNotice();
  return async <T,>(run: () => Promise<T>, text?: string, undo?: (done: T) => Promise<unknown>) => {
    try {
      const done = await run();
      if (text) notice({ text, undo: undo && (() => undo(done).then(changed)) });
    } catch (failure) {
      notice({ text: messageOf(failure as Failure) });
    }
    changed();
  };
}

/** A button for what cannot be undone: the first click shows what it does, the second does it. */
export function Confirm({ action, effect, run }: { action: string; effect: string; run: () => Promise<unknown> }) {
  const [asked, setAsked] = useState(false);
  if (!asked) return <button type="button" className="secondary" onClick={() => setAsked(true)}>{action}…</button>;
  return (
    <span className="row" role="group" aria-label={action}>
      <span>{effect}</span>
      <button type="button" className="danger" onClick={() => { setAsked(false); void run(); }}>{action}</button>
      <button type="button" className="secondary" autoFocus onClick={() => setAsked(false)}>Cancel</button>
    </span>
  );
}

/** The page of a list that is read by cursors. The address has those of all pages up to it, so that going back leads to the same page. */
export function useCursors() {
  const route = useRoute();
  const address = route.params.get("after") ?? "", cursors = address.split(" ").filter(Boolean);
  const turn = (to: string[]) => refine(route, { after: to.join(" ") });
  return { address, after: cursors.at(-1) ?? null, first: cursors.length === 0, back: () => turn(cursors.slice(0, -1)), go: (cursor: string) => turn([...cursors, cursor]) };
}

/** The buttons that lead to the page before and to the next one. */
export function CursorPages({ at, info }: { at: ReturnType<typeof useCursors>; info: { hasNextPage: boolean; endCursor: string | null } }) {
  return (
    <nav className="pages" aria-label="Pages">
      {!at.first && <button type="button" className="secondary" onClick={at.back}>Previous</button>}
      {info.hasNextPage && <button type="button" className="secondary" onClick={() => at.go(info.endCursor ?? "")}>Next</button>}
    </nav>
  );
}

export function Notices({ children }: { children: ReactNode }) {
  const [notice, setNotice] = useState<Notice>();
  const timer = useRef<number>(undefined);
  const show = useCallback((next: Notice) => {
    setNotice(next);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setNotice(undefined), 15_000);
  }, []);
  const undo = async () => {
    const done = notice?.undo;
    setNotice(undefined);
    try {
      await done?.();
      show({ text: "Undone." });
    } catch (failure) {
      show({ text: isOutdated(failure) ? "Nothing was undone, because somebody has changed this since." : `It could not be undone: ${(failure as Failure).message}` });
    }
  };
  return (
    <notices.Provider value={show}>
      {children}
      <div role="status" className="notices">
        {notice && (
          <div className="notice">
            <span>{notice.text}</span>
            {notice.undo && <button type="button" className="secondary" onClick={() => void undo()}>Undo</button>}
            <button type="button" className="secondary" aria-label="Close" onClick={() => setNotice(undefined)}>✕</button>
          </div>
        )}
      </div>
    </notices.Provider>
  );
}
