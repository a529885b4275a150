import { useEffect, useRef, useState } from "react";

import { words } from "../format";
import { ask, useQuery } from "../graphql";
import { CreateUserDocument, DeleteUserDocument, RemoveUserSecondFactorDocument, SetStaffPolicyDocument, SetStaffRoleDocument, StaffDocument, type StaffQuery, type StaffRole } from "../operations";
import { Field, Form, Heading, Loaded, Table, Time, useAction, useNotice, valueOf } from "../parts/parts";
import { noteUnsaved } from "../routes";
import { useViewer } from "../viewer";
import { nameOf } from "./Users";

const roles: Record<StaffRole, string> = {
  OWNER: "may do everything", EDITOR: "changes the catalogue and searches; sees no customers and no bills", CUSTOMER_MANAGER: "changes customers and users; sees bills",
  SUPPORT: "sees customers; changes users", FINANCE: "sees customers; seals and voids", ENGINEER: "sees customers; changes policies", VIEWER: "sees customers and bills; changes nothing",
};

/** The role of a member, which changes by Save alone: the keys that lead to a role pass over others. */
function RoleOf({ name, role, fixed, save }: { name: string; role: StaffRole; fixed: boolean; save: (role: StaffRole | null) => Promise<void> }) {
  const [chosen, choose] = useState<StaffRole | "">(role);
  const [busy, setBusy] = useState(false);
  const edit = useRef(null);
  useEffect(() => {
    noteUnsaved(edit, chosen !== role);
    return () => noteUnsaved(edit, false);
  }, [chosen, role]);
  const run = async () => {
    setBusy(true);
    await save(chosen || null);
    setBusy(false);
  };
  return (
    <span className="row">
      <select aria-label={`Role of ${name}`} value={chosen} disabled={fixed} onChange={(event) => choose(event.target.value as StaffRole | "")}>
        {Object.keys(roles).map((one) => <option key={one} value={one}>{words(one)}</option>)}
        <option value="">No role</option>
      </select>
      {chosen !== role && <button type="button" disabled={busy} onClick={() => void run()}>Save<span className="hidden"> the role of {name}</span></button>}
    </span>
  );
}

/** The operator's people and their roles. */
export function Staff() {
  const found = useQuery(StaffDocument, {});
  const viewer = useViewer();
  const notice = useNotice();
  const act = useAction(found.reload);
  const give = (user: string, role: StaffRole | null, version: number) => ask(SetStaffRoleDocument, { user, role, version });
  const setRole = (member: StaffQuery["staff"][number], role: StaffRole | null) => act(
    () => give(member.id, role, member.version), role ? `${nameOf(member)} is ${words(role).toLowerCase()} now.` : `${nameOf(member)} has no role any more.`,
    ({ setStaffRole }) => give(member.id, member.role, setStaffRole?.version ?? 0));
  const require = (on: boolean, version: number | null) => ask(SetStaffPolicyDocument, { requireSecondFactor: on, version });
  const setRequired = (on: boolean) => act(
    () => require(on, null), on ? "Staff without a second factor set one up when they sign in next." : "Staff may sign in with their password alone.",
    ({ setStaffPolicy }) => require(!on, setStaffPolicy.version));
  const removeFactor = (member: StaffQuery["staff"][number]) => act(() => ask(RemoveUserSecondFactorDocument, { user: member.id }), `${nameOf(member)} signs in without a second factor now.`);
  const add = async (data: FormData) => {
    const role = data.get("role") as StaffRole, email = valueOf(data, "email") ?? "";
    const { createUser } = await ask(CreateUserDocument, {
      input: {
        account: viewer.account ?? "", username: email, email, emailVerified: false, disabled: false, password: valueOf(data, "password") ?? null,
        givenName: valueOf(data, "givenName") ?? null, familyName: valueOf(data, "familyName") ?? null,
      },
    });
    await ask(SetStaffRoleDocument, { user: createUser.id, role });
    notice({ text: `${email} can sign in, as ${words(role).toLowerCase()}.`, undo: () => ask(DeleteUserDocument, createUser).then(found.reload) });
    found.reload();
  };
  return (
    <>
      <Heading title="Staff" />
      <section className="card">
        <Loaded result={found}>
          {({ staff, tokenPolicy }) => (
            <>
            <Table label="Staff" rows={staff.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)))} keyOf={(member) => member.id} empty="Nobody has a role yet. Add a colleague below." columns={[
              { name: "Name", cell: nameOf },
              { name: "E-mail", cell: (member) => member.email },
              { name: "Role", cell: (member) => <RoleOf key={member.role} name={nameOf(member)} role={member.role} fixed={member.id === viewer.user} save={(role) => setRole(member, role)} /> },
              {
                name: "Second factor", cell: (member) => !member.secondFactor ? "none" : (
                  <span className="row">
                    <span>set up <Time at={member.secondFactor.createdAt} /></span>
                    {member.id !== viewer.user && <button type="button" className="secondary" onClick={() => void removeFactor(member)}>Remove<span className="hidden"> the second factor of {nameOf(member)}</span></button>}
                  </span>
                ),
              },
              { name: "What the role may do", cell: (member) => roles[member.role] },
            ]} />
            <p>
              <label><input type="checkbox" checked={tokenPolicy.requireStaffSecondFactor} onChange={(event) => void setRequired(event.target.checked)} /> Staff who sign in with a password need a second factor</label>
              {!tokenPolicy.requireStaffSecondFactor || <small> Sessions that began without one last until they end.</small>}
            </p>
            </>
          )}
        </Loaded>
      </section>
      <section className="card" aria-labelledby="colleague">
        <h2 id="colleague">Add a colleague</h2>
        <Form label="Add a colleague" submit="Add" send={add}>
          <Field label="E-mail" hint="The colleague signs in with it.">{(id) => <input id={id} name="email" type="email" required />}</Field>
          <Field label="First password" hint="At least 8 characters.">{(id) => <input id={id} name="password" type="text" autoComplete="off" required minLength={8} />}</Field>
          <Field label="Given name">{(id) => <input id={id} name="givenName" />}</Field>
          <Field label="Family name">{(id) => <input id={id} name="familyName" />}</Field>
          <Field label="Role">{(id) => <select id={id} name="role" defaultValue="VIEWER">{Object.entries(roles).map(([role, may]) => <option key={role} value={role}>{words(role)}: {may}</option>)}</select>}</Field>
        </Form>
      </section>
    </>
  );
}
