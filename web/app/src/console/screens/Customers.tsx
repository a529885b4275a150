import { useRef, useState } from "react";

import { day, words } from "../format";
import { Failure, ask, useQuery } from "../graphql";
import {
  AccountsDocument, AddSecretDocument, CreateAccountDocument, CreateClientDocument, CreatePackageDocument, DeletePackageDocument, NewAccountDocument,
  SubjectsDocument, TermsDocument, UpdateAccountDocument, UpdatePackageDocument,
} from "../operations";
import { Copy, CursorPages, Field, Form, Heading, Loaded, Search, Table, useCursors, valueOf } from "../parts/parts";
import { type Route, href, refine } from "../routes";
import { useMay } from "../viewer";

/** All accounts. */
export function Customers({ route }: { route: Route }) {
  const text = route.params.get("text") ?? "";
  const at = useCursors();
  const found = useQuery(AccountsDocument, { text: text || null, after: at.after });
  const mayManage = useMay("MANAGE_CUSTOMERS");
  return (
    <>
      <Heading title="Customers">{mayManage && <a className="button" href={href("new-customer")}>New customer</a>}</Heading>
      <div className="tools"><Search label="Find customers" text={text} change={(next) => refine(route, { text: next, after: "" })} /></div>
      <Loaded result={found}>
        {({ accounts: { nodes, pageInfo } }) => (
          <>
            <Table label="Customers" rows={nodes} keyOf={(one) => one.id} empty="No customer has this name. Create one with New customer." columns={[
              { name: "Name", cell: (one) => <a href={href("customers", one.id)}>{one.name}</a> },
              { name: "Id", cell: (one) => one.id },
              { name: "Tier", cell: (one) => one.operator ? "Operator" : one.tier },
              { name: "Sees", cell: (one) => one.contentPackage ?? "everything" },
              { name: "Status", cell: (one) => words(one.status) },
              { name: "Ends", numeric: true, cell: (one) => one.accessExpiresOn ? day(one.accessExpiresOn) : "" },
            ]} />
            <CursorPages at={at} info={pageInfo} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** Makes an account, a content package for the subjects that it sees, and its first client. */
export function NewCustomer() {
  const terms = useQuery(TermsDocument, {}), subjects = useQuery(SubjectsDocument, {});
  const [made, setMade] = useState<{ id: string; secret: string }>();
  const begun = useRef("");
  const send = async (data: FormData) => {
    const name = valueOf(data, "name") ?? "", id = valueOf(data, "id") ?? idOf(name), client = `${id}-api`;
    const seen = data.getAll("subject").map(String);
    const found = await ask(NewAccountDocument, { id, client });
    if (begun.current !== id && (found.account || found.contentPackage || found.client)) throw new Failure(`The id “${id}” is taken by another customer, content package or client. Choose another one under Id.`, "CONFLICT", [], "");
    begun.current = id; // from here on, an earlier try made what has this id, even if its answer was lost
    if (seen.length > 0) {
      const shown = { name: `What ${name} sees`, rules: [{ type: "IncludedSubjects" as const, values: seen }] };
      await (found.contentPackage ? ask(UpdatePackageDocument, { id, version: null, input: shown }) : ask(CreatePackageDocument, { input: { id, ...shown } }));
    }
    const terms = { name, tier: valueOf(data, "tier") ?? null, contentPackage: seen.length > 0 ? id : null };
    try {
      await (found.account ? ask(UpdateAccountDocument, { id, version: null, input: terms })
        : ask(CreateAccountDocument, { input: { id, ...terms, operator: false, type: "STANDARD", status: "ACTIVE", ignoresServiceUserId: false, environment: "LIVE", passwordSignIn: false } }));
    } catch (refused) {
      if (seen.length > 0) await ask(DeletePackageDocument, { id }).catch(() => {}); // the server keeps it if the account exists after all
      throw refused;
    }
    const { secret } = found.client ? (await ask(AddSecretDocument, { client })).addClientSecret
      : (await ask(CreateClientDocument, { input: { id: client, account: id, name: `${name}: first client`, public: false, requireSecret: false, requirePkce: false, disabled: false } })).createClient;
    setMade({ id, secret: secret ?? "" });
  };
  if (made) {
    return (
      <>
        <Heading title="The customer is ready" />
        <section className="card"><Credentials client={`${made.id}-api`} secret={made.secret} /><p><a href={href("customers", made.id)}>Open the customer</a></p></section>
      </>
    );
  }
  return (
    <>
      <Heading title="New customer" />
      <section className="card">
        <Form label="New customer" submit="Create" send={send}>
          <Field label="Name">{(id) => <input id={id} name="name" required maxLength={200} />}</Field>
          <Field label="Id" hint="Letters, digits, dots, hyphens and underscores. It follows from the name if you leave it out, and never changes.">{(id) => <input id={id} name="id" pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,59}" />}</Field>
          <Loaded result={terms}>
            {({ tiers }) => <Field label="Tier">{(id) => <select id={id} name="tier">{tiers.nodes.map((tier) => <option key={tier.id} value={tier.id}>{tier.name}</option>)}</select>}</Field>}
          </Loaded>
          <Loaded result={subjects}>
            {({ subjects: list }) => (
              <fieldset>
                <legend>Subjects that it sees; none means everything</legend>
                <div className="choices">{list.map((subject) => <label key={subject.id}><input type="checkbox" name="subject" value={subject.id} /> {subject.name}</label>)}</div>
              </fieldset>
            )}
          </Loaded>
        </Form>
      </section>
    </>
  );
}

const idOf = (name: string) => name.toLowerCase().normalize("NFKD").replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 50) || "customer";

/** Shows a new secret once, with the request that gets a token. */
export function Credentials({ client, secret }: { client: string; secret: string }) {
  const request = `curl ${new URL("v1/token", document.baseURI).href} -d grant_type=client_credentials -d client_id=${client} -d client_secret=${secret}`;
  return (
    <div role="status">
      <p>This secret of the client <code>{client}</code> is shown this once. The request gets a token:</p>
      <pre tabIndex={0}>{request}</pre>
      <Copy text={request} label="Copy the token request" />
    </div>
  );
}
