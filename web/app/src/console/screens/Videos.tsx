import { useState } from "react";

import { clock, day, number, words } from "../format";
import { ask, useQuery } from "../graphql";
import { type ListedOrder, type ListedState, type ListedVideosQuery, ListedVideosDocument, RestoreVideoDocument, RetireVideoDocument, type VideoFilter } from "../operations";
import { Heading, Loaded, Search, Table, Time, useAction } from "../parts/parts";
import { type Route, href, refine } from "../routes";
import { useMay } from "../viewer";
import { Bulk } from "./Bulk";

interface Listed { name: string; state: ListedState; empty: string }

// The key is that of the address.
const states: Record<string, Listed> = {
  "": { name: "Live", state: "LIVE", empty: "No video is live." },
  RETIRED: { name: "Hidden", state: "HIDDEN", empty: "No video is hidden. Hide one on its page; customers then no longer find it." },
  PRIVATE: { name: "Private", state: "PRIVATE", empty: "No video is in a private channel. Content packages open private channels to chosen customers." },
  EXPIRED: { name: "Expired", state: "EXPIRED", empty: "No video has expired. Set Available until on the page of a video to end its availability." },
  INCOMPLETE: { name: "Incomplete", state: "INCOMPLETE", empty: "Every video has a subject, a description and a playback." },
  ALL: { name: "All", state: "ALL", empty: "There are no videos yet. Import some to begin." },
};
const orders: Record<ListedOrder, string> = { RELEVANCE: "Best match", RELEASED: "Newest release", UPDATED: "Last changed", TITLE: "Title" };
const facetNames = ["subject", "channel", "type", "level", "language"] as const;
const size = 50;

/** All videos, in any state. The state, the filters, the order and the page are in the address. */
export function Videos({ route }: { route: Route }) {
  const key = route.params.get("state") ?? "", text = route.params.get("text") ?? "";
  const listed = states[key] ?? states[""] as Listed;
  const page = Number(route.params.get("page") ?? 0);
  const chosen = (name: string) => route.params.get(name) ?? "";
  const filter: VideoFilter = {};
  if (chosen("subject")) filter.subjects = [chosen("subject")];
  if (chosen("channel")) filter.channels = [chosen("channel")];
  if (chosen("topic")) filter.topics = [chosen("topic")];
  if (chosen("tag")) filter.bestFor = [chosen("tag")];
  if (chosen("type")) filter.types = [chosen("type") as never];
  if (chosen("level")) filter.educationLevels = [chosen("level")];
  if (chosen("language")) filter.languages = [chosen("language")];
  const filtered = Object.keys(filter).length > 0;
  const sortBy = (chosen("sort") || (text ? "RELEVANCE" : "RELEASED")) as ListedOrder;
  const [bulk, setBulk] = useState(false);
  const list = { state: listed.state, query: text, filter }, listKey = JSON.stringify(list);
  const [selected, setSelected] = useState<{ of: string; keys: ReadonlySet<string> }>({ of: "", keys: new Set() });
  const ids = selected.of === listKey ? selected.keys : new Set<string>();
  const mayEdit = useMay("EDIT_CATALOGUE");
  const found = useQuery(ListedVideosDocument, { state: listed.state, text: text || null, filter, sortBy, page, size });
  const facets = found.data?.listedVideos.facets;
  const keyed = (buckets: Keyed[] | undefined) => buckets?.map((bucket) => ({ ...bucket, id: bucket.key, name: bucket.name ?? words(bucket.key) }));
  return (
    <>
      <Heading title="Videos">
        {found.data && <span className="quiet" role="status">{number(found.data.listedVideos.total)} videos</span>}
      </Heading>
      <div className="tools">
        <Search label="Find videos" text={text} change={(next) => refine(route, { text: next, page: "" })} />
        <nav className="tabs" aria-label="State">
          {Object.entries(states).map(([one, { name }]) => (
            <a key={one} href={href("videos", "", { ...Object.fromEntries(route.params), state: one, page: "" })} aria-current={one === key ? "page" : undefined}>{name}</a>
          ))}
        </nav>
      </div>
      <div className="tools">
        <Facet route={route} name="subject" label="Subject" buckets={facets?.subjects} />
        <Facet route={route} name="channel" label="Channel" buckets={facets?.channels} />
        <Facet route={route} name="type" label="Type" buckets={keyed(facets?.videoTypes)} />
        <Facet route={route} name="level" label="Level" buckets={keyed(facets?.educationLevels)} />
        <Facet route={route} name="language" label="Language" buckets={keyed(facets?.languages)} />
        {(["topic", "tag"] as const).map((name) => chosen(name) && (
          <button key={name} type="button" className="secondary" onClick={() => refine(route, { [name]: "", page: "" })}>{words(name)}: {name === "tag" ? chosen(name) : "chosen"} ✕</button>
        ))}
        <select aria-label="Order" value={sortBy} onChange={(event) => refine(route, { sort: event.target.value, page: "" })}>
          {Object.entries(orders).filter(([order]) => text || order !== "RELEVANCE").map(([order, name]) => <option key={order} value={order}>{name}</option>)}
        </select>
        {filtered && <button type="button" className="secondary" onClick={() => refine(route, { ...Object.fromEntries(facetNames.map((name) => [name, ""])), topic: "", tag: "", page: "" })}>Clear filters</button>}
        {found.data && mayEdit && found.data.listedVideos.total > 0 && <button type="button" className="secondary" aria-expanded={bulk} onClick={() => setBulk(!bulk)}>{ids.size > 0 ? `Change the ${number(ids.size)} selected` : "Change all"}</button>}
      </div>
      {found.data && bulk && (
        <Bulk key={listKey} selection={ids.size > 0 ? { ids: [...ids] } : { list }} from={filter.subjects?.[0]} total={ids.size || found.data.listedVideos.total}
          changed={() => { setSelected({ of: "", keys: new Set() }); found.follow(); }} />
      )}
      <Loaded result={found}>
        {({ listedVideos: result }) => (
          <>
            <VideoTable videos={result.videos} listed={listed} none={text || filtered ? none(listed, text, filtered) : listed.empty} changed={found.follow} selected={ids} select={(keys) => setSelected({ of: listKey, keys })} />
            <nav className="pages" aria-label="Pages">
              {page > 0 && <button type="button" className="secondary" onClick={() => refine(route, { page: page > 1 ? String(page - 1) : "" })}>Previous</button>}
              {page + 1 < result.totalPages && (page + 2) * size <= 10_000 && <button type="button" className="secondary" onClick={() => refine(route, { page: String(page + 1) })}>Next</button>}
              {result.totalPages > 1 && <span className="quiet">Page {number(page + 1)} of {number(result.totalPages)}{(page + 2) * size > 10_000 && ". Choose filters to see the rest"}</span>}
            </nav>
          </>
        )}
      </Loaded>
    </>
  );
}

