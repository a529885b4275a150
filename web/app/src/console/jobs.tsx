// Jobs: work of the server that goes on when the page is closed.
import { useEffect, useState } from "react";

import { number } from "./format";
import { Failure, ask } from "./graphql";
import { CancelJobDocument, JobDocument, type JobFieldsFragment } from "./operations";

export type Job = JobFieldsFragment;
const pause = 500;

export const hasEnded = (job: Job) => job.state !== "WAITING" && job.state !== "RUNNING";

/** Reads a job again and again until it has ended. */
export async function follow(id: string, report: (job: Job) => void = () => {}, stop: { current: boolean } = { current: false }): Promise<Job> {
  for (;;) {
    const { job } = await ask(JobDocument, { id });
    if (!job) throw new Failure("The job no longer exists.", "NOT_FOUND", [], "");
    report(job);
    if (hasEnded(job) || stop.current) return job;
    await new Promise((resume) => setTimeout(resume, pause));
  }
}

/** Follows a job while a screen shows it. */
export function useJob(id: string): { job?: Job; failure?: Failure } {
  const [state, setState] = useState<{ job?: Job; failure?: Failure }>({});
  useEffect(() => {
    const stop = { current: false };
    follow(id, (job) => { if (!stop.current) setState({ job }); }, stop).catch((failure: Failure) => setState({ failure }));
    return () => { stop.current = true; };
  }, [id]);
  return state;
}

/** How far a job is, with a button that cancels it. */
export function JobProgress({ job, label }: { job: Job; label: string }) {
  return (
    <div className="card" role="status">
      <label>{label} <progress {...(job.total > 0 && { value: job.done, max: job.total })} /></label>{" "}
      <button type="button" className="secondary" disabled={job.cancelRequested} onClick={() => void ask(CancelJobDocument, { id: job.id })}>{job.cancelRequested ? "Cancelling" : "Cancel"}</button>
    </div>
  );
}

/** What a job did, in a few words. */
export function outcomeOf(job: Job): string {
  if (job.state === "WAITING") return "Waits";
  if (job.state === "RUNNING") return "Runs";
  const said = job.import?.result
    ? `${number(job.import.result.added)} added, ${number(job.import.result.changed)} changed, ${number(job.import.result.rejected)} rejected`
    : job.change?.result ? `${number(job.change.result.changed)} changed` : "";
  if (job.state === "FAILED") return `Failed${said && `: ${said}`}`;
  return job.state === "CANCELLED" ? `Cancelled${said && `: ${said}`}` : said;
}
