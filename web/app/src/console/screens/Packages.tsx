import { useEffect, useMemo, useState } from "react";

import { number, words } from "../format";
import { ask, useQuery } from "../graphql";
import {
  type AccessRuleType, CreatePackageDocument, DeletePackageDocument, NamedVideosDocument, PackageDocument, type PackageQuery, PackagePreviewDocument, PackagesDocument, type Permission, PutTierDocument,
  TiersDocument, type TiersQuery, UpdatePackageDocument,
} from "../operations";
import { type Pickable, Picker, useNamed } from "../parts/Picker";
import { useEdit } from "../parts/edit";
import { Empty, Field, Form, Heading, Loaded, Table, Time, useNotice } from "../parts/parts";
import { type Route, go, href } from "../routes";
import { useMay } from "../viewer";

interface Rule { type: AccessRuleType; values: string[] }
interface RuleKind { type: AccessRuleType; says: string; kind?: Pickable; choices?: readonly string[]; hint?: string }

const types = ["INSTRUCTIONAL", "NEWS", "STOCK", "PODCAST", "HISTORICAL_NEWS_ARCHIVE"];
const ruleKinds: RuleKind[] = [
  { type: "IncludedSubjects", says: "only these subjects", kind: "SUBJECT" },
  { type: "IncludedChannels", says: "only these channels", kind: "CHANNEL" },
  { type: "IncludedVideos", says: "these videos, whatever their channel", kind: "VIDEO" },
  { type: "IncludedCollections", says: "the videos of these collections", kind: "COLLECTION" },
  { type: "IncludedVideoTypes", says: "only these types", choices: types },
  { type: "IncludedEducationLevels", says: "only these education levels", kind: "EDUCATION_LEVEL" },
  { type: "IncludedThemaCategories", says: "only these Thema codes", hint: "Codes, separated by commas. A code includes all codes below it." },
  { type: "IncludedDistributionMethods", says: "only channels that offer", choices: ["STREAM", "DOWNLOAD"] },
  { type: "IncludedPrivateChannels", says: "also these private channels", kind: "CHANNEL" },
  { type: "IncludeAllPrivateChannels", says: "also all private channels" },
  { type: "ExcludedChannels", says: "not these channels", kind: "CHANNEL" },
  { type: "ExcludedVideos", says: "not these videos", kind: "VIDEO" },
  { type: "ExcludedVideoTypes", says: "not these types", choices: types },
  { type: "ExcludedEducationLevels", says: "not these education levels", kind: "EDUCATION_LEVEL" },
  { type: "ExcludedContentWarnings", says: "not with these content warnings", kind: "CONTENT_WARNING" },
  { type: "ExcludedPlaybackSources", says: "not from", choices: ["HLS", "YOUTUBE"] },
  { type: "ExcludedLanguages", says: "not in these languages", hint: "ISO 639-2 codes such as rus, separated by commas." },
];
const kindOf = (type: AccessRuleType) => ruleKinds.find((one) => one.type === type) as RuleKind;

/** Content packages and tiers. */
export function Packages({ route }: { route: Route }) {
  const of = route.params.get("of") ?? "";
  const mayManage = useMay("MANAGE_CUSTOMERS");
  return (
    <>
      <Heading title="Packages and tiers">{mayManage && of === "" && <a className="button" href={href("packages", "new")}>New package</a>}</Heading>
      <nav className="tabs" aria-label="Shown">
        <a href={href("packages")} aria-current={of === "" ? "page" : undefined}>Content packages</a>
        <a href={href("packages", "", { of: "tiers" })} aria-current={of === "tiers" ? "page" : undefined}>Tiers</a>
      </nav>
      {of === "tiers" ? <Tiers route={route} /> : <PackageList />}
    </>
  );
}

function PackageList() {
  const list = useQuery(PackagesDocument, {});
  return (
    <>
      <p className="quiet">A content package says which videos a customer sees. A customer without one sees everything outside of private channels.</p>
      <Loaded result={list}>
        {({ contentPackages: { nodes } }) => (
          <Table label="Content packages" rows={nodes} keyOf={(one) => one.id} empty="There are no content packages yet. Make one with New package, then give it to a customer." columns={[
            { name: "Name", cell: (one) => <a href={href("packages", one.id)}>{one.name}</a> },
            { name: "Id", cell: (one) => one.id },
            { name: "Rules", cell: (one) => one.rules.map((rule) => `${kindOf(rule.type).says}${rule.values.length ? ` (${number(rule.values.length)})` : ""}`).join(", ") || "shows everything" },
            { name: "Changed", numeric: true, cell: (one) => <Time at={one.updatedAt} /> },
          ]} />
        )}
      </Loaded>
    </>
  );
}

