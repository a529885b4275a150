import { Component, type ReactNode, useEffect, useRef, useState } from "react";

import { useQuery } from "./graphql";
import { MeDocument, type Permission } from "./operations";
import { Palette } from "./Palette";
import { Empty, Heading, Loaded, Notices, Refusal } from "./parts/parts";
import { type Route, href, useRoute } from "./routes";
import { Audit } from "./screens/Audit";
import { Billing, Statement } from "./screens/Billing";
import { Collection, Collections } from "./screens/Collections";
import { Customer } from "./screens/Customer";
import { Customers, NewCustomer } from "./screens/Customers";
import { Home } from "./screens/Home";
import { Import, Imports } from "./screens/Imports";
import { Invoice } from "./screens/Invoices";
import { MyAccount } from "./screens/MyAccount";
import { Package, Packages } from "./screens/Packages";
import { Prices } from "./screens/Prices";
import { Royalties } from "./screens/Royalties";
import { SearchTuning } from "./screens/SearchTuning";
import { Staff } from "./screens/Staff";
import { System } from "./screens/System";
import { Taxonomy } from "./screens/Taxonomy";
import { Usage } from "./screens/Usage";
import { User, Users } from "./screens/Users";
import { Video } from "./screens/Video";
import { Videos } from "./screens/Videos";
import { leave, signOut } from "./session";
import { type Viewer, ViewerProvider } from "./viewer";
import { words } from "./format";

interface Screen { name: string; needs: Permission; show: (route: Route) => ReactNode; hidden?: boolean }

const screens: Record<string, Screen> = {
  "": { name: "Home", needs: "OPERATE", show: () => <Home /> },
  videos: { name: "Videos", needs: "OPERATE", show: (route) => route.id ? <Video key={route.id} id={route.id} /> : <Videos route={route} /> },
  imports: { name: "Imports", needs: "EDIT_CATALOGUE", show: (route) => route.id ? <Import key={route.id} id={route.id} /> : <Imports /> },
  taxonomy: { name: "Taxonomy", needs: "OPERATE", show: (route) => <Taxonomy route={route} /> },
  collections: { name: "Collections", needs: "OPERATE", show: (route) => route.id ? <Collection key={route.id} id={route.id} /> : <Collections route={route} /> },
  search: { name: "Search tuning", needs: "OPERATE", show: (route) => <SearchTuning route={route} /> },
  customers: { name: "Customers", needs: "VIEW_CUSTOMERS", show: (route) => route.id ? <Customer key={route.id} id={route.id} /> : <Customers route={route} /> },
  "new-customer": { name: "New customer", needs: "MANAGE_CUSTOMERS", show: () => <NewCustomer />, hidden: true },
  packages: { name: "Packages and tiers", needs: "VIEW_CUSTOMERS", show: (route) => route.id ? <Package key={route.id} id={route.id} /> : <Packages route={route} /> },
  users: { name: "Users", needs: "VIEW_PERSONS", show: (route) => route.id ? <User key={route.id} id={route.id} /> : <Users route={route} /> },
  usage: { name: "Usage", needs: "OPERATE", show: (route) => <Usage route={route} /> },
  billing: { name: "Billing", needs: "VIEW_BILLING", show: (route) => route.id ? <Statement route={route} account={route.id} /> : <Billing route={route} /> },
  invoices: { name: "Invoice", needs: "VIEW_BILLING", show: (route) => <Invoice key={route.id} id={route.id} />, hidden: true },
  prices: { name: "Price plans", needs: "VIEW_BILLING", show: (route) => <Prices key={route.id} id={route.id} /> },
  royalties: { name: "Royalties", needs: "VIEW_BILLING", show: (route) => <Royalties route={route} /> },
  audit: { name: "Audit", needs: "OPERATE", show: (route) => <Audit route={route} /> },
  system: { name: "System", needs: "OPERATE", show: () => <System /> },
  account: { name: "My account", needs: "OPERATE", show: () => <MyAccount />, hidden: true },
  staff: { name: "Staff", needs: "MANAGE_STAFF", show: () => <Staff /> },
};

/** The console of the user who has signed in. */
export function Console() {
  const me = useQuery(MeDocument, {});
  return (
    <Loaded result={me}>
      {({ viewer }) => (
        <ViewerProvider value={viewer}>
          {viewer.permissions.includes("OPERATE") ? <Notices><Shell viewer={viewer} /></Notices> : <NoStaff viewer={viewer} />}
        </ViewerProvider>
      )}
    </Loaded>
  );
}

