import { clock, number, words } from "../format";
import { ask, useQuery } from "../graphql";
import {
  AddToCollectionDocument, CollectionDocument, type CollectionQuery, type CollectionsQuery, CollectionsDocument, CreateCollectionDocument, DeleteCollectionDocument, type UpdateCollectionInput,
  UpdateCollectionDocument,
} from "../operations";
import { Picker } from "../parts/Picker";
import { useEdit } from "../parts/edit";
import { Empty, Field, Form, Heading, Loaded, Search, Table, Time, useAction, useNotice, valueOf } from "../parts/parts";
import { type Route, go, href, refine } from "../routes";
import { useMay, useViewer } from "../viewer";

type Row = CollectionsQuery["collections"]["collections"][number];
type One = NonNullable<CollectionQuery["collection"]>;
type Asset = One["assets"][number];

const size = 50;
const shows: Record<string, string> = { "": "All", promoted: "Promoted", open: "Discoverable" };

/** The collections of the operator and of all users. */
export function Collections({ route }: { route: Route }) {
  const text = route.params.get("text") ?? "", show = route.params.get("show") ?? "", page = Number(route.params.get("page") ?? 0);
  const sort = route.params.get("sort") === "TITLE" ? "TITLE" : "UPDATED_AT";
  const list = useQuery(CollectionsDocument, {
    filter: { query: text || null, partialTitleMatch: true, ...(show === "open" ? { discoverable: true } : { ignoreDiscoverable: true }), promoted: show === "promoted" ? true : null },
    sortBy: [sort], page,
  });
  const mayCreate = useMay("INSERT_COLLECTIONS") && !!useViewer().user;
  return (
    <>
      <Heading title="Collections">{list.data && <span className="quiet" role="status">{number(list.data.collections.total)} collections</span>}</Heading>
      <div className="tools">
        <Search label="Find collections by title or description" text={text} change={(next) => refine(route, { text: next, page: "" })} />
        <nav className="tabs" aria-label="Shown">
          {Object.entries(shows).map(([key, name]) => <a key={key} href={href("collections", "", { ...Object.fromEntries(route.params), show: key, page: "" })} aria-current={key === show ? "page" : undefined}>{name}</a>)}
        </nav>
        <select aria-label="Order" value={sort} onChange={(event) => refine(route, { sort: event.target.value, page: "" })}>
          <option value="UPDATED_AT">Last changed</option>
          <option value="TITLE">Title</option>
        </select>
      </div>
      {mayCreate && <New />}
      <Loaded result={list}>
        {({ collections: { collections, total } }) => (
          <>
            <Table label="Collections" rows={collections} keyOf={(one) => one.id} empty={text || show ? "No collection matches. Search for another text, or look under All." : "There are no collections yet. Teachers make them in your customers' programs; make your own with New collection."} columns={[
              { name: "Title", cell: (one) => <a href={href("collections", one.id)}>{one.title}</a> },
              { name: "Owner", cell: (one) => one.createdBy === "Service" ? "Yours" : one.ownerName || "unknown" },
              { name: "State", cell: (one) => <span className="row">{one.promoted && <span className="badge good">Promoted</span>}{!one.discoverable && <span className="badge">Private</span>}</span> },
              { name: "Videos", numeric: true, cell: (one) => number(countOf(one)) },
              { name: "Changed", numeric: true, cell: (one) => <Time at={one.updatedAt} /> },
            ]} />
            <nav className="pages" aria-label="Pages">
              {page > 0 && <button type="button" className="secondary" onClick={() => refine(route, { page: page > 1 ? String(page - 1) : "" })}>Previous</button>}
              {(page + 1) * size < total && <button type="button" className="secondary" onClick={() => refine(route, { page: String(page + 1) })}>Next</button>}
            </nav>
          </>
        )}
      </Loaded>
    </>
  );
}

const countOf = (one: Row) => (one.references as string[]).length;

function New() {
  const send = async (data: FormData) => {
    const { createCollection } = await ask(CreateCollectionDocument, { input: { title: valueOf(data, "title") ?? "", discoverable: false } });
    go(href("collections", createCollection.id));
  };
  return (
    <details>
      <summary>New collection</summary>
      <Form label="New collection" submit="Create" send={send}>
        <Field label="Title" hint="The collection is yours, and private until you make it discoverable.">{(id) => <input id={id} name="title" required maxLength={200} />}</Field>
      </Form>
    </details>
  );
}

/** One collection: its texts, its videos in their order, and whether customers find it. */
export function Collection({ id }: { id: string }) {
  const found = useQuery(CollectionDocument, { id });
  return (
    <Loaded result={found}>
      {({ collection }) => collection
        ? <Details one={collection} changed={found.reload} />
        : <><Heading title="Collection" /><Empty>There is no such collection. <a href={href("collections")}>All collections</a></Empty></>}
    </Loaded>
  );
}

const inputOf = (assets: readonly Asset[]) => assets.map(({ id, segment, note }) => ({ videoId: id.videoId, highlightId: id.highlightId, segment, note }));

