import { useState } from "react";

import { instant, words } from "../format";
import { ask, useQuery } from "../graphql";
import {
  type AccountQuery, AccountDocument, AddSecretDocument, CreateClientDocument, PricePlansDocument, RecordChangesDocument, TermsDocument, UpdateAccountDocument, UpdateClientDocument,
} from "../operations";
import { Changes } from "../parts/changes";
import { Empty, Field, Form, Heading, Loaded, Table, useAction, useNotice, valueOf } from "../parts/parts";
import { href } from "../routes";
import { useMay } from "../viewer";
import { Credentials } from "./Customers";

type Account = NonNullable<AccountQuery["account"]>;
type Client = AccountQuery["clients"]["nodes"][number];

/** One account: its terms, its clients and its history. */
export function Customer({ id }: { id: string }) {
  const found = useQuery(AccountDocument, { id });
  return (
    <Loaded result={found}>
      {({ account, clients }) => account
        ? (
          <>
            <Heading title={account.name}>{account.status !== "ACTIVE" && <span className="badge">{words(account.status)}</span>}</Heading>
            <p className="quiet">Id {account.id}. Created {instant(account.createdAt)}. {words(account.environment)}, {words(account.type).toLowerCase()}. <Links account={account.id} /></p>
            <div className="halves">
              <section className="card" aria-labelledby="terms"><h2 id="terms">Terms</h2><Terms key={account.version} account={account} changed={found.reload} /></section>
              <section className="card" aria-labelledby="clients"><h2 id="clients">Clients</h2><Clients account={account.id} clients={clients.nodes} changed={found.reload} /></section>
            </div>
            <History id={id} />
          </>
        )
        : <><Heading title="Customer" /><Empty>There is no such customer. <a href={href("customers")}>All customers</a></Empty></>}
    </Loaded>
  );
}

function Links({ account }: { account: string }) {
  const persons = useMay("VIEW_PERSONS"), billing = useMay("VIEW_BILLING");
  return <>{persons && <a href={href("users", "", { account })}>Its users</a>} {billing && <a href={href("billing", account)}>Its statements</a>}</>;
}

function Terms({ account, changed }: { account: Account; changed: () => void }) {
  const terms = useQuery(TermsDocument, {});
  const mayManage = useMay("MANAGE_CUSTOMERS"), mayOwn = useMay("MANAGE_STAFF");
  const plans = useQuery(PricePlansDocument, useMay("VIEW_BILLING") && !account.operator ? {} : undefined);
  const notice = useNotice();
  const editable = account.operator ? mayOwn : mayManage;
  const send = async (data: FormData) => {
    const input = {
      name: valueOf(data, "name") ?? "", tier: valueOf(data, "tier") ?? null, contentPackage: valueOf(data, "contentPackage") ?? null,
      status: data.get("status") as Account["status"], accessExpiresOn: valueOf(data, "accessExpiresOn") ?? null,
      billingAddress: valueOf(data, "billingAddress") ?? null, billingEmail: valueOf(data, "billingEmail") ?? null,
      ...(plans.data && { pricePlan: valueOf(data, "pricePlan") ?? null }),
    };
    const before = { name: account.name, tier: account.tier, contentPackage: account.contentPackage, status: account.status, accessExpiresOn: account.accessExpiresOn, pricePlan: account.pricePlan, billingAddress: account.billingAddress, billingEmail: account.billingEmail };
    await ask(UpdateAccountDocument, { id: account.id, version: account.version, input });
    notice({ text: "Saved. It takes effect within a second.", undo: () => ask(UpdateAccountDocument, { id: account.id, version: null, input: before }).then(changed) });
    changed();
  };
  return (
    <Loaded result={terms}>
      {({ tiers, contentPackages }) => (
        <Form label="Terms" submit="Save" send={send}>
          <fieldset disabled={!editable} className="bare">
            <Field label="Name">{(id) => <input id={id} name="name" defaultValue={account.name} required maxLength={200} />}</Field>
            <Field label="Tier">{(id) => <select id={id} name="tier" defaultValue={account.tier ?? ""}>{account.operator && <option value="">None</option>}{tiers.nodes.map((tier) => <option key={tier.id} value={tier.id}>{tier.name}</option>)}</select>}</Field>
            <Field label="Content package">{(id) => <select id={id} name="contentPackage" defaultValue={account.contentPackage ?? ""}><option value="">None: it sees everything</option>{contentPackages.nodes.map((one) => <option key={one.id} value={one.id}>{one.name}</option>)}</select>}</Field>
            <Field label="Status">{(id) => <select id={id} name="status" defaultValue={account.status}><option value="ACTIVE">Active</option><option value="SUSPENDED">Suspended: nobody gets in</option></select>}</Field>
            <Field label="Access ends after">{(id) => <input id={id} name="accessExpiresOn" type="date" defaultValue={account.accessExpiresOn ?? ""} />}</Field>
            {plans.data && <Field label="Price plan" hint="Invoices that exist keep their plan.">{(id) => <select id={id} name="pricePlan" defaultValue={account.pricePlan ?? ""}><option value="">None: it gets no invoices</option>{plans.data?.pricePlans.nodes.map((plan) => <option key={plan.id} value={plan.id}>{plan.name}</option>)}</select>}</Field>}
            <Field label="Billing address">{(id) => <textarea id={id} name="billingAddress" rows={3} maxLength={500} defaultValue={account.billingAddress} />}</Field>
            <Field label="Billing e-mail">{(id) => <input id={id} name="billingEmail" type="email" maxLength={254} defaultValue={account.billingEmail} />}</Field>
          </fieldset>
        </Form>
      )}
    </Loaded>
  );
}