function NoStaff({ viewer }: { viewer: Viewer }) {
  return (
    <main>
      <Heading title="You have no role" />
      <p>{viewer.userName ?? "This user"} may not use the console. Ask an owner to give you a role: <code>filmstrip staff set {viewer.user} VIEWER</code></p>
      <button type="button" onClick={signOut}>Sign out</button>
    </main>
  );
}

function Shell({ viewer }: { viewer: Viewer }) {
  const route = useRoute();
  const current = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    current.current?.parentElement?.parentElement?.scrollTo({ left: current.current.offsetLeft - 48 }); // a strip on a phone
    window.scrollTo(0, 0);
  }, [route.screen, route.id]);
  const mine = Object.entries(screens).filter(([, screen]) => viewer.permissions.includes(screen.needs) && !screen.hidden);
  const screen = Object.hasOwn(screens, route.screen) ? screens[route.screen] : undefined;
  return (
    <div className="shell">
      <nav className="screens" aria-label="Console">
        <Finder pages={mine.map(([key, one]) => ({ kind: "Page", name: one.name, address: href(key) }))} />
        <ul className="plain">
          {mine.map(([key, one]) => <li key={key}><a ref={key === route.screen ? current : undefined} href={href(key)} aria-current={key === route.screen ? "page" : undefined}>{one.name}</a></li>)}
        </ul>
        <div className="who">
          <span>{viewer.user ? <a href={href("account")} aria-current={route.screen === "account" ? "page" : undefined}>{viewer.userName ?? "My account"}</a> : viewer.client}<br /><small>{viewer.staffRole && words(viewer.staffRole)}</small></span>
          <button type="button" className="secondary" onClick={signOut}>Sign out</button>
        </div>
      </nav>
      <main>
        {!screen ? <><Heading title="No such page" /><Empty><a href={href("")}>Home</a></Empty></>
          : viewer.permissions.includes(screen.needs) ? <Boundary key={`${route.screen} ${route.id}`}>{screen.show(route)}</Boundary>
            : <><Heading title={screen.name} /><Empty>Your role does not include this page. An owner can change your role.</Empty></>}
      </main>
    </div>
  );
}

const shortcut = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘K" : "Ctrl+K";

/** Opens the palette, also by ⌘K and Ctrl+K. Its state is its own, so that the screen is not drawn again. */
function Finder({ pages }: { pages: Parameters<typeof Palette>[0]["pages"] }) {
  const [finding, setFinding] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey)) {
        event.preventDefault();
        setFinding(true);
      }
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
  return (
    <>
      <button type="button" className="secondary find" onClick={() => setFinding(true)}>Go to… <kbd>{shortcut}</kbd></button>
      {finding && <Palette pages={pages} close={() => setFinding(false)} />}
    </>
  );
}

/** Shows what happened instead of a screen that throws an error, and a way to go on. */
class Boundary extends Component<{ children: ReactNode }, { failure?: Error | undefined }> {
  override state: { failure?: Error | undefined } = {};
  static getDerivedStateFromError(failure: Error) { return { failure }; }
  override render() {
    if (!this.state.failure) return this.props.children;
    return (
      <>
        <Heading title="This page has an error" />
        <p>Try again, or go on with another page. If this happens again, tell your engineer this message:</p>
        <Refusal failure={this.state.failure} retry={() => this.setState({ failure: undefined })} />
      </>
    );
  }
}

/** What a tab shows that another one opened to sign in again. */
export function Elsewhere() {
  return (
    <main>
      <Heading title="You are signed in again" />
      <p>Go back to the tab with your changes, and save them there. You can close this tab.</p>
    </main>
  );
}

/** What is shown instead of the console. */
export function Stopped({ message }: { message: string }) {
  return (
    <main>
      <Heading title="You are not signed in" />
      <p role="alert">{message}</p>
      <button type="button" onClick={() => void leave()}>Sign in again</button>
    </main>
  );
}

export function Unconfigured() {
  const base = new URL(".", location.href).href.replace(/\/$/, "");
  return (
    <main>
      <Heading title="Nobody can sign in yet" />
      <p>Invite yourself on the server. The command prints an address at which you choose a password:</p>
      <pre tabIndex={0}>{`filmstrip owner invite you@films.example --base-url ${base}`}</pre>
    </main>
  );
}