function Details({ one, changed }: { one: One; changed: () => void }) {
  const mayEdit = useMay("UPDATE_COLLECTIONS"), mayPromote = useMay("EDIT_CATALOGUE") && mayEdit;
  const notice = useNotice();
  const act = useAction(changed);
  const edit = useEdit(one.updatedAt, { title: one.title, description: one.description ?? "" }, changed);
  const set = (input: UpdateCollectionInput, lastUpdatedAt: string | null) => ask(UpdateCollectionDocument, { id: one.id, lastUpdatedAt, input }).then((done) => done.updateCollection.updatedAt);
  const toggle = (input: UpdateCollectionInput, text: string, before: UpdateCollectionInput) => act(() => set(input, null), text, (at) => set(before, at));
  const put = (assets: readonly Asset[], text: string) => act(() => set({ assets: inputOf(assets) }, one.updatedAt), text, (at) => set({ assets: inputOf(one.assets) }, at));
  const move = (from: number, by: number) => {
    const moved = one.assets.toSpliced(from, 1).toSpliced(from + by, 0, one.assets[from] as Asset);
    return put(moved, `“${one.assets[from]?.video.title}” is at place ${from + by + 1}.`);
  };
  const save = async () => {
    const at = await edit.save((changes) => set(changes, one.updatedAt));
    notice({ text: "Saved.", undo: () => set({ title: one.title, description: one.description }, at).then(changed) });
    changed();
  };
  return (
    <>
      <Heading title={one.title}>
        {one.promoted && <span className="badge good">Promoted</span>}
        {!one.discoverable && <span className="badge">Private</span>}
        {mayPromote && <button type="button" className="secondary" onClick={() => void toggle({ promoted: !one.promoted }, one.promoted ? "The collection is no longer promoted." : "The collection is promoted.", { promoted: one.promoted })}>{one.promoted ? "Stop promoting" : "Promote"}</button>}
        {mayEdit && <button type="button" className="secondary" onClick={() => void toggle({ discoverable: !one.discoverable }, one.discoverable ? "Only its owner finds the collection now." : "Customers find the collection now.", { discoverable: one.discoverable })}>{one.discoverable ? "Make private" : "Make discoverable"}</button>}
      </Heading>
      <p className="quiet">{one.createdBy === "Service" ? "Your own collection." : `Of ${one.ownerName || "a user"}.`} {words(one.permissions.anyone)} for others. Id {one.id}.</p>
      <section className="card" aria-labelledby="videos">
        <h2 id="videos">{number(one.assets.length)} {one.assets.length === 1 ? "video" : "videos"}</h2>
        <Table label="Videos of the collection" rows={one.assets.map((asset, i) => ({ ...asset, i }))} keyOf={(asset) => asset.id.videoId + (asset.id.highlightId ?? "")} empty={mayEdit ? "The collection is empty. Find a video below to add it." : "The collection is empty."} columns={[
          { name: "Title", cell: ({ video, note }) => <><a className="pictured" href={href("videos", video.id)}>{video.playback.thumbnail ? <img src={video.playback.thumbnail} alt="" width="64" height="36" loading="lazy" /> : <span className="picture" />}{video.title}</a>{note && <small>{note}</small>}</> },
          { name: "Channel", cell: ({ video }) => video.createdBy },
          { name: "Length", numeric: true, cell: ({ video }) => clock(video.playback.duration) },
          ...(mayEdit ? [{
            name: "Order", cell: ({ video, i }: Asset & { i: number }) => (
              <span className="row">
                <button type="button" className="secondary" disabled={i === 0} aria-label={`Move ${video.title} up`} onClick={() => void move(i, -1)}>↑</button>
                <button type="button" className="secondary" disabled={i === one.assets.length - 1} aria-label={`Move ${video.title} down`} onClick={() => void move(i, 1)}>↓</button>
                <button type="button" className="secondary" onClick={() => void put(one.assets.toSpliced(i, 1), `“${video.title}” is removed.`)}>Remove<span className="hidden"> {video.title}</span></button>
              </span>
            ),
          }] : []),
        ]} />
        {mayEdit && (
          <>
            <h3>Add a video</h3>
            <Picker label="Find a video to add" kind="VIDEO" without={one.assets.map((asset) => asset.id.videoId)} pick={(video) => void act(() => ask(AddToCollectionDocument, { id: one.id, video: video.id }), `“${video.name}” is added.`, ({ addToCollection: { updatedAt } }) => set({ assets: inputOf(one.assets) }, updatedAt))} />
          </>
        )}
      </section>
      {mayEdit && (
        <section className="card" aria-labelledby="texts">
          <h2 id="texts">Texts</h2>
          <Form label="Texts" submit="Save" send={save} edit={edit}>
            <Field label="Title">{(id) => <input id={id} {...edit.text("title")} required maxLength={200} />}</Field>
            <Field label="Description">{(id) => <textarea id={id} {...edit.text("description")} rows={3} />}</Field>
          </Form>
          <details>
            <summary>Delete the collection</summary>
            <p>Its owner and everyone who saved it lose it. This cannot be undone.</p>
            <button type="button" className="danger" onClick={() => void ask(DeleteCollectionDocument, { id: one.id }).then(() => { notice({ text: `“${one.title}” is deleted.` }); go(href("collections")); }, (failure: Error) => notice({ text: failure.message }))}>Delete {one.title}</button>
          </details>
        </section>
      )}
    </>
  );
}