const none = (listed: Listed, text: string, filtered: boolean) =>
  `No ${listed.state === "ALL" ? "" : `${listed.name.toLowerCase()} `}video has ${text ? `all words of “${text}”` : "these filters"}${text && filtered ? " and these filters" : ""}. Search for fewer words, or look under All.`;

interface Keyed { key: string; name: string | null; hits: number }
interface Bucket { id: string | null; name: string | null; hits: number }

function Facet({ route, name, label, buckets }: { route: Route; name: string; label: string; buckets: Bucket[] | undefined }) {
  const chosen = route.params.get(name) ?? "";
  return (
    <select aria-label={label} value={chosen} className={chosen && "chosen"} onChange={(event) => refine(route, { [name]: event.target.value, page: "" })}>
      <option value="">{label}: all</option>
      {chosen && !buckets?.some((bucket) => bucket.id === chosen) && <option value={chosen}>{label}: {words(chosen)}</option>}
      {buckets?.map((bucket) => bucket.id && <option key={bucket.id} value={bucket.id}>{bucket.name} ({number(bucket.hits)})</option>)}
    </select>
  );
}

type Row = ListedVideosQuery["listedVideos"]["videos"][number];

function VideoTable({ videos, listed, none: nothing, changed, selected, select }: {
  videos: Row[]; listed: Listed; none: string; changed: () => void; selected: ReadonlySet<string>; select: (keys: ReadonlySet<string>) => void;
}) {
  const mayEdit = useMay("EDIT_CATALOGUE");
  const act = useAction(changed);
  const restore = ({ video }: Row) => act(() => ask(RestoreVideoDocument, { id: video.id }), `“${video.title}” is visible again.`, ({ restoreVideo: { version } }) => ask(RetireVideoDocument, { id: video.id, version }));
  return (
    <Table label="Videos" rows={videos} keyOf={({ video }) => video.id} empty={nothing} selection={mayEdit ? { keys: selected, change: select, nameOf: ({ video }) => video.title } : undefined} columns={[
      { name: "Title", cell: ({ video }) => <a className="pictured" href={href("videos", video.id)}>{video.playback.thumbnail ? <img src={video.playback.thumbnail} alt="" width="64" height="36" loading="lazy" /> : <span className="picture" />}{video.title}</a> },
      ...(videos.some((row) => badgesOf(row, listed).length > 0) ? [{ name: "State", cell: (row: Row) => <span className="row">{badgesOf(row, listed).map((badge) => <span key={badge} className="badge">{badge}</span>)}</span> }] : []),
      { name: "Channel", cell: ({ video }) => video.createdBy },
      { name: "Subjects", cell: ({ video }) => video.subjects.map((subject) => subject.name).join(", ") },
      { name: "Type", cell: ({ video }) => words(video.type) },
      { name: "Length", numeric: true, cell: ({ video }) => clock(video.playback.duration) },
      { name: "Released", numeric: true, cell: ({ video }) => day(video.releasedOn) },
      { name: "Changed", numeric: true, cell: ({ video }) => <Time at={video.updatedAt} /> },
      ...(mayEdit && listed.state === "HIDDEN" ? [{ name: "Action", cell: (row: Row) => <button type="button" className="secondary" onClick={() => void restore(row)}>Show again<span className="hidden"> {row.video.title}</span></button> }] : []),
    ]} />
  );
}

/** What distinguishes a video from others of the list. */
function badgesOf(row: Row, listed: Listed): string[] {
  return [
    row.hidden && "Hidden", !row.hidden && row.expired && "Expired", row.private && "Private",
    ...(!row.hidden ? row.missing.map((field) => `No ${field === "subjects" ? "subject" : field}`) : []),
  ].filter((badge): badge is string => !!badge && badge !== listed.name);
}