function Clients({ account, clients, changed }: { account: string; clients: Client[]; changed: () => void }) {
  const [shown, setShown] = useState<{ client: string; secret: string }>();
  const mayManage = useMay("MANAGE_CUSTOMERS");
  const act = useAction(changed);
  const addSecret = (client: string) => act(async () => {
    const { addClientSecret } = await ask(AddSecretDocument, { client });
    setShown({ client, secret: addClientSecret.secret ?? "" });
  }, `${client} has a new secret. The old one still works.`);
  const set = (client: Client, disabled: boolean) => () => ask(UpdateClientDocument, { id: client.id, input: { disabled } });
  const disable = (client: Client, disabled: boolean) => act(
    set(client, disabled), disabled ? `${client.id} and its tokens are refused.` : `${client.id} works again.`, set(client, !disabled));
  const create = async (data: FormData) => {
    const id = valueOf(data, "id") ?? "";
    const { createClient } = await ask(CreateClientDocument, { input: { id, account, name: valueOf(data, "name") ?? "", public: false, requireSecret: false, requirePkce: false, disabled: false } });
    setShown({ client: id, secret: createClient.secret ?? "" });
    changed();
  };
  return (
    <>
      {shown && <Credentials {...shown} />}
      <Table label="Clients" rows={clients} keyOf={(client) => client.id} empty="No program of this customer has credentials. Add one below." columns={[
        { name: "Id", cell: (client) => <>{client.id} {client.disabled && <span className="badge">Disabled</span>}</> },
        { name: "Name", cell: (client) => client.name },
        { name: "Secrets", numeric: true, cell: (client) => client.public ? "public" : client.secrets.length },
        ...(mayManage ? [{
          name: "Action", cell: (client: Client) => (
            <span className="row">
              {!client.public && <button type="button" className="secondary" onClick={() => void addSecret(client.id)}>New secret<span className="hidden"> for {client.id}</span></button>}
              <button type="button" className="secondary" onClick={() => void disable(client, !client.disabled)}>{client.disabled ? "Enable" : "Disable"}<span className="hidden"> {client.id}</span></button>
            </span>
          ),
        }] : []),
      ]} />
      {mayManage && (
        <details>
          <summary>Add a client</summary>
          <Form label="Add a client" submit="Add" send={create}>
            <Field label="Id">{(id) => <input id={id} name="id" required pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}" />}</Field>
            <Field label="Name">{(id) => <input id={id} name="name" maxLength={200} />}</Field>
          </Form>
        </details>
      )}
    </>
  );
}

function History({ id }: { id: string }) {
  const history = useQuery(RecordChangesDocument, { kind: "account", id, first: 20 });
  return (
    <section className="card" aria-labelledby="history">
      <h2 id="history">History</h2>
      <Loaded result={history}>
        {({ auditLog: { nodes } }) => nodes.length === 0 ? <Empty>Nobody has changed this account.</Empty> : <Changes entries={nodes} head={(entry) => words(entry.kind)} />}
      </Loaded>
    </section>
  );
}
