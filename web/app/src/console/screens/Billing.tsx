import { useState } from "react";

import { day, hours, instant, number } from "../format";
import { ask, useQuery } from "../graphql";
import { SealMonthDocument, SealsDocument, StatementsDocument, UndoVoidDocument, UsageByAccountDocument, VoidPlaysDocument, VoidPreviewDocument, VoidsDocument, type VoidsQuery } from "../operations";
import { Confirm, Empty, Field, Form, Heading, Loaded, Table, Time, useAction, useNotice, valueOf } from "../parts/parts";
import { dueOf, monthOf, monthPeriod } from "../periods";
import { type Route, href, monthIn, refine } from "../routes";
import { useMay } from "../viewer";
import { Invoices } from "./Invoices";

const months = Array.from({ length: 24 }, (_, ago) => monthOf(ago));

export function Month({ route }: { route: Route }) {
  const month = monthIn(route);
  return (
    <select aria-label="Month" value={month} onChange={(event) => refine(route, { month: event.target.value, after: "" })}>
      {(months.includes(month) ? months : [...months, month]).map((one) => <option key={one}>{one}</option>)}
    </select>
  );
}

/** What all customers used in a month, the seals and the voids. */
export function Billing({ route }: { route: Route }) {
  const month = monthIn(route);
  const usage = useQuery(UsageByAccountDocument, monthPeriod(month)), seals = useQuery(SealsDocument, {});
  const seal = seals.data?.sealDigests.find((one) => one.month === month);
  const mayManage = useMay("MANAGE_BILLING");
  const act = useAction(seals.reload);
  const now = new Date().toISOString(), due = dueOf(month), early = now < due;
  const last = seals.data?.sealDigests.at(-1)?.month;
  const mayFollow = seals.data && monthPeriod(month).to <= now && (!last || monthPeriod(last).to.startsWith(month)); // force must not skip a month, nor seal one that runs
  const sealMonth = () => act(() => ask(SealMonthDocument, { month, force: early }), `${month} is sealed: its statements never change again.`);
  return (
    <>
      <Heading title="Billing">
        <Month route={route} />
        {seal ? <span className="badge good">Sealed {instant(seal.sealedAt)}</span> : <span className="badge">Provisional</span>}
        {mayManage && mayFollow && (early
          ? <Confirm key={month} action={`Seal ${month} early`} effect={`This seals ${month} for all customers and cannot be undone. Plays that still arrive until ${day(due)} will adjust the next bill instead.`} run={sealMonth} />
          : <button type="button" className="secondary" onClick={() => void sealMonth()}>Seal {month}</button>)}
      </Heading>
      {seal && <Invoices key={month} month={month} />}
      <section className="card" aria-labelledby="accounts">
        <h2 id="accounts">All customers in {month}</h2>
        <Loaded result={usage}>
          {({ usage: report }) => (
            <>
              <Table label={`Usage in ${month}`} rows={report.rows} keyOf={(row) => row.account ?? ""} empty="Nothing was played in this month." columns={[
                { name: "Customer", cell: (row) => row.account ? <a href={href("billing", row.account, { month })}>{row.accountName ?? row.account}</a> : "no account" },
                { name: "Plays", numeric: true, cell: (row) => number(row.plays) },
                { name: "Time", numeric: true, cell: (row) => hours(row.seconds) },
                { name: "Users", numeric: true, cell: (row) => number(row.users) },
              ]} />
              <p className="quiet">{number(report.total.plays)} plays, {hours(report.total.seconds)} in all, without sandbox plays. Statements also bill corrections of earlier months.</p>
            </>
          )}
        </Loaded>
      </section>
      <Voids changed={usage.reload} />
    </>
  );
}

/** The statement of an account for a month. */
export function Statement({ route, account }: { route: Route; account: string }) {
  const month = monthIn(route);
  const found = useQuery(StatementsDocument, { account, month });
  return (
    <>
      <Heading title={`Statement of ${found.data?.account?.name ?? account}`}><Month route={route} /></Heading>
      <Loaded result={found}>
        {({ statement }) => (
          <section className="card">
            <p>{statement.sealedAt ? <>Sealed <Time at={statement.sealedAt} />; checksum <code>{statement.checksum.slice(0, 16)}</code>.</> : "Provisional: it can still change."} {number(statement.plays)} plays and {number(statement.seconds)} seconds are billed.</p>
            <Table label="Lines" rows={statement.lines} keyOf={(line) => [line.month, line.client, line.void, line.billable, line.adjustment].join()} empty="Nothing was played in this month." columns={[
              { name: "Client", cell: (line) => line.client },
              { name: "Month of play", cell: (line) => line.month },
              { name: "Kind", cell: (line) => line.void ? `void ${line.void}` : line.adjustment ? "adjustment" : line.billable ? "plays" : "sandbox, not billed" },
              { name: "Plays", numeric: true, cell: (line) => number(line.plays) },
              { name: "Seconds", numeric: true, cell: (line) => number(line.seconds) },
            ]} />
          </section>
        )}
      </Loaded>
    </>
  );
}

