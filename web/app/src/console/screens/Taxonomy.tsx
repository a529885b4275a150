import { useState } from "react";

import { number } from "../format";
import { type Failure, ask, useQuery } from "../graphql";
import {
  type CatalogueKind, CreateChannelDocument, CreateDisciplineDocument, CreateSubjectDocument, CreateTagDocument, CreateTopicDocument, DeleteChannelDocument, DeleteDisciplineDocument,
  DeleteEducationLevelDocument, DeleteSubjectDocument, DeleteTagDocument, DeleteTopicDocument, ItemDocument, LastChangeDocument, MergeItemsDocument, PutEducationLevelDocument, RevertItemDocument,
  SubjectsDocument, TaxonomyDocument, type TaxonomyQuery, UpdateChannelDocument, UpdateDisciplineDocument, UpdateSubjectDocument, UpdateTagDocument, UpdateTopicDocument, VideoCountsDocument,
} from "../operations";
import { nameOf, type Named, Picker } from "../parts/Picker";
import { type Edit, useEdit } from "../parts/edit";
import { CursorPages, Empty, Field, Form, Heading, Loaded, Refusal, Search, Table, Time, useAction, useCursors, useNotice } from "../parts/parts";
import { type Route, go, href, refine } from "../routes";
import { useMay } from "../viewer";

type Fields = Record<string, unknown>;
interface Kind {
  name: string; one: string;
  /** The fields of the form besides the name: the name of the field, and its label. */
  code?: boolean; subjects?: boolean; access?: boolean;
  /** The field of the name in inputs, and the filter of the list of videos. */
  named: "name" | "label"; filter?: "subject" | "channel" | "topic" | "tag" | "level";
  merges: boolean; about: string;
  create: (input: Fields) => Promise<unknown>; update: (id: string, version: number, input: Fields) => Promise<number>; remove: (id: string) => Promise<unknown>;
}

const kinds: Partial<Record<CatalogueKind, Kind>> = {
  SUBJECT: {
    name: "Subjects", one: "subject", named: "name", filter: "subject", merges: true, about: "Subjects say what a video teaches. Customers filter by them, and content packages open them.",
    create: (input) => ask(CreateSubjectDocument, { input: input as never }), update: (id, version, input) => ask(UpdateSubjectDocument, { id, version, input: input as never }).then((done) => done.updateSubject.version), remove: (id) => ask(DeleteSubjectDocument, { id }),
  },
  DISCIPLINE: {
    name: "Disciplines", one: "discipline", named: "name", code: true, subjects: true, merges: false, about: "Disciplines group subjects. The number of videos is that of all their subjects.",
    create: (input) => ask(CreateDisciplineDocument, { input: input as never }), update: (id, version, input) => ask(UpdateDisciplineDocument, { id, version, input: input as never }).then((done) => done.updateDiscipline.version), remove: (id) => ask(DeleteDisciplineDocument, { id }),
  },
  TOPIC: {
    name: "Topics", one: "topic", named: "name", filter: "topic", merges: true, about: "Topics are finer than subjects.",
    create: (input) => ask(CreateTopicDocument, { input: input as never }), update: (id, version, input) => ask(UpdateTopicDocument, { id, version, input: input as never }).then((done) => done.updateTopic.version), remove: (id) => ask(DeleteTopicDocument, { id }),
  },
  TAG: {
    name: "Tags", one: "tag", named: "label", filter: "tag", merges: true, about: "Tags say what a video is best for.",
    create: (input) => ask(CreateTagDocument, { input: input as never }), update: (id, version, input) => ask(UpdateTagDocument, { id, version, input: input as never }).then((done) => done.updateTag.version), remove: (id) => ask(DeleteTagDocument, { id }),
  },
  EDUCATION_LEVEL: {
    name: "Education levels", one: "education level", named: "label", code: true, filter: "level", merges: false, about: "Education levels have codes, which never change.",
    create: (input) => ask(PutEducationLevelDocument, { input: input as never }), update: (_, version, input) => ask(PutEducationLevelDocument, { version, input: input as never }).then((done) => done.putEducationLevel.version), remove: (id) => ask(DeleteEducationLevelDocument, { id }),
  },
  CHANNEL: {
    name: "Channels", one: "channel", named: "name", access: true, filter: "channel", merges: true, about: "Channels are the producers of videos. Videos of a private channel are visible only to customers whose content package opens it.",
    create: (input) => ask(CreateChannelDocument, { input: { ...input, ingestType: "MANUAL" } as never }), update: (id, version, input) => ask(UpdateChannelDocument, { id, version, input: input as never }).then((done) => done.updateChannel.version), remove: (id) => ask(DeleteChannelDocument, { id }),
  },
};

