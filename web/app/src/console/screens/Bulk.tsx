import { useState } from "react";

import { number } from "../format";
import { ask, useQuery } from "../graphql";
import { type Job, JobProgress, follow } from "../jobs";
import { ChangeVideosDocument, SubjectsDocument, UndoJobDocument, type VideoSelectionInput } from "../operations";
import { Field, Loaded, useNotice } from "../parts/parts";

/** Undoes a job that changed videos. */
export async function undo(id: string, report?: (job: Job) => void): Promise<void> {
  const { undoJob } = await ask(UndoJobDocument, { id });
  const undone = await follow(undoJob.id, report);
  if (undone.error) throw new Error(undone.error);
}

/** Changes the subjects of selected videos, or of all videos of a list. The server goes on when the page is closed. */
export function Bulk({ selection, from = "", total, changed }: { selection: VideoSelectionInput; from?: string | undefined; total: number; changed: () => void }) {
  const subjects = useQuery(SubjectsDocument, {});
  const [move, setMove] = useState({ from, to: "" });
  const [busy, setBusy] = useState(false), [running, setRunning] = useState<Job>();
  const notice = useNotice();

  const run = async () => {
    setBusy(true);
    try {
      const { startChangeOfVideos: { id } } = await ask(ChangeVideosDocument, {
        selection,
        change: { ...(move.from && { removeSubjects: [move.from] }), ...(move.to && { addSubjects: [move.to] }) },
      });
      const job = await follow(id, setRunning);
      const result = job.change?.result;
      const rest = [job.state === "CANCELLED" && "The rest was cancelled.", job.error && `Then it stopped: ${job.error}`, result && result.failed > 0 && `${number(result.failed)} could not change: ${result.problems[0]?.problem}.`];
      notice({
        text: [result?.changed === 1 ? "1 video has changed." : `${number(result?.changed ?? 0)} videos have changed.`, ...rest].filter(Boolean).join(" "),
        ...(job.change?.undoable && { undo: () => undo(id, setRunning).finally(() => { setRunning(undefined); changed(); }) }),
      });
    } catch (refused) {
      notice({ text: (refused as Error).message });
    }
    setRunning(undefined);
    setBusy(false);
    changed();
  };
  if (running) return <JobProgress job={running} label={`${number(running.done)} of ${number(running.total || total)} videos`} />;
  return (
    <Loaded result={subjects}>
      {({ subjects: list }) => (
        <form className="card" aria-label="Change videos" onSubmit={(event) => { event.preventDefault(); void run(); }}>
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
          <div><button type="submit" disabled={busy || move.from === move.to}>Change {number(total)} {total === 1 ? "video" : "videos"}</button></div>
        </form>
      )}
    </Loaded>
  );
}
