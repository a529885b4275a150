import { useRef, useState } from "react";

import { number } from "../format";
import { ask, useQuery } from "../graphql";
import { FoundVideosDocument, ItemDocument, type ListedState, SubjectsDocument, UpdateVideoDocument, type VideoFilter } from "../operations";
import { Field, Loaded, useNotice } from "../parts/parts";

interface Move { from: string; to: string }
interface Progress { done: number; total: number; cancelled: boolean }
type Before = Map<string, string[]>;

// The server answers this many requests of a bulk change at a time, so that searches of others do not wait.
const atATime = 6;
const pageSize = 100;

/** Changes the subjects of all videos that a search finds. The page does the work, so it must stay open. */
export function Bulk({ state, text, filter, total, changed }: { state: ListedState; text: string; filter: VideoFilter; total: number; changed: () => void }) {
  const subjects = useQuery(SubjectsDocument, {});
  const [move, setMove] = useState<Move>({ from: filter.subjects?.[0] ?? "", to: "" });
  const [progress, setProgress] = useState<Progress>();
  const cancelled = useRef(false);
  const notice = useNotice();
  const report = (done: number, of: number) => setProgress({ done, total: of, cancelled: cancelled.current });

  const undo = async (before: Before) => {
    cancelled.current = false;
    await inParallel([...before], ([id, list]) => ask(UpdateVideoDocument, { id, version: null, input: { subjects: list } }), report, cancelled);
    setProgress(undefined);
    changed();
  };
  const run = async () => {
    cancelled.current = false;
    report(0, total);
    const before: Before = new Map();
    let failure = "";
    try {
      const ids = await idsOf(state, text, filter);
      await inParallel(ids, async (id) => {
        const list = await moved(id, move);
        if (list) before.set(id, list);
      }, report, cancelled);
    } catch (refused) {
      failure = ` Then it stopped: ${(refused as Error).message}`;
    }
    setProgress(undefined);
    notice({ text: `${number(before.size)} videos have changed.${cancelled.current ? " The rest was cancelled." : failure}`, ...(before.size > 0 && { undo: () => undo(before) }) });
    changed();
  };
  if (progress) {
    return (
      <div className="card" role="status">
        <label>{number(progress.done)} of {number(progress.total)} videos <progress value={progress.done} max={progress.total} /></label>{" "}
        <button type="button" className="secondary" onClick={() => { cancelled.current = true; }}>Cancel</button>
      </div>
    );
  }
  return (
    <Loaded result={subjects}>
      {({ subjects: list }) => (
        <form className="card" aria-label="Change all" onSubmit={(event) => { event.preventDefault(); void run(); }}>
          <Field label="Take away the subject">{(id) => (
            <select id={id} value={move.from} onChange={(event) => setMove({ ...move, from: event.target.value })}>
              <option value="">None</option>
              {list.map((subject) => <option key={subject.id} value={subject.id}>{subject.name}</option>)}
            </select>
          )}</Field>
          <Field label="Give the subject">{(id) => (
            <select id={id} value={move.to} onChange={(event) => setMove({ ...move, to: event.target.value })}>
              <option value="">None</option>
              {list.map((subject) => <option key={subject.id} value={subject.id}>{subject.name}</option>)}
            </select>
          )}</Field>
          <div><button type="submit" disabled={move.from === move.to}>Change {number(total)} videos</button></div>
        </form>
      )}
    </Loaded>
  );
}

/** Returns the ids of the first 10,000 videos that a search finds. */
async function idsOf(state: ListedState, text: string, filter: VideoFilter): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 0; page < 10_000 / pageSize; page++) {
    const { listedVideos } = await ask(FoundVideosDocument, { state, text, filter, page, size: pageSize });
    ids.push(...listedVideos.videos.map(({ video }) => video.id));
    if (page + 1 >= listedVideos.totalPages) break;
  }
  return ids;
}

/** Moves a video, and returns the subjects that it had, or undefined if nothing had to change. */
async function moved(id: string, { from, to }: Move): Promise<string[] | undefined> {
  const { catalogueItem } = await ask(ItemDocument, { kind: "VIDEO", id });
  const before = (catalogueItem?.body as { subjects?: string[] } | undefined)?.subjects ?? [];
  const after = [...before.filter((subject) => subject !== from && subject !== to), ...(to ? [to] : [])];
  if (!catalogueItem || after.toSorted().join() === before.toSorted().join()) return undefined;
  await ask(UpdateVideoDocument, { id, version: catalogueItem.version, input: { subjects: after } });
  return before;
}

/** Does the same for each element, some at a time, until it is cancelled. It throws the first failure. */
async function inParallel<T>(list: T[], work: (one: T) => Promise<unknown>, report: (done: number, total: number) => void, stop: { current: boolean }): Promise<void> {
  let next = 0, done = 0, failed = false;
  const worker = async () => {
    while (next < list.length && !stop.current && !failed) {
      try {
        await work(list[next++] as T);
      } catch (failure) {
        failed = true;
        throw failure;
      }
      report(++done, list.length);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: atATime }, worker));
  for (const one of ended) if (one.status === "rejected") throw one.reason;
}
