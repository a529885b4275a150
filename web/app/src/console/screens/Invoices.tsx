import { useState } from "react";

import { download } from "../download";
import { hours, instant, money, number } from "../format";
import { ask, useQuery } from "../graphql";
import {
  DeleteInvoiceDocument, DraftInvoicesDocument, InvoiceDocument, InvoiceMonthDocument, InvoicesDocument, IssueInvoicesDocument,
  type InvoiceLineKind, type InvoiceWarning, type PriceUnit,
} from "../operations";
import { CursorPages, Empty, Heading, Loaded, Table, useAction, useCursors } from "../parts/parts";
import { go, href } from "../routes";
import { useMay } from "../viewer";

const warnings: Record<InvoiceWarning, string> = {
  NOTHING_TO_PAY: "Nothing to pay", LARGE_CHANGE: "Changed by more than half", NO_ADDRESS: "No billing address",
};

/** Runs a mutation page by page, and returns the sum of what the pages count. */
async function everyPage(run: (after: string | null) => Promise<{ count: number; pageInfo: { hasNextPage: boolean; endCursor: string | null } }>): Promise<number> {
  let sum = 0;
  for (let after: string | null = null; ;) {
    const { count, pageInfo } = await run(after);
    sum += count;
    if (!pageInfo.hasNextPage) return sum;
    after = pageInfo.endCursor;
  }
}

const draftAll = (month: string) => everyPage(async (after) => {
  const { draftInvoices: { drafted, pageInfo } } = await ask(DraftInvoicesDocument, { month, after });
  return { count: drafted, pageInfo };
});

const issueAll = (month: string) => everyPage(async (after) => {
  const { issueInvoices: { issued, pageInfo } } = await ask(IssueInvoicesDocument, { month, ids: null, after });
  return { count: issued, pageInfo };
});

