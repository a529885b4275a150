import { useMemo } from "react";

import { hours, instant, number, words } from "../format";
import { ask, useQuery } from "../graphql";
import {
  EndUserSessionsDocument, RecordChangesDocument, RemoveUserSecondFactorDocument, SetUserPasswordDocument, UpdateUserDocument, UserDocument, UsageByDocument, type UserQuery,
  UsersDocument,
} from "../operations";
import { Changes, verbOf } from "../parts/changes";
import { CursorPages, Empty, Field, Form, Heading, Loaded, Search, Table, Time, useAction, useCursors, useNotice, valueOf } from "../parts/parts";
import { days } from "../periods";
import { type Route, href, refine } from "../routes";
import { useMay, useViewer } from "../viewer";

/** People of all accounts. */
export function Users({ route }: { route: Route }) {
  const text = route.params.get("text") ?? "", account = route.params.get("account") ?? "";
  const at = useCursors();
  const found = useQuery(UsersDocument, { text: text || null, account: account || null, after: at.after });
  return (
    <>
      <Heading title="Users" />
      <div className="tools">
        <Search label="Find users by name or e-mail" text={text} change={(next) => refine(route, { text: next, after: "" })} />
        {account && <>Users of <a href={href("customers", account)}>{account}</a>. <a href={href("users", "", { text })}>Show users of all customers</a></>}
      </div>
      <Loaded result={found}>
        {({ users: { nodes, pageInfo } }) => (
          <>
            <Table label="Users" rows={nodes} keyOf={(user) => user.id} empty={pageInfo.hasNextPage ? "None among the users read so far. Go on to the next page." : "No user has this name or address."} columns={[
              { name: "Name", cell: (user) => <a href={href("users", user.id)}>{nameOf(user)}</a> },
              { name: "E-mail", cell: (user) => user.email },
              { name: "User name", cell: (user) => user.username },
              { name: "Customer", cell: (user) => user.account },
              { name: "State", cell: (user) => user.disabled ? <span className="badge">Disabled</span> : "" },
            ]} />
            <CursorPages at={at} info={pageInfo} />
          </>
        )}
      </Loaded>
    </>
  );
}

interface Named { id: string; givenName: string | null; familyName: string | null; username: string | null; email: string | null; externalId?: string | null }
export const nameOf = (user: Named) => [user.givenName, user.familyName].filter(Boolean).join(" ") || user.username || user.email || user.externalId || user.id;

type Person = NonNullable<UserQuery["user"]>;

/** One person. */
export function User({ id }: { id: string }) {
  const found = useQuery(UserDocument, { id });
  const history = useQuery(RecordChangesDocument, { kind: "user", id, first: 20 });
  const changed = () => {
    found.reload();
    history.reload();
  };
  return (
    <Loaded result={found}>
      {({ user }) => user
        ? (
          <>
            <Heading title={nameOf(user)}>{user.disabled && <span className="badge">Disabled</span>}</Heading>
            <p className="quiet">Of <a href={href("customers", user.account)}>{user.account}</a>. Created {instant(user.createdAt)}. Id {user.id}.</p>
            <div className="halves">
              <Facts user={user} />
              <Access user={user} changed={changed} />
            </div>
            <Sessions user={user} changed={changed} />
            <Watched user={user} />
            <section className="card" aria-labelledby="history">
              <h2 id="history">History</h2>
              <Loaded result={history}>
                {({ auditLog: { nodes } }) => nodes.length === 0 ? <Empty>Nobody has changed this user.</Empty> : <Changes entries={nodes} head={(entry) => `${words(entry.kind)} ${verbOf(entry)}`} />}
              </Loaded>
            </section>
          </>
        )
        : <><Heading title="User" /><Empty>There is no such user. <a href={href("users")}>All users</a></Empty></>}
    </Loaded>
  );
}