/** One content package, or a new one: rules picked by name, and what they show. */
export function Package({ id }: { id: string }) {
  const found = useQuery(PackageDocument, id === "new" ? undefined : { id });
  if (id === "new") return <Editor stored={null} changed={() => {}} />;
  return (
    <Loaded result={found}>
      {({ contentPackage }) => contentPackage
        ? <Editor stored={contentPackage} changed={found.reload} />
        : <><Heading title="Content package" /><Empty>There is no such package. <a href={href("packages")}>All packages</a></Empty></>}
    </Loaded>
  );
}

function Editor({ stored, changed }: { stored: NonNullable<PackageQuery["contentPackage"]> | null; changed: () => void }) {
  const edit = useEdit(stored?.version ?? 0, { id: stored?.id ?? "", name: stored?.name ?? "", rules: stored?.rules as Rule[] | undefined ?? [] }, changed);
  const rules = edit.fields.rules, setRules = (next: Rule[]) => edit.set("rules", next);
  const mayManage = useMay("MANAGE_CUSTOMERS");
  const notice = useNotice();
  const send = async () => {
    if (!stored) {
      const { createContentPackage } = await edit.save(() => ask(CreatePackageDocument, { input: { ...edit.fields, rules: rules.filter(isFilled) } }));
      const name = edit.fields.name;
      notice({ text: `The package “${name}” exists now. Give it to a customer on the customer's page.` });
      go(href("packages", createContentPackage.id));
      return;
    }
    const update = (version: number, input: { name?: string; rules?: Rule[] }) => ask(UpdatePackageDocument, { id: stored.id, version, input });
    const { updateContentPackage: { version } } = await edit.save(({ name, rules }) => update(stored.version, { ...(name !== undefined && { name }), ...(rules && { rules: rules.filter(isFilled) }) }));
    notice({ text: "Saved. Customers with this package see the difference within a second.", undo: () => update(version, { name: stored.name, rules: stored.rules }).then(changed) });
    changed();
  };
  const set = (type: AccessRuleType, values: string[]) => setRules(rules.map((rule) => rule.type === type ? { type, values } : rule));
  return (
    <>
      <Heading title={stored?.name ?? "New content package"} />
      <div className="halves">
        <section className="card" aria-labelledby="rules">
          <h2 id="rules">Rules</h2>
          <Form label="Package" submit={stored ? "Save" : "Create"} send={send} edit={edit}>
            <fieldset className="bare" disabled={!mayManage}>
              <Field label="Name">{(id) => <input id={id} {...edit.text("name")} required maxLength={200} />}</Field>
              {!stored && <Field label="Id" hint="Letters, digits, dots, hyphens and underscores. It never changes.">{(id) => <input id={id} {...edit.text("id")} required pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}" />}</Field>}
              {rules.length === 0 && <Empty>Without a rule, the package shows everything. Add a rule to begin.</Empty>}
              {rules.map((rule) => <RuleEditor key={rule.type} rule={rule} set={(values) => set(rule.type, values)} remove={() => setRules(rules.filter((one) => one !== rule))} />)}
              {mayManage && (
                <Field label="Add a rule">{(id) => (
                  <select id={id} value="" onChange={(event) => setRules([...rules, { type: event.target.value as AccessRuleType, values: [] }])}>
                    <option value="">Choose what customers see</option>
                    {ruleKinds.filter((one) => !rules.some((rule) => rule.type === one.type)).map((one) => <option key={one.type} value={one.type}>{words(one.says)}</option>)}
                  </select>
                )}</Field>
              )}
            </fieldset>
          </Form>
          {stored && mayManage && <Remove id={stored.id} name={stored.name} />}
        </section>
        <Preview rules={rules} />
      </div>
    </>
  );
}

const isFilled = (rule: Rule) => rule.type === "IncludeAllPrivateChannels" || rule.values.length > 0;

function RuleEditor({ rule, set, remove }: { rule: Rule; set: (values: string[]) => void; remove: () => void }) {
  const { says, kind, choices, hint } = kindOf(rule.type);
  const toggle = (value: string, on: boolean) => set(on ? [...rule.values, value] : rule.values.filter((one) => one !== value));
  const [typed, setTyped] = useState("");
  const codes = rule.values.join(", ");
  return (
    <fieldset>
      <legend>{words(says)}</legend>
      {kind && <Chosen kind={kind} values={rule.values} remove={(value) => toggle(value, false)} />}
      {kind && <Picker label={`Find a ${words(kind).toLowerCase()} to add`} kind={kind} without={rule.values} pick={(one) => toggle(one.id, true)} />}
      {choices && <div className="choices">{choices.map((one) => <label key={one}><input type="checkbox" checked={rule.values.includes(one)} onChange={(event) => toggle(one, event.target.checked)} /> {words(one)}</label>)}</div>}
      {hint && <Field label="Values" hint={hint}>{(id) => <input id={id} value={codesIn(typed).join(", ") === codes ? typed : codes} onChange={(event) => { setTyped(event.target.value); set(codesIn(event.target.value)); }} />}</Field>}
      <p><button type="button" className="secondary" onClick={remove}>Remove the rule<span className="hidden"> {says}</span></button></p>
    </fieldset>
  );
}

const codesIn = (text: string) => text.split(",").map((one) => one.trim()).filter(Boolean);

/** The values of a rule by their names. */
function Chosen({ kind, values, remove }: { kind: Pickable; values: readonly string[]; remove: (value: string) => void }) {
  const { found } = useNamed(kind, "", 200);
  const videos = useQuery(NamedVideosDocument, kind === "VIDEO" && values.length > 0 ? { ids: values.slice(0, 100) } : undefined);
  const names = new Map([...found.map((one) => [one.id, one.name] as const), ...(videos.data?.videosById ?? []).map((video) => [video.id, video.title] as const)]);
  if (values.length === 0) return <p className="quiet">Nothing is chosen, so the rule has no effect yet.</p>;
  return (
    <ul className="plain chips">
      {values.map((value) => <li key={value}><button type="button" className="secondary" onClick={() => remove(value)}><span className="hidden">Remove </span>{names.get(value) ?? value} <span aria-hidden="true">✕</span></button></li>)}
    </ul>
  );
}

/** What the rules show, half a second after the last change. */
function Preview({ rules }: { rules: Rule[] }) {
  const filled = useMemo(() => rules.filter(isFilled), [rules]);
  const [asked, setAsked] = useState(filled);
  useEffect(() => {
    const waiting = window.setTimeout(() => setAsked(filled), 250);
    return () => window.clearTimeout(waiting);
  }, [filled]);
  const preview = useQuery(PackagePreviewDocument, { rules: asked });
  return (
    <section className="card" aria-labelledby="preview">
      <h2 id="preview">What a customer sees</h2>
      <Loaded result={preview}>
        {({ previewContentPackage: { shown, hidden, shownExamples, hiddenExamples } }) => (
          <>
            <dl className="measures">
              <div><dt>Shown</dt><dd>{number(shown)}</dd></div>
              <div><dt>Hidden</dt><dd>{number(hidden)}</dd></div>
            </dl>
            {shown === 0 && <p role="alert" className="refusal">A customer with this package sees no video at all.</p>}
            <h3>Shown, the newest first</h3>
            <Examples list={shownExamples} empty="Nothing is shown." />
            <h3>Hidden, the newest first</h3>
            <Examples list={hiddenExamples} empty={hidden > 0 ? "None of the 2,000 newest videos is hidden." : "Nothing is hidden."} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function Examples({ list, empty }: { list: { id: string; title: string; createdBy: string }[]; empty: string }) {
  if (list.length === 0) return <Empty>{empty}</Empty>;
  return <ul className="plain">{list.map((video) => <li key={video.id}><a href={href("videos", video.id)}>{video.title}</a> <span className="quiet">{video.createdBy}</span></li>)}</ul>;
}

function Remove({ id, name }: { id: string; name: string }) {
  const notice = useNotice();
  const run = () => ask(DeletePackageDocument, { id }).then(() => {
    notice({ text: `“${name}” is deleted.` });
    go(href("packages"));
  }, (failure: Error) => notice({ text: failure.message }));
  return (
    <details>
      <summary>Delete the package</summary>
      <p>The server refuses to delete a package that a customer has.</p>
      <button type="button" className="danger" onClick={() => void run()}>Delete {name}</button>
    </details>
  );
}

type Tier = TiersQuery["tiers"]["nodes"][number];

// The roles that tiers may have and that grant something.
const roles: Permission[] = [
  "VIEW_VIDEOS", "VIEW_VIDEO_TYPES", "VIEW_CHANNELS", "VIEW_DISCIPLINES", "VIEW_TAGS", "VIEW_CONTENT_WARNINGS", "VIEW_CONTENT_CATEGORIES", "VIEW_LEGAL_RESTRICTIONS", "DOWNLOAD_TRANSCRIPT",
  "VIEW_LEARNING_MATERIAL", "VIEW_COLLECTIONS", "INSERT_COLLECTIONS", "UPDATE_COLLECTIONS", "DELETE_COLLECTIONS", "VIEW_ANY_COLLECTION", "INSERT_EVENTS", "VIEW_USERS", "VIEW_USAGE",
];

function Tiers({ route }: { route: Route }) {
  const list = useQuery(TiersDocument, {});
  const mayManage = useMay("MANAGE_CUSTOMERS");
  const chosen = route.params.get("tier") ?? "";
  return (
    <>
      <p className="quiet">A tier says what the programs of a customer may do. Changes take effect within a second.</p>
      <Loaded result={list}>
        {({ tiers: { nodes } }) => {
          const tier = nodes.find((one) => one.id === chosen);
          return (
            <>
              {tier && mayManage && <TierForm key={tier.id} tier={tier} changed={list.reload} />}
              <Table label="Tiers" rows={nodes} keyOf={(one) => one.id} empty="There are no tiers." columns={[
                { name: "Name", cell: (one) => mayManage ? <a href={href("packages", "", { of: "tiers", tier: one.id })} aria-current={one.id === chosen ? "true" : undefined}>{one.name}</a> : one.name },
                { name: "Id", cell: (one) => one.id },
                { name: "Features", cell: (one) => one.features.filter((feature) => feature.enabled).map((feature) => words(feature.name)).join(", ") },
                { name: "Roles", numeric: true, cell: (one) => number(one.roles.length) },
                { name: "Changed", numeric: true, cell: (one) => <Time at={one.updatedAt} /> },
              ]} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function TierForm({ tier, changed }: { tier: Tier; changed: () => void }) {
  const notice = useNotice();
  const before = { name: tier.name, roles: tier.roles as string[], features: tier.features.filter((one) => one.enabled).map((one) => one.name) };
  const edit = useEdit(tier.version, before, changed);
  const put = (version: number, one: typeof before) =>
    ask(PutTierDocument, { version, input: { id: tier.id, name: one.name, roles: one.roles as Permission[], features: tier.features.map(({ name }) => ({ name, enabled: one.features.includes(name) })) } });
  const send = async () => {
    const { putTier: { version } } = await edit.save(() => put(tier.version, edit.fields));
    notice({ text: "Saved.", undo: () => put(version, before).then(changed) });
    changed();
  };
  return (
    <section className="card" aria-labelledby="tier">
      <h2 id="tier">{tier.name}</h2>
      <Form label={tier.name} submit="Save" send={send} edit={edit}>
        <Field label="Name">{(id) => <input id={id} {...edit.text("name")} required maxLength={200} />}</Field>
        <fieldset>
          <legend>Roles</legend>
          <div className="choices">{roles.map((role) => <label key={role}><input type="checkbox" {...edit.choice("roles", role)} /> {words(role)}</label>)}</div>
        </fieldset>
        {tier.features.length > 0 && (
          <fieldset>
            <legend>Features</legend>
            <div className="choices">{tier.features.map(({ name }) => <label key={name}><input type="checkbox" {...edit.choice("features", name)} /> {words(name)}</label>)}</div>
          </fieldset>
        )}
      </Form>
      <p><a href={href("packages", "", { of: "tiers" })}>Close</a></p>
    </section>
  );
}
