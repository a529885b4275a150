import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";

import { instant, shown, words } from "../format";
import { ask, useQuery } from "../graphql";
import {
  CatalogueChangesDocument, ExplainDocument, type ItemQuery, ItemDocument, ReleaseFieldDocument, RestoreVideoDocument, RetentionDocument, RetireVideoDocument, RevertItemDocument,
  UpdateVideoDocument, VideoChoicesDocument, type VideoInput,
} from "../operations";
import { Curve } from "../parts/Chart";
import { Changes } from "../parts/changes";
import { type Named, Picker } from "../parts/Picker";
import { type Edit, useEdit } from "../parts/edit";
import { Empty, Field, Form, Heading, Loaded, useAction, useNotice } from "../parts/parts";
import { days } from "../periods";
import { href } from "../routes";
import { accessToken } from "../session";
import { useMay } from "../viewer";
import { Plays } from "./Home";

type Item = NonNullable<ItemQuery["catalogueItem"]>;
interface Body {
  title?: string; description?: string; keywords?: string[]; availableUntil?: string; retired?: boolean; channel?: string; subjects?: string[]; language?: string;
  ageRange?: { min?: number; max?: number }; playback?: { provider?: string };
}

/** One video: its texts, what imports brought, who watches it, and its history. */
export function Video({ id }: { id: string }) {
  const item = useQuery(ItemDocument, { kind: "VIDEO", id });
  const history = useQuery(CatalogueChangesDocument, { kind: "VIDEO", id, first: 30 });
  const changed = () => {
    item.reload();
    history.reload();
  };
  return (
    <Loaded result={item}>
      {({ catalogueItem: video }) => video
        ? <Details video={video} changed={changed} history={<History id={id} result={history} changed={changed} />} />
        : <><Heading title="Video" /><Empty>There is no such video. <a href={href("videos")}>All videos</a></Empty></>}
    </Loaded>
  );
}

function Details({ video, changed, history }: { video: Item; changed: () => void; history: ReactNode }) {
  const body = video.body as Body;
  const mayEdit = useMay("EDIT_CATALOGUE");
  const act = useAction(changed);
  const hide = (version?: number) => ask(RetireVideoDocument, { id: video.id, version: version ?? null }).then((done) => done.retireVideo.version);
  const show = (version?: number) => ask(RestoreVideoDocument, { id: video.id, version: version ?? null }).then((done) => done.restoreVideo.version);
  return (
    <>
      <Heading title={body.title ?? video.id}>
        {body.retired && <span className="badge">Hidden</span>}
        {mayEdit && (body.retired
          ? <button type="button" className="secondary" onClick={() => void act(() => show(), "The video is visible again.", hide)}>Show again</button>
          : <button type="button" className="secondary" onClick={() => void act(() => hide(), "The video is hidden from all customers.", show)}>Hide</button>)}
      </Heading>
      <p className="quiet">{video.source ? `From ${video.source}, where it is ${video.reference}.` : "Created here."} Changed {instant(video.updatedAt)}. Id {video.id}.</p>
      <div className="halves">
        <section className="card" aria-labelledby="texts">
          <h2 id="texts">Details</h2>
          {mayEdit ? <Texts video={video} body={body} changed={changed} /> : <dl><dt>Description</dt><dd>{body.description}</dd></dl>}
        </section>
        <section className="card" aria-labelledby="held">
          <h2 id="held">Held fields</h2>
          <Held video={video} mayEdit={mayEdit} changed={changed} />
          <h2>Preview</h2>
          <Preview id={video.id} />
          <h2>Can a customer find it?</h2>
          <Findable video={video} title={body.title ?? ""} />
        </section>
      </div>
      <Plays filter={{ videos: [video.id], sandbox: false }} />
      <Watched video={video.id} />
      <section className="card" aria-labelledby="history">
        <h2 id="history">History</h2>
        {history}
      </section>
    </>
  );
}

