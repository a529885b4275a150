import { useState } from "react";

import { instant, number, words } from "../format";
import { ask, useQuery } from "../graphql";
import {
  type AccountQuery, AccountDocument, AddSecretDocument, CreateClientDocument, type IdentityProviderInput, PricePlansDocument, RecordChangesDocument, RequestsDocument,
  TermsDocument, TestProviderDocument, UpdateAccountDocument, UpdateClientDocument,
} from "../operations";
import { Changes, verbOf } from "../parts/changes";
import { type Edit, useEdit } from "../parts/edit";
import { Confirm, Empty, Field, Form, Heading, Loaded, Table, useAction, useNotice, valueOf } from "../parts/parts";
import { monthOf } from "../periods";
import { href } from "../routes";
import { callbackOf } from "../session";
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
              <section className="card" aria-labelledby="terms"><h2 id="terms">Terms</h2><Terms account={account} changed={found.reload} /></section>
              <section className="card" aria-labelledby="clients"><h2 id="clients">Clients</h2><Clients account={account.id} clients={clients.nodes} changed={found.reload} /></section>
            </div>
            <div className="halves">
              <section className="card" aria-labelledby="sign-in"><h2 id="sign-in">Identity providers</h2><Providers account={account} changed={found.reload} /></section>
              <section className="card" aria-labelledby="limits"><h2 id="limits">Limits</h2><Limits account={account} changed={found.reload} /></section>
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
  const editable = account.operator ? mayOwn : mayManage;
  const edit = useEdit(account.version, {
    name: account.name, tier: account.tier ?? "", contentPackage: account.contentPackage ?? "", status: account.status as string, accessExpiresOn: account.accessExpiresOn ?? "",
    pricePlan: account.pricePlan ?? "", billingAddress: account.billingAddress ?? "", billingEmail: account.billingEmail ?? "",
  }, changed);
  const send = useSave(account, edit, (text) => text.trim() || null, changed);
  return (
    <Loaded result={terms}>
      {({ tiers, contentPackages }) => (
        <Form label="Terms" submit="Save" send={send} edit={edit}>
          <fieldset disabled={!editable} className="bare">
            <Field label="Name">{(id) => <input id={id} {...edit.text("name")} required maxLength={200} />}</Field>
            <Field label="Tier">{(id) => <select id={id} {...edit.text("tier")}>{account.operator && <option value="">None</option>}{tiers.nodes.map((tier) => <option key={tier.id} value={tier.id}>{tier.name}</option>)}</select>}</Field>
            <Field label="Content package">{(id) => <select id={id} {...edit.text("contentPackage")}><option value="">None: everything but private channels</option>{contentPackages.nodes.map((one) => <option key={one.id} value={one.id}>{one.name}</option>)}</select>}</Field>
            <Field label="Status">{(id) => <select id={id} {...edit.text("status")}><option value="ACTIVE">Active</option><option value="SUSPENDED">Suspended: nobody gets in</option></select>}</Field>
            <Field label="Access ends after">{(id) => <input id={id} {...edit.text("accessExpiresOn")} type="date" />}</Field>
            {plans.data && <Field label="Price plan" hint="Invoices that exist keep their plan.">{(id) => <select id={id} {...edit.text("pricePlan")}><option value="">None: it gets no invoices</option>{plans.data?.pricePlans.nodes.map((plan) => <option key={plan.id} value={plan.id}>{plan.name}</option>)}</select>}</Field>}
            <Field label="Billing address">{(id) => <textarea id={id} {...edit.text("billingAddress")} rows={3} maxLength={500} />}</Field>
            <Field label="Billing e-mail">{(id) => <input id={id} {...edit.text("billingEmail")} type="email" maxLength={254} />}</Field>
          </fieldset>
        </Form>
      )}
    </Loaded>
  );
}

// Saves the fields of an account that somebody has changed. The undo is refused if somebody has changed the account since.
function useSave<F extends Record<string, string>>(account: Account, edit: Edit<F>, valueOfField: (text: string) => unknown, changed: () => void) {
  const notice = useNotice();
  const update = (version: number, input: object) => ask(UpdateAccountDocument, { id: account.id, version, input });
  return async () => {
    const before = Object.fromEntries(edit.changed.map((name) => [name, account[name as keyof Account]]));
    const { updateAccount: { version } } = await edit.save((changes) => update(account.version, Object.fromEntries(Object.entries<string>(changes as F).map(([name, text]) => [name, valueOfField(text)]))));
    notice({ text: "Saved. It takes effect within a second.", undo: () => update(version, before).then(changed) });
    changed();
  };
}

type Provider = Account["identityProviders"][number];