/** The invoices of a sealed month: drafting, checking, issuing and sending all of them. */
export function Invoices({ month }: { month: string }) {
  const at = useCursors();
  const summary = useQuery(InvoiceMonthDocument, { month }), list = useQuery(InvoicesDocument, { month, after: at.after });
  const [busy, setBusy] = useState(false);
  const mayManage = useMay("MANAGE_BILLING");
  const act = useAction(() => { summary.reload(); list.reload(); });
  const run = async (what: () => Promise<unknown>, text: string) => {
    setBusy(true);
    await act(what, text);
    setBusy(false);
  };
  return (
    <section className="card" aria-labelledby="invoices">
      <h2 id="invoices">Invoices for {month}</h2>
      <Loaded result={summary}>
        {({ invoiceMonth: { drafts, issued, totals, withoutPlan } }) => (
          <>
            <div className="tools">
              {mayManage && <button type="button" className={drafts + issued > 0 ? "secondary" : ""} disabled={busy} onClick={() => void run(() => draftAll(month), "The drafts follow from the sealed statements and today's price plans.")}>{drafts + issued > 0 ? "Draft again" : "Draft invoices"}</button>}
              {mayManage && drafts > 0 && <button type="button" disabled={busy} onClick={() => void run(() => issueAll(month), "The invoices have numbers and never change again.")}>Issue all {number(drafts)}</button>}
              {drafts + issued > 0 && <button type="button" className="secondary" disabled={busy} onClick={() => void run(() => download(`invoices.zip?month=${month}`), "The documents are in your downloads.")}>Download all as PDF</button>}
              {drafts + issued > 0 && <button type="button" className="secondary" disabled={busy} onClick={() => void run(() => download(`invoices.csv?month=${month}`), "The table is in your downloads.")}>Download as CSV</button>}
            </div>
            {drafts + issued > 0 && <p>{number(drafts)} to issue, {number(issued)} issued; {totals.map((sum) => money(sum.amount, sum.currency)).join(" and ")} in all.</p>}
            {withoutPlan.length > 0 && (
              <p><span className="badge warn">No price plan</span> {withoutPlan.length === 100 ? "At least 100" : withoutPlan.length} with billed plays: {withoutPlan.slice(0, 10).map((one, i) => <span key={one.account}>{i > 0 && ", "}<a href={href("customers", one.account)}>{one.name ?? one.account}</a> ({hours(one.seconds)})</span>)}</p>
            )}
          </>
        )}
      </Loaded>
      <Loaded result={list}>
        {({ invoices: { nodes, pageInfo } }) => (
          <>
            <Table label={`Invoices for ${month}`} rows={nodes} keyOf={(one) => one.id} empty="There are no invoices for this month." columns={[
              { name: "Customer", cell: (one) => <a href={href("invoices", one.id)}>{one.customer.name}</a> },
              { name: "Number", cell: (one) => one.number ?? <span className="badge">Draft</span> },
              { name: "Total", numeric: true, cell: (one) => money(one.total, one.currency) },
              { name: "Month before", numeric: true, cell: (one) => one.previousTotal === null ? "none" : money(one.previousTotal, one.currency) },
              { name: "Look at", cell: (one) => <Warnings list={one.warnings} /> },
            ]} />
            <CursorPages at={at} info={pageInfo} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function Warnings({ list }: { list: readonly InvoiceWarning[] }) {
  return <>{list.map((one) => <span key={one} className="badge warn">{warnings[one]}</span>)}</>;
}

export interface Line { kind: InvoiceLineKind; unit: PriceUnit | null; month: string; quantity: number; from: number | null; to: number | null; price: string | null; amount: string }

/** Names a unit in the plural. */
export const unitName: Record<PriceUnit, string> = { MINUTE: "Minutes", PLAY: "Plays", ACTIVE_USER: "Active users" };

function describe(line: Line): string {
  const unit = line.unit ? unitName[line.unit] : "";
  switch (line.kind) {
    case "FEE": return "Monthly fee";
    case "ALLOWANCE": return `${unit}, included`;
    case "ADJUSTMENT": return `${unit} in ${line.month}, adjustment`;
    case "MINIMUM": return "Difference to the minimum";
    case "USAGE": return line.to !== null ? `${unit}, step ${line.from ?? 0} to ${line.to}` : line.from ? `${unit}, step above ${line.from}` : unit;
  }
}

function quantity(line: Line): string {
  if (line.unit !== "MINUTE") return line.unit ? number(line.quantity) : "";
  const all = Math.abs(line.quantity);
  return `${line.quantity < 0 ? "-" : ""}${number(Math.floor(all / 60))}:${String(all % 60).padStart(2, "0")}`;
}

/** The lines of an invoice or of an example, and their sum. */
export function Lines({ lines, total, currency, label }: { lines: readonly Line[]; total: string; currency: string; label: string }) {
  return (
    <>
      <Table label={label} rows={lines} keyOf={(line) => [line.kind, line.unit, line.month, line.from].join()} empty="Nothing is charged." columns={[
        { name: "What", cell: describe },
        { name: "Quantity", numeric: true, cell: quantity },
        { name: "Price", numeric: true, cell: (line) => line.price ?? "" },
        { name: "Amount", numeric: true, cell: (line) => money(line.amount, currency) },
      ]} />
      <p className="numeric"><strong>Total {money(total, currency)}</strong></p>
    </>
  );
}

/** One invoice, as it is printed. */
export function Invoice({ id }: { id: string }) {
  const found = useQuery(InvoiceDocument, { id });
  const mayManage = useMay("MANAGE_BILLING");
  const act = useAction(found.reload);
  return (
    <Loaded result={found}>
      {({ invoice }) => invoice === null ? <><Heading title="Invoice" /><Empty>There is no such invoice. <a href={href("billing")}>Billing</a></Empty></> : (
        <>
          <Heading title={invoice.number ? `Invoice ${invoice.number}` : "Draft invoice"}>
            <Warnings list={invoice.warnings} />
            <button type="button" className="secondary" onClick={() => void act(() => download(`invoices/${invoice.id}.pdf`), "The document is in your downloads.")}>PDF</button>
            <button type="button" className="secondary" onClick={() => void act(() => download(`invoices/${invoice.id}.csv`), "The table is in your downloads.")}>CSV</button>
            {mayManage && invoice.state === "DRAFT" && <button type="button" className="secondary" onClick={() => void act(async () => { await ask(DeleteInvoiceDocument, { id }); go(href("billing", "", { month: invoice.month })); }, "The draft is deleted.")}>Delete the draft</button>}
            {mayManage && invoice.state === "DRAFT" && <button type="button" onClick={() => void act(() => ask(IssueInvoicesDocument, { month: invoice.month, ids: [invoice.id], after: null }), "The invoice has a number and never changes again.")}>Issue</button>}
          </Heading>
          <section className="card">
            <div className="halves">
              <address>{[invoice.customer.name, invoice.customer.address, invoice.customer.email].filter(Boolean).join("\n")}</address>
              <address>{[invoice.issuer.name, invoice.issuer.address, invoice.issuer.email].filter(Boolean).join("\n")}</address>
            </div>
            <p>Month {invoice.month}, plan {invoice.planName}, {invoice.issuedAt ? `issued ${instant(invoice.issuedAt)}` : `drafted ${instant(invoice.updatedAt)}`}. {invoice.previousTotal !== null && `The month before: ${money(invoice.previousTotal, invoice.currency)}.`}</p>
            <Lines label="Lines" lines={invoice.lines} total={invoice.total} currency={invoice.currency} />
            <p className="quiet">{invoice.statement ? <>It follows from the <a href={href("billing", invoice.account, { month: invoice.month })}>sealed statement</a> with the checksum <code>{invoice.statement.slice(0, 16)}</code>.</> : "The customer never played anything."} <a href={href("billing", "", { month: invoice.month })}>All invoices for {invoice.month}</a></p>
          </section>
        </>
      )}
    </Loaded>
  );
}