/** Plays the video where this user may see it, without counting that. */
function Preview({ id }: { id: string }) {
  const place = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (!open || !place.current) return;
    const player = document.createElement("filmstrip-player") as HTMLElement & { tokenProvider: () => Promise<string> };
    player.tokenProvider = accessToken;
    player.setAttribute("unreported", "");
    player.setAttribute("src", new URL(`v1/videos/${id}`, location.href).href);
    place.current.append(player);
    if (!document.querySelector("script[data-player]")) {
      const script = document.createElement("script");
      script.type = "module";
      script.src = "player/filmstrip-player.js";
      script.dataset["player"] = "";
      document.head.append(script);
    }
    return () => player.remove();
  }, [open, id]);
  return open ? <div ref={place} /> : <button type="button" className="secondary" onClick={() => setOpen(true)}>Play the video</button>;
}

/** How often each second was played in 90 days. */
function Watched({ video }: { video: string }) {
  const period = useMemo(() => days(90), []);
  const watched = useQuery(RetentionDocument, { video, ...period });
  return (
    <section className="card" aria-labelledby="watched">
      <h2 id="watched">Which parts people watch</h2>
      <Loaded result={watched}>
        {({ retention }) => retention.plays === 0 ? <Empty>Nobody played this video in the last 90 days.</Empty> : <Curve name="Plays of each second in the last 90 days" views={retention.views} />}
      </Loaded>
    </section>
  );
}

/** The fields of the form, as its controls show them. */
interface Fields { title: string; description: string; keywords: string; channel: string; subjects: string[]; language: string; availableUntil: string }

function Texts({ video, body, changed }: { video: Item; body: Body; changed: () => void }) {
  const notice = useNotice();
  const edit = useEdit<Fields>(video.version, {
    title: body.title ?? "", description: body.description ?? "", keywords: (body.keywords ?? []).map(keyword).join(", "),
    channel: body.channel ?? "", subjects: body.subjects ?? [], language: body.language ?? "", availableUntil: body.availableUntil ?? "",
  }, changed);
  const send = async () => {
    const update = (version: number, input: VideoInput) => ask(UpdateVideoDocument, { id: video.id, version, input });
    const { updateVideo: { version }, before } = await edit.save(async ({ keywords, subjects, ...texts }) => {
      const input: VideoInput = {
        ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.trim() || null])), ...(subjects && { subjects }), ...(keywords !== undefined && { keywords: keywordsIn(keywords) }),
      };
      const before: VideoInput = Object.fromEntries(Object.keys(input).map((field) => [field, (body as Record<string, unknown>)[field] ?? null]));
      return { ...await update(video.version, input), before };
    });
    notice({ text: "Saved. Imports keep your values.", undo: () => update(version, before).then(changed) });
    changed();
  };
  return (
    <Form label="Texts" submit="Save" send={send} edit={edit}>
      <Field label="Title">{(id) => <input id={id} {...edit.text("title")} required maxLength={500} />}</Field>
      <Field label="Description">{(id) => <textarea id={id} {...edit.text("description")} rows={6} />}</Field>
      <Field label="Keywords" hint="Separated by commas.">{(id) => <input id={id} {...edit.text("keywords")} />}</Field>
      <Choices body={body} edit={edit} />
      <Field label="Language" hint="Its code, such as eng.">{(id) => <input id={id} {...edit.text("language")} maxLength={3} />}</Field>
      <Field label="Available until" hint="The last day; empty for no end.">{(id) => <input id={id} {...edit.text("availableUntil")} type="date" />}</Field>
    </Form>
  );
}

// A keyword with a comma is in quotes, as in CSV.
const keyword = (word: string) => /^"|,/.test(word) ? `"${word.replaceAll("\"", "\"\"")}"` : word;
const keywordsIn = (text: string) => [...text.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/g)]
  .map(([, quoted, bare = ""]) => quoted === undefined ? bare.trim() : quoted.replaceAll("\"\"", "\"").trim()).filter(Boolean);

/** The channel and the subjects by their names. */
function Choices({ body, edit }: { body: Body; edit: Edit<Fields> }) {
  const choices = useQuery(VideoChoicesDocument, {});
  const mine = (one: { id: string }) => body.subjects?.includes(one.id) ?? false; // the first, as the list scrolls
  return (
    <Loaded result={choices}>
      {({ subjects, channels }) => (
        <>
          <Field label="Channel">{(id) => (
            <select id={id} {...edit.text("channel")} required>
              {!channels.channels.some((one) => one.id === body.channel) && <option>{body.channel}</option>}
              {channels.channels.map((one) => <option key={one.id} value={one.id}>{one.name}</option>)}
            </select>
          )}</Field>
          <fieldset className="choices">
            <legend>Subjects</legend>
            {[...subjects.filter(mine), ...subjects.filter((one) => !mine(one))].map((one) => <label key={one.id}><input type="checkbox" {...edit.choice("subjects", one.id)} /> {one.name}</label>)}
          </fieldset>
        </>
      )}
    </Loaded>
  );
}