/** Where the users of the account sign in, and whether that would work. */
function Providers({ account, changed }: { account: Account; changed: () => void }) {
  const mayManage = useMay("MANAGE_CUSTOMERS"), mayOwn = useMay("MANAGE_STAFF");
  const editable = account.operator ? mayOwn : mayManage;
  const notice = useNotice();
  const act = useAction(changed);
  const inputs = (list: Provider[]) => list.map(({ alias, name, issuer, clientId, scopes, domains }) => ({ alias, name, issuer, clientId, scopes, domains }));
  const set = (list: IdentityProviderInput[]) => ask(UpdateAccountDocument, { id: account.id, version: account.version, input: { identityProviders: list } }).finally(changed);
  const test = async (provider: Provider) => {
    const { testIdentityProvider: problem } = await ask(TestProviderDocument, { account: account.id, alias: provider.alias });
    notice({ text: problem ? `${provider.name} would not work: ${problem}.` : `${provider.name} answers, and knows the client and its secret.` });
  };
  const add = async (data: FormData) => {
    const added = {
      alias: valueOf(data, "alias") ?? "", name: valueOf(data, "name") ?? "", issuer: valueOf(data, "issuer") ?? "", clientId: valueOf(data, "clientId") ?? "",
      clientSecret: valueOf(data, "clientSecret") ?? null, domains: (valueOf(data, "domains") ?? "").toLowerCase().split(/[\s,]+/).filter(Boolean),
    };
    await set([...inputs(account.identityProviders), added]);
    notice({ text: `${added.name} is added. Test it before users sign in there.` });
  };
  return (
    <>
      <Table label="Identity providers" rows={account.identityProviders} keyOf={(provider) => provider.alias}
        empty={account.passwordSignIn ? "Users sign in with a password of this service." : "Users cannot sign in: there is no identity provider, and passwords are switched off."} columns={[
          { name: "Name", cell: (provider) => provider.name },
          { name: "Issuer", cell: (provider) => provider.issuer },
          { name: "E-mail domains", cell: (provider) => provider.domains.join(", ") },
          ...(editable ? [{
            name: "Action", cell: (provider: Provider) => (
              <span className="row">
                <button type="button" className="secondary" onClick={() => void act(() => test(provider))}>Test<span className="hidden"> {provider.name}</span></button>
                <Confirm action={`Remove ${provider.name}`} effect="Its secret is deleted."
                  run={() => act(() => set(inputs(account.identityProviders.filter((one) => one !== provider))), `${provider.name} is removed.`)} />
              </span>
            ),
          }] : []),
        ]} />
      {editable && (
        <details>
          <summary>Add an identity provider</summary>
          <Form label="Add an identity provider" submit="Add" send={add}>
            <Field label="Alias" hint={<>Its place in the redirect URI that you register there: <code>{callbackOf(account.id)}ALIAS</code></>}>{(id) => <input id={id} name="alias" required pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}" />}</Field>
            <Field label="Name" hint="The sign-in page shows it.">{(id) => <input id={id} name="name" required maxLength={200} />}</Field>
            <Field label="Issuer" hint="The address before /.well-known/openid-configuration.">{(id) => <input id={id} name="issuer" type="url" required />}</Field>
            <Field label="Client id">{(id) => <input id={id} name="clientId" required />}</Field>
            <Field label="Client secret" hint="Empty for a public client.">{(id) => <input id={id} name="clientSecret" type="password" autoComplete="off" />}</Field>
            <Field label="E-mail domains" hint="Users with these addresses sign in there.">{(id) => <input id={id} name="domains" placeholder="school.example" />}</Field>
          </Form>
        </details>
      )}
    </>
  );
}

/** How many requests the account may send, and how many it has sent this month. */
function Limits({ account, changed }: { account: Account; changed: () => void }) {
  const sent = useQuery(RequestsDocument, { account: account.id, month: monthOf(0) });
  const mayManage = useMay("MANAGE_CUSTOMERS"), mayOwn = useMay("MANAGE_STAFF");
  const most = account.requestsPerMonth;
  const edit = useEdit(account.version, { requestsPerMinute: String(account.requestsPerMinute ?? ""), requestsPerMonth: String(most ?? "") }, changed);
  const send = useSave(account, edit, (text) => Number(text) || null, changed);
  return (
    <>
      {most !== null && sent.data && (
        <p><label>{number(sent.data.requestsInMonth)} of {number(most)} requests in this month <progress value={Math.min(most, sent.data.requestsInMonth)} max={most} /></label></p>
      )}
      <Form label="Limits" submit="Save" send={send} edit={edit}>
        <fieldset disabled={!(account.operator ? mayOwn : mayManage)} className="bare">
          <Field label="Requests per minute, for each client" hint="Empty for the server's default.">{(id) => <input id={id} {...edit.text("requestsPerMinute")} type="number" min={1} />}</Field>
          <Field label="Requests per month, for all clients" hint="Empty for no limit.">{(id) => <input id={id} {...edit.text("requestsPerMonth")} type="number" min={1} />}</Field>
        </fieldset>
      </Form>
    </>
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
  const set = (client: Client, disabled: boolean, version: number | null) => ask(UpdateClientDocument, { id: client.id, version, input: { disabled } });
  const disable = (client: Client, disabled: boolean) => act(
    () => set(client, disabled, null), disabled ? `${client.id} and its tokens are refused.` : `${client.id} works again.`, ({ updateClient: { version } }) => set(client, !disabled, version));
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
        {({ auditLog: { nodes } }) => nodes.length === 0 ? <Empty>Nobody has changed this account.</Empty> : <Changes entries={nodes} head={(entry) => `${words(entry.kind)} ${verbOf(entry)}`} />}
      </Loaded>
    </section>
  );
}