function Voids({ changed }: { changed: () => void }) {
  const found = useQuery(VoidsDocument, {});
  const mayManage = useMay("MANAGE_BILLING");
  const reload = () => { found.reload(); changed(); };
  const act = useAction(reload);
  const undo = (id: string) => act(() => ask(UndoVoidDocument, { id, reason: "undone in the console" }), "The plays count again.");
  return (
    <section className="card" aria-labelledby="voids">
      <h2 id="voids">Voided plays</h2>
      <Loaded result={found}>
        {({ voids: { nodes } }) => (
          <Table label="Voids" rows={nodes} keyOf={(one) => one.id} empty="No plays were voided. Void those of a runaway script below." columns={[
            { name: "Reason", cell: (one) => one.made.reason },
            { name: "Plays", numeric: true, cell: (one) => number(one.plays) },
            { name: "When", cell: (one) => <Time at={one.made.at} /> },
            { name: "State", cell: (one) => one.undone ? "undone" : "in force" },
            ...(mayManage ? [{ name: "Action", cell: (one: VoidsQuery["voids"]["nodes"][number]) => !one.undone && <button type="button" className="secondary" onClick={() => void undo(one.id)}>Undo<span className="hidden"> {one.made.reason}</span></button> }] : []),
          ]} />
        )}
      </Loaded>
      {mayManage && <NewVoid changed={reload} />}
    </section>
  );
}

function NewVoid({ changed }: { changed: () => void }) {
  const [selection, setSelection] = useState<{ client: string; from: string; to: string }>();
  const [busy, setBusy] = useState(false), [last, setLast] = useState("");
  const preview = useQuery(VoidPreviewDocument, selection ? { selection } : undefined);
  const notice = useNotice();
  const act = useAction(changed);
  const show = async (data: FormData) => setSelection({ client: valueOf(data, "client") ?? "", from: `${valueOf(data, "from")}T00:00:00Z`, to: `${valueOf(data, "to")}T00:00:00Z` });
  const voidThem = async (form: HTMLFormElement) => {
    if (!selection || !form.reportValidity()) return;
    setBusy(true);
    await act(async () => {
      const { voidPlays } = await ask(VoidPlaysDocument, { selection, reason: valueOf(new FormData(form), "reason") ?? "" });
      setSelection(undefined);
      setLast(voidPlays.id);
      notice({ text: "The plays are removed from all counts.", undo: () => ask(UndoVoidDocument, { id: voidPlays.id, reason: "undone in the console" }).then(changed) });
    });
    setBusy(false);
  };
  return (
    <details>
      <summary>Void the plays of a client</summary>
      <Form key={last} label="Void plays" submit="Show what would be voided" send={show}>
        <fieldset className="bare" onChange={() => setSelection(undefined)}>
          <Field label="Client">{(id) => <input id={id} name="client" required />}</Field>
          <Field label="From, inclusive">{(id) => <input id={id} name="from" type="date" required />}</Field>
          <Field label="To, exclusive">{(id) => <input id={id} name="to" type="date" required />}</Field>
        </fieldset>
        <Field label="Reason" hint="It is shown in the adjustments of statements.">{(id) => <input id={id} name="reason" required maxLength={1000} />}</Field>
        {selection && (
          <Loaded result={preview}>
            {({ voidPreview }) => voidPreview.length === 0 ? <Empty>The client has no plays in this period.</Empty> : (
              <>
                <Table label="What would be voided" rows={voidPreview} keyOf={(row) => row.account + row.month} empty="" columns={[
                  { name: "Customer", cell: (row) => row.account },
                  { name: "Month", cell: (row) => row.month },
                  { name: "Plays", numeric: true, cell: (row) => number(row.plays) },
                  { name: "Seconds", numeric: true, cell: (row) => number(row.seconds) },
                  { name: "Bill", cell: (row) => row.sealed ? "adjusts the next statement" : "not sealed yet" },
                ]} />
                {/* Enter in a field sends the form, which only shows this again. */}
                <p><button type="button" className="danger" disabled={busy || preview.loading || !!preview.failure} onClick={(event) => void voidThem(event.currentTarget.form as HTMLFormElement)}>Void these plays</button></p>
              </>
            )}
          </Loaded>
        )}
      </Form>
    </details>
  );
}