function Held({ video, mayEdit, changed }: { video: Item; mayEdit: boolean; changed: () => void }) {
  const act = useAction(changed);
  const release = (field: string, value: "STORED" | "IMPORTED") => act(
    () => ask(ReleaseFieldDocument, { kind: "VIDEO", id: video.id, fields: [field], value }), `Imports change ${words(field).toLowerCase()} again.`);
  if (video.held.length === 0) return <Empty>Imports may change every field. A field that you change here is held: imports leave it alone.</Empty>;
  return (
    <ul className="plain">
      {video.held.map(({ field, imported }) => (
        <li key={field}>
          <strong>{words(field)}</strong> {imported === null || imported === undefined ? "is held." : <>is held; the last import brought <q>{shown(imported)}</q>.</>}
          {mayEdit && <> <button type="button" className="secondary" onClick={() => void release(field, "STORED")}>Release<span className="hidden"> {words(field)}</span></button></>}
          {mayEdit && imported !== null && imported !== undefined && <> <button type="button" className="secondary" onClick={() => void release(field, "IMPORTED")}>Take the import's value<span className="hidden"> of {words(field)}</span></button></>}
        </li>
      ))}
    </ul>
  );
}

/** Says whether an account finds the video by its title, and if not, why. */
function Findable({ video, title }: { video: Item; title: string }) {
  const mayView = useMay("VIEW_CUSTOMERS");
  const [chosen, setChosen] = useState<Named>();
  if (!mayView) return <Empty>Your role does not see customers.</Empty>;
  if (!chosen) return <Picker label="Find a customer" kind="ACCOUNT" pick={setChosen} />;
  return (
    <>
      <Found by={chosen} video={video.id} title={title} />
      <button type="button" className="secondary" onClick={() => setChosen(undefined)}>Choose another customer</button>
    </>
  );
}

function Found({ by, video, title }: { by: Named; video: string; title: string }) {
  return (
    <Loaded result={useQuery(ExplainDocument, { query: title, video, account: by.id })}>
      {({ explainSearch: { video: found } }) => (
        <p role="status">
          <a href={href("customers", by.id)}>{by.name}</a>
          {found && found.missing.length === 0 ? ` finds it${found.place ? `, at place ${found.place} for its title` : ""}.`
            : ` cannot find it: ${found?.missing.map((reason) => reasons[reason] ?? words(reason)).join("; ")}.`}
        </p>
      )}
    </Loaded>
  );
}

const reasons: Record<string, string> = {
  NO_ACCESS: "the customer is suspended, its access has ended, or its tier or content package does not let it search",
  NOT_INDEXED: "the search index does not have the video yet",
  NOT_VISIBLE: "the video is hidden, has expired, belongs to a private channel, or the content package excludes it",
};

function History({ id, result, changed }: { id: string; result: ReturnType<typeof useQuery<import("../operations").CatalogueChangesQuery, unknown>>; changed: () => void }) {
  const mayEdit = useMay("EDIT_CATALOGUE");
  const act = useAction(changed);
  const revert = (number: number) => act(() => ask(RevertItemDocument, { kind: "VIDEO", id, number }), "The video has the values from before that change.");
  return (
    <Loaded result={result}>
      {({ catalogueAuditLog: { nodes } }) => nodes.length === 0 ? <Empty>Nobody has changed this video.</Empty> : (
        <Changes entries={nodes} head={(entry) => entry.before === null ? "added" : "changed"} tail={(entry) => mayEdit && entry.before !== null && entry.after !== null
          ? <button type="button" className="secondary" onClick={() => void revert(entry.number)}>Restore the values before<span className="hidden"> change {entry.number}</span></button> : null} />
      )}
    </Loaded>
  );
}
