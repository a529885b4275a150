import { useState } from "react";

import { download } from "../download";
import { hours, money } from "../format";
import { ask, useQuery } from "../graphql";
import { DeleteRoyaltyTermsDocument, PutRoyaltyTermsDocument, RoyaltyStatementsDocument, RoyaltyTermsDocument, type RoyaltyBasis, type RoyaltyTermsQuery } from "../operations";
import { Empty, Field, Form, Heading, Loaded, Table, useAction, useNotice, valueOf } from "../parts/parts";
import { type Route, monthIn } from "../routes";
import { useMay } from "../viewer";
import { Month } from "./Billing";

type Terms = RoyaltyTermsQuery["royaltyTerms"]["nodes"][number];

/** What channels receive for a month, and the terms by which they do. */
export function Royalties({ route }: { route: Route }) {
  const month = monthIn(route);
  const statements = useQuery(RoyaltyStatementsDocument, { month });
  const act = useAction(() => {});
  return (
    <>
      <Heading title="Royalties">
        <Month route={route} />
        <button type="button" className="secondary" onClick={() => void act(() => download(`royalties.csv?month=${month}`), "The table is in your downloads.")}>Download as CSV</button>
      </Heading>
      <section className="card" aria-labelledby="statements">
        <h2 id="statements">Statements for {month}</h2>
        <Loaded result={statements}>
          {({ royaltyStatements: list }) => list.length === 0 ? <Empty>No channel with terms below has time on an invoice for this month.</Empty> : (
            <>
              {!list.every((one) => one.final) && <p><span className="badge">Provisional</span> Invoices of the month are still drafts.</p>}
              {list.map((statement) => (
                <details key={statement.channel} open={list.length < 6}>
                  <summary>{statement.channelName ?? statement.channel}: {statement.totals.map((sum) => money(sum.amount, sum.currency)).join(" and ")}</summary>
                  <Table label={`Royalties of ${statement.channelName ?? statement.channel}`} rows={statement.lines} keyOf={(line) => line.account} empty="" columns={[
                    { name: "Customer", cell: (line) => line.accountName },
                    { name: "Time", numeric: true, cell: (line) => hours(line.milliseconds / 1000) },
                    { name: "Of", numeric: true, cell: (line) => hours(line.accountMilliseconds / 1000) },
                    { name: "Invoice", numeric: true, cell: (line) => money(line.revenue.amount, line.revenue.currency) },
                    { name: "Royalty", numeric: true, cell: (line) => money(line.amount.amount, line.amount.currency) },
                  ]} />
                </details>
              ))}
            </>
          )}
        </Loaded>
      </section>
      <AllTerms changed={statements.reload} />
    </>
  );
}

function AllTerms({ changed }: { changed: () => void }) {
  const found = useQuery(RoyaltyTermsDocument, {});
  const reload = () => { found.reload(); changed(); };
  const mayManage = useMay("MANAGE_BILLING");
  const act = useAction(reload);
  const put = (terms: Terms) => () => ask(PutRoyaltyTermsDocument, { channel: terms.channel, version: 0, input: { basis: terms.basis, percent: terms.percent, price: terms.price, currency: terms.currency } });
  return (
    <section className="card" aria-labelledby="terms">
      <h2 id="terms">Terms of channels</h2>
      <Loaded result={found}>
        {({ royaltyTerms: { nodes }, channels: { channels } }) => (
          <>
            <Table label="Terms" rows={nodes} keyOf={(one) => one.channel} empty="No channel receives royalties." columns={[
              { name: "Channel", cell: (one) => one.channelName ?? one.channel },
              { name: "Receives", cell: (one) => one.basis === "SHARE" ? `${one.percent ?? 0} % of the invoices, by its part of the time` : `${money(one.price ?? "0", one.currency ?? "")} per minute` },
              ...(mayManage ? [{ name: "Action", cell: (one: Terms) => <button type="button" className="secondary" onClick={() => void act(() => ask(DeleteRoyaltyTermsDocument, { channel: one.channel }), "The channel receives nothing any more.", put(one))}>End<span className="hidden"> the terms of {one.channelName ?? one.channel}</span></button> }] : []),
            ]} />
            {mayManage && <NewTerms channels={channels} changed={reload} />}
          </>
        )}
      </Loaded>
    </section>
  );
}

function NewTerms({ channels, changed }: { channels: { id: string; name: string }[]; changed: () => void }) {
  const [basis, setBasis] = useState<RoyaltyBasis>("SHARE");
  const notice = useNotice();
  const send = async (data: FormData) => {
    const channel = valueOf(data, "channel") ?? "";
    const input = basis === "SHARE"
      ? { basis, percent: valueOf(data, "percent") ?? "", price: null, currency: null }
      : { basis, percent: null, price: valueOf(data, "price") ?? "", currency: valueOf(data, "currency") ?? "" };
    await ask(PutRoyaltyTermsDocument, { channel, input });
    notice({ text: "Saved." });
    changed();
  };
  return (
    <details>
      <summary>Set the terms of a channel</summary>
      <Form label="Terms of a channel" submit="Save" send={send}>
        <Field label="Channel">{(id) => <select id={id} name="channel" required><option value="">Choose</option>{channels.map((one) => <option key={one.id} value={one.id}>{one.name}</option>)}</select>}</Field>
        <Field label="Basis">{(id) => <select id={id} value={basis} onChange={(event) => setBasis(event.target.value as RoyaltyBasis)}><option value="SHARE">A share of revenue</option><option value="RATE">A rate per minute</option></select>}</Field>
        {basis === "SHARE"
          ? <Field label="Percent">{(id) => <input id={id} name="percent" required inputMode="decimal" />}</Field>
          : (
            <>
              <Field label="Price per minute">{(id) => <input id={id} name="price" required inputMode="decimal" />}</Field>
              <Field label="Currency">{(id) => <input id={id} name="currency" required pattern="[A-Z]{3}" defaultValue="EUR" />}</Field>
            </>
          )}
      </Form>
    </details>
  );
}
