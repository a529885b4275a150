import { useState } from "react";

import { clock, day, number, words } from "../format";
import { ask, useQuery } from "../graphql";
import { type RemovedVideosQuery, RemovedVideosDocument, RestoreVideoDocument, RetireVideoDocument, type VideoFilter, VideosDocument, type VideosQuery } from "../operations";
import { CursorPages, Empty, Heading, Loaded, Search, Table, Time, useAction, useCursors } from "../parts/parts";
import { type Route, href, refine } from "../routes";
import { useMay } from "../viewer";
import { Bulk } from "./Bulk";

const states = { "": "Live", RETIRED: "Hidden", EXPIRED: "Expired" } as const;
const size = 50;

/** All videos: those that customers find, and those that were hidden or have expired. */
export function Videos({ route }: { route: Route }) {
  const state = route.params.get("state") ?? "";
  const text = route.params.get("text") ?? "";
  return (
    <>
      <Heading title="Videos" />
      <div className="tools">
        <Search label="Find videos" text={text} change={(next) => refine(route, { text: next, page: "" })} />
        <nav className="tabs" aria-label="State">
          {Object.entries(states).map(([key, name]) => (
            <a key={key} href={href("videos", "", { state: key, text })} aria-current={key === state ? "page" : undefined}>{name}</a>
          ))}
        </nav>
      </div>
      {state === "RETIRED" || state === "EXPIRED" ? <Removed key={state} text={text} state={state} /> : <Live route={route} text={text} />}
    </>
  );
}

function Live({ route, text }: { route: Route; text: string }) {
  const page = Number(route.params.get("page") ?? 0);
  const filter: VideoFilter = {};
  const chosen = (name: string) => route.params.get(name) ?? "";
  if (chosen("subject")) filter.subjects = [chosen("subject")];
  if (chosen("channel")) filter.channels = [chosen("channel")];
  if (chosen("type")) filter.types = [chosen("type") as never];
  const [bulk, setBulk] = useState(false);
  const mayEdit = useMay("EDIT_CATALOGUE");
  const found = useQuery(VideosDocument, { text, filter, sortBy: text ? "RELEVANCE" : "RELEASE_DATE", page, size });
  const facets = found.data?.searchVideos.facets;
  return (
    <>
      <div className="tools">
        <Facet route={route} name="subject" label="Subject" buckets={facets?.subjects} />
        <Facet route={route} name="channel" label="Channel" buckets={facets?.channels} />
        <Facet route={route} name="type" label="Type" buckets={facets?.videoTypes.map((bucket) => ({ ...bucket, id: bucket.key, name: words(bucket.key) }))} />
        {found.data && <p className="quiet" role="status">{number(found.data.searchVideos.total)} videos</p>}
        {found.data && mayEdit && <button type="button" className="secondary" aria-expanded={bulk} onClick={() => setBulk(!bulk)}>Change all</button>}
      </div>
      {found.data && bulk && <Bulk key={JSON.stringify(filter) + text} text={text} filter={filter} total={found.data.searchVideos.total} changed={found.reload} />}
      <Loaded result={found}>
        {({ searchVideos: result }) => (
          <>
            <VideoTable videos={result.videos} />
            <nav className="pages" aria-label="Pages">
              {page > 0 && <button type="button" className="secondary" onClick={() => refine(route, { page: page > 1 ? String(page - 1) : "" })}>Previous</button>}
              {page + 1 < result.totalPages && <button type="button" className="secondary" onClick={() => refine(route, { page: String(page + 1) })}>Next</button>}
            </nav>
          </>
        )}
      </Loaded>
    </>
  );
}

interface Bucket { id: string | null; name: string | null; hits: number }

function Facet({ route, name, label, buckets }: { route: Route; name: string; label: string; buckets: Bucket[] | undefined }) {
  const chosen = route.params.get(name) ?? "";
  return (
    <select aria-label={label} value={chosen} onChange={(event) => refine(route, { [name]: event.target.value, page: "" })}>
      <option value="">{label}: all</option>
      {chosen && !buckets?.some((bucket) => bucket.id === chosen) && <option value={chosen}>{label}</option>}
      {buckets?.map((bucket) => bucket.id && <option key={bucket.id} value={bucket.id}>{bucket.name} ({number(bucket.hits)})</option>)}
    </select>
  );
}

type LiveVideo = VideosQuery["searchVideos"]["videos"][number];

function VideoTable({ videos }: { videos: LiveVideo[] }) {
  return (
    <Table label="Videos" rows={videos} keyOf={(video) => video.id} empty={<>No video matches. Search for another text, or <a href={href("videos")}>show all</a>.</>} columns={[
      { name: "Title", cell: (video) => <a className="pictured" href={href("videos", video.id)}>{video.playback.thumbnail ? <img src={video.playback.thumbnail} alt="" width="64" height="36" loading="lazy" /> : <span className="picture" />}{video.title}</a> },
      { name: "Channel", cell: (video) => video.createdBy },
      { name: "Subjects", cell: (video) => video.subjects.map((subject) => subject.name).join(", ") },
      { name: "Type", cell: (video) => words(video.type) },
      { name: "Length", numeric: true, cell: (video) => clock(video.playback.duration) },
      { name: "Released", numeric: true, cell: (video) => day(video.releasedOn) },
      { name: "Changed", numeric: true, cell: (video) => <Time at={video.updatedAt} /> },
    ]} />
  );
}

type Removal = RemovedVideosQuery["catalogueItems"]["nodes"][number];

function Removed({ text, state }: { text: string; state: "RETIRED" | "EXPIRED" }) {
  const at = useCursors();
  const found = useQuery(RemovedVideosDocument, { text: text || null, removed: state, after: at.after });
  const mayEdit = useMay("EDIT_CATALOGUE");
  const act = useAction(found.reload);
  const restore = (video: Removal) => act(() => ask(RestoreVideoDocument, { id: video.id }), `“${titleOf(video)}” is visible again.`, () => ask(RetireVideoDocument, { id: video.id }));
  return (
    <Loaded result={found}>
      {({ catalogueItems: { nodes, pageInfo } }) => (
        <>
          {nodes.length === 0 && pageInfo.hasNextPage && <Empty>None among the videos read so far. Go on to the next page.</Empty>}
          {(nodes.length > 0 || !pageInfo.hasNextPage) && (
            <Table label={states[state]} rows={nodes} keyOf={(video) => video.id} empty={text ? "No such video has this text in its title." : `No video is ${states[state].toLowerCase()}.`} columns={[
              { name: "Title", cell: (video) => <a href={href("videos", video.id)}>{titleOf(video)}</a> },
              { name: "Changed", numeric: true, cell: (video) => <Time at={video.updatedAt} /> },
              ...(mayEdit && state === "RETIRED" ? [{ name: "Action", cell: (video: Removal) => <button type="button" className="secondary" onClick={() => void restore(video)}>Show again<span className="hidden"> {titleOf(video)}</span></button> }] : []),
            ]} />
          )}
          <CursorPages at={at} info={pageInfo} />
        </>
      )}
    </Loaded>
  );
}

const titleOf = (video: Removal) => (video.body as { title?: string }).title ?? video.id;