type Item = TaxonomyQuery["catalogueItems"]["nodes"][number];
const byName = (a: Item, b: Item) => nameOf(a.body).localeCompare(nameOf(b.body), "en");
interface Body { name?: string; label?: string; code?: string; subjects?: string[]; private?: boolean }
const bodyOf = (item: { body: unknown }) => item.body as Body;

/** What describes videos, a tab for each kind. */
export function Taxonomy({ route }: { route: Route }) {
  const key = (route.params.get("kind") ?? "SUBJECT") as CatalogueKind, chosen = route.params.get("item") ?? "", text = route.params.get("text") ?? "";
  const kind = kinds[key] ?? kinds.SUBJECT as Kind;
  const at = useCursors();
  const list = useQuery(TaxonomyDocument, { kind: key, text: text || null, after: at.after });
  const counts = useQuery(VideoCountsDocument, { kind: key });
  const close = href("taxonomy", "", { kind: key, text, after: at.address });
  const mayEdit = useMay("EDIT_CATALOGUE");
  const changed = () => {
    list.reload();
    counts.follow();
  };
  const videos = (id: string) => counts.data?.videoCounts.find((count) => count.id === id)?.videos ?? 0;
  const filterOf = (item: Item) => kind.filter && { [kind.filter]: kind.filter === "tag" ? bodyOf(item).label : kind.filter === "level" ? bodyOf(item).code : item.id, state: "ALL" };
  return (
    <>
      <Heading title="Taxonomy">
        {mayEdit && <a className="button" href={href("taxonomy", "", { kind: key, item: "new" })}>New {kind.one}</a>}
      </Heading>
      <nav className="tabs" aria-label="Kind">
        {Object.entries(kinds).map(([one, { name }]) => <a key={one} href={href("taxonomy", "", { kind: one })} aria-current={one === key ? "page" : undefined}>{name}</a>)}
      </nav>
      <p className="quiet">{kind.about}</p>
      {chosen === "new" && mayEdit && <New kind={kind} close={close} changed={changed} />}
      {chosen && chosen !== "new" && <Edit key={chosen} kind={kind} of={key} id={chosen} videos={videos(chosen)} close={close} changed={changed} />}
      <div className="tools">
        <Search label={`Find ${kind.name.toLowerCase()}`} text={text} change={(next) => refine(route, { text: next, after: "" })} />
        {list.data?.catalogueItems.total !== null && list.data && <p className="quiet" role="status">{number(list.data.catalogueItems.total)} {list.data.catalogueItems.total === 1 ? kind.one : kind.name.toLowerCase()}</p>}
      </div>
      <Loaded result={list}>
        {({ catalogueItems: { nodes, pageInfo } }) => (
          <>
            <Table label={kind.name} rows={pageInfo.hasNextPage || !at.first ? nodes : nodes.toSorted(byName)} keyOf={(item) => item.id} empty={text ? `No ${kind.one} has all words of “${text}”.` : `There are no ${kind.name.toLowerCase()} yet. ${mayEdit ? `Choose New ${kind.one}, or import some, to begin.` : ""}`} columns={[
              { name: "Name", cell: (item) => mayEdit ? <a href={href("taxonomy", "", { kind: key, item: item.id, text, after: at.address })} aria-current={item.id === chosen ? "true" : undefined}>{nameOf(item.body)}</a> : nameOf(item.body) },
              ...(kind.code ? [{ name: "Code", cell: (item: Item) => bodyOf(item).code }] : []),
              ...(kind.access ? [{ name: "Access", cell: (item: Item) => bodyOf(item).private ? <span className="badge">Private</span> : "" }] : []),
              { name: "Source", cell: (item) => item.source },
              { name: "Videos", numeric: true, cell: (item) => counts.data && (kind.filter && videos(item.id) > 0 ? <a href={href("videos", "", filterOf(item))}>{number(videos(item.id))}<span className="hidden"> videos of {nameOf(item.body)}</span></a> : number(videos(item.id))) },
              { name: "Changed", numeric: true, cell: (item) => <Time at={item.updatedAt} /> },
            ]} />
            <CursorPages at={at} info={pageInfo} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** The fields of the form; each kind has some of them. */
interface Texts { name: string; code: string; private: boolean; subjects: string[] }
const textsOf = (body: Body): Texts => ({ name: nameOf(body), code: body.code ?? "", private: body.private ?? false, subjects: body.subjects ?? [] });

function NameFields({ kind, edit }: { kind: Kind; edit: Edit<Texts> }) {
  const subjects = useQuery(SubjectsDocument, kind.subjects ? {} : undefined);
  return (
    <>
      <Field label="Name">{(id) => <input id={id} {...edit.text("name")} required maxLength={200} />}</Field>
      {kind.code && <Field label="Code" hint={kind.named === "label" && edit.exists ? "The code identifies the level and cannot change." : undefined}>{(id) => <input id={id} {...edit.text("code")} required maxLength={100} readOnly={kind.named === "label" && edit.exists} />}</Field>}
      {kind.access && <label><input type="checkbox" {...edit.check("private")} /> Private: only content packages open it</label>}
      {kind.subjects && (
        <fieldset>
          <legend>Subjects</legend>
          <div className="choices">{subjects.data?.subjects.map((subject) => <label key={subject.id}><input type="checkbox" {...edit.choice("subjects", subject.id)} /> {subject.name}</label>)}</div>
        </fieldset>
      )}
    </>
  );
}

const inputOf = (kind: Kind, { name, code, subjects, ...access }: Partial<Texts>): Fields => ({
  ...(name !== undefined && { [kind.named]: name.trim() }), ...(kind.code && code !== undefined && { code: code.trim() }), ...(kind.access && access), ...(kind.subjects && subjects && { subjects }),
});

function New({ kind, close, changed }: { kind: Kind; close: string; changed: () => void }) {
  const notice = useNotice();
  const edit = useEdit(0, textsOf({}));
  const send = async () => {
    await edit.save(() => kind.create(inputOf(kind, edit.fields)));
    notice({ text: `The ${kind.one} “${edit.fields.name}” exists now.` });
    changed();
    go(close);
  };
  return (
    <section className="card" aria-labelledby="new">
      <h2 id="new">New {kind.one}</h2>
      <Form label={`New ${kind.one}`} submit="Create" send={send} edit={edit}><NameFields kind={kind} edit={edit} /></Form>
      <p><a href={close}>Close</a></p>
    </section>
  );
}

function Edit({ kind, of, id, videos, close, changed }: { kind: Kind; of: CatalogueKind; id: string; videos: number; close: string; changed: () => void }) {
  const item = useQuery(ItemDocument, { kind: of, id });
  const mayEdit = useMay("EDIT_CATALOGUE");
  const act = useAction(changed);
  return (
    <Loaded result={item}>
      {({ catalogueItem: found }) => {
        if (!found || !mayEdit) return <section className="card"><Empty>There is no such {kind.one}. <a href={close}>Close</a></Empty></section>;
        const name = nameOf(found.body);
        const remove = async () => {
          await act(() => kind.remove(id), `“${name}” is deleted.`, async () => {
            const { catalogueAuditLog } = await ask(LastChangeDocument, { kind: of, id });
            await ask(RevertItemDocument, { kind: of, id, number: catalogueAuditLog.nodes[0]?.number ?? 0 });
          });
          go(close);
        };
        return (
          <section className="card" aria-labelledby="item">
            <h2 id="item">{name}</h2>
            <div className="halves">
              <Rename kind={kind} item={found} changed={() => { item.reload(); changed(); }} />
              <div>
                {kind.merges && <Merge kind={kind} of={of} from={{ id, name }} videos={videos} done={() => { changed(); go(close); }} />}
                <h3>Delete</h3>
                {videos > 0 && kind.filter
                  ? <p className="quiet">{number(videos)} {videos === 1 ? "video refers" : "videos refer"} to it. {kind.merges ? "Merge it into another one instead." : "Change them first."}</p>
                  : <p><button type="button" className="secondary" onClick={() => void remove()}>Delete<span className="hidden"> {name}</span></button></p>}
              </div>
            </div>
            <p><a href={close}>Close</a></p>
          </section>
        );
      }}
    </Loaded>
  );
}

function Rename({ kind, item, changed }: { kind: Kind; item: { id: string; version: number; body: unknown }; changed: () => void }) {
  const notice = useNotice();
  const before = textsOf(bodyOf(item));
  const edit = useEdit(item.version, before, changed);
  // An education level is put as a whole.
  const some = (texts: Partial<Texts>, whole: Texts) => inputOf(kind, kind === kinds.EDUCATION_LEVEL ? whole : texts);
  const send = async () => {
    const old = Object.fromEntries(edit.changed.map((field) => [field, before[field]]));
    const version = await edit.save((changes) => kind.update(item.id, item.version, some(changes, edit.fields)));
    notice({ text: `Saved. Imports keep your values.`, undo: () => kind.update(item.id, version, some(old, before)).then(changed) });
    changed();
  };
  return <Form label={nameOf(item.body)} submit="Save" send={send} edit={edit}><NameFields kind={kind} edit={edit} /></Form>;
}

/** Merges a record into another one, which cannot be undone, so it asks first. */
function Merge({ kind, of, from, videos, done }: { kind: Kind; of: CatalogueKind; from: Named; videos: number; done: () => void }) {
  const [into, setInto] = useState<Named>();
  const [moved, setMoved] = useState<number>();
  const [failure, setFailure] = useState<Failure>();
  const notice = useNotice();
  const run = async () => {
    if (!into) return;
    setFailure(undefined);
    try {
      for (let sum = 0, complete = false; !complete;) {
        const { mergeItems } = await ask(MergeItemsDocument, { kind: of, from: from.id, into: into.id });
        sum += mergeItems.changed;
        complete = mergeItems.done;
        setMoved(sum);
      }
      notice({ text: `“${from.name}” is merged into “${into.name}”.` });
      done();
    } catch (refused) {
      setFailure(refused as Failure);
      setMoved(undefined);
    }
  };
  return (
    <>
      <h3>Merge into another {kind.one}</h3>
      {!into ? <Picker label={`Find the other ${kind.one}`} kind={of} without={[from.id]} pick={setInto} /> : (
        <div role="alert">
          <p>{number(videos)} {videos === 1 ? "video gets" : "videos get"} “{into.name}” instead of “{from.name}”, and “{from.name}” is deleted. This cannot be undone.</p>
          {moved !== undefined ? <p role="status"><label>{number(moved)} changed <progress value={moved} max={Math.max(videos, moved)} /></label></p> : (
            <p className="row">
              <button type="button" className="danger" onClick={() => void run()}>Merge into {into.name}</button>
              <button type="button" className="secondary" onClick={() => setInto(undefined)}>Do not merge</button>
            </p>
          )}
          {failure && <><Refusal failure={failure} /><p>Nothing is lost. Merge again to go on.</p></>}
        </div>
      )}
    </>
  );
}