/** What the user watched, by video. */
function Watched({ user }: { user: Person }) {
  const period = useMemo(() => days(90), []);
  const watched = useQuery(UsageByDocument, { ...period, by: ["VIDEO"], first: 100, filter: { users: [user.id], sandbox: true } });
  return (
    <section className="card" aria-labelledby="watched">
      <h2 id="watched">Watched in the last 90 days</h2>
      <Loaded result={watched}>
        {({ usage }) => (
          <>
            <Table label="Watched videos" rows={usage.rows.filter((row) => row.video)} keyOf={(row) => row.video ?? ""} empty="No play of this user was reported. Plays count for a user if the customer's programs send tokens of the user, or the header Service-User-Id." columns={[
              { name: "Video", cell: (row) => <a href={href("videos", row.video ?? "")}>{row.videoTitle ?? row.video}</a> },
              { name: "Plays", numeric: true, cell: (row) => number(row.plays) },
              { name: "Time", numeric: true, cell: (row) => hours(row.seconds) },
            ]} />
            {usage.count > usage.rows.length && <p className="quiet">The first {number(usage.rows.length)} of {number(usage.count)}.</p>}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Facts({ user }: { user: Person }) {
  const facts = { "E-mail": user.email && `${user.email}${user.emailVerified ? "" : " (not verified)"}`, "User name": user.username, "Id at the customer": user.externalId, "Identity provider": user.issuer };
  return (
    <section className="card" aria-labelledby="facts">
      <h2 id="facts">Person</h2>
      <dl className="facts">{Object.entries(facts).map(([name, value]) => value && <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
    </section>
  );
}

function Access({ user, changed }: { user: Person; changed: () => void }) {
  const mayManage = useMay("MANAGE_PERSONS");
  const viewer = useViewer();
  const notice = useNotice();
  const setPassword = async (data: FormData) => {
    await ask(SetUserPasswordDocument, { id: user.id, password: valueOf(data, "password") ?? "" });
    notice({ text: "The password is set, and all sessions have ended." });
    changed();
  };
  const act = useAction(changed);
  const set = (disabled: boolean, version: number | null) => ask(UpdateUserDocument, { id: user.id, version, input: { disabled } });
  const removeFactor = () => act(() => ask(RemoveUserSecondFactorDocument, { user: user.id }), "The user signs in without a second factor now.");
  const disable = (disabled: boolean) => act(() => set(disabled, null), disabled ? "The user is disabled, and all sessions have ended." : "The user can sign in again.", ({ updateUser: { version } }) => set(!disabled, version));
  return (
    <section className="card" aria-labelledby="access">
      <h2 id="access">Access</h2>
      {!mayManage ? <Empty>Your role cannot change users.</Empty> : (
        <>
          {user.username
            ? (
              <Form label="Password" submit="Set the password and end all sessions" send={setPassword}>
                <Field label="New password" hint="At least 8 characters. Give it to the user over a safe channel.">{(id) => <input id={id} name="password" type="text" autoComplete="off" required minLength={8} />}</Field>
              </Form>
            )
            : <Empty>This user has no user name, so there is no password to set.</Empty>}
          {user.id !== viewer.user && (
            <>
              {user.secondFactor && <p className="row"><span>Second factor since <Time at={user.secondFactor.createdAt} /></span><button type="button" className="secondary" onClick={() => void removeFactor()}>Remove the second factor</button></p>}
              <p><button type="button" className="secondary" onClick={() => void disable(!user.disabled)}>{user.disabled ? "Enable the user" : "Disable the user"}</button></p>
            </>
          )}
        </>
      )}
    </section>
  );
}

function Sessions({ user, changed }: { user: Person; changed: () => void }) {
  const mayManage = useMay("MANAGE_PERSONS");
  const act = useAction(changed);
  const end = () => act(() => ask(EndUserSessionsDocument, { user: user.id }), "All sessions have ended. The user has to sign in again.");
  return (
    <section className="card" aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      <Table label="Sessions" rows={user.sessions} keyOf={(session) => session.startedAt + session.expiresAt} empty="The user is not signed in in any browser." columns={[
        { name: "Signed in", cell: (session) => <Time at={session.startedAt} /> },
        { name: "By", cell: (session) => session.provider ?? "password" },
        { name: "Clients", cell: (session) => session.clients.join(", ") },
        { name: "Last used", cell: (session) => session.lastUsedAt && <Time at={session.lastUsedAt} /> },
        { name: "Ends", cell: (session) => instant(session.expiresAt) },
      ]} />
      {mayManage && user.sessions.length > 0 && <p><button type="button" className="secondary" onClick={() => void end()}>End all sessions</button></p>}
    </section>
  );
}
