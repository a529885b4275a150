// The entries of both audit logs.
import type { ReactNode } from "react";

import { shown, words } from "../format";
import { Time } from "./parts";

export interface Change { number: number; at: string; client: string; user: string | null; userName: string | null; before?: unknown; after?: unknown }

type Body = Record<string, unknown>;

/** Returns the members whose values differ, each with both values. */
export function differences(before: unknown, after: unknown): { field: string; before: unknown; after: unknown }[] {
  const left = (before ?? {}) as Body, right = (after ?? {}) as Body;
  return [...new Set([...Object.keys(left), ...Object.keys(right)])]
    .filter((field) => JSON.stringify(left[field]) !== JSON.stringify(right[field]))
    .map((field) => ({ field, before: left[field], after: right[field] }));
}

/** The name of who made a change. */
export const actorOf = (entry: Change) => entry.userName ?? entry.user ?? entry.client;

/** What a change did. */
export function verbOf({ before, after }: { before?: unknown; after?: unknown }): string {
  if (after === null || after === undefined) return "deleted";
  if ("sessionsEndedAt" in Object(after)) return "signed out everywhere";
  return before === null || before === undefined ? "added" : "changed";
}

/** Lists changes. head says what an entry is about, tail what can be done with it, and actor who made it. */
export function Changes<C extends Change>({ entries, head, tail, actor = actorOf }: { entries: readonly C[]; head: (entry: C) => ReactNode; tail?: (entry: C) => ReactNode; actor?: (entry: C) => ReactNode }) {
  return (
    <ol className="changes">
      {entries.map((entry, i) => (
        <li key={`${entry.number} ${i}`}>
          <p><Time at={entry.at} /> · <span className="quiet">{actor(entry)}</span> · {head(entry)} {tail?.(entry)}</p>
          <Difference before={entry.before} after={entry.after} />
        </li>
      ))}
    </ol>
  );
}

function Difference({ before, after }: { before: unknown; after: unknown }) {
  if (before === null || before === undefined || after === null || after === undefined) return null; // the head says so
  const changed = differences(before, after);
  if (changed.length === 0) return <p className="quiet">Changed; the values are not shown.</p>;
  return (
    <ul>
      {changed.map((change) => (
        <li key={change.field}>{words(change.field)}: <del>{shown(change.before)}</del> <ins>{shown(change.after)}</ins></li>
      ))}
    </ul>
  );
}
