// What somebody has changed in the fields of a record and has not saved yet.
import { type ChangeEvent, useState } from "react";

import { Failure } from "../graphql";

/** The names of the fields whose values have a type. */
type Names<F, V> = { [K in keyof F]: F[K] extends V ? K : never }[keyof F] & string;
type Name<F> = keyof F & string;

/** A changed field, and what its control showed before. */
interface Change { value: unknown; over: unknown }

/** A record that a form edits. Only the fields that somebody changes are sent; all others follow what is stored. */
export interface Edit<F> {
  /** The fields as the form shows them. */
  fields: F;
  stored: F;
  /** The version of the stored record that was read last. */
  version: number | string;
  /** Whether the record exists already. */
  exists: boolean;
  /** The names of the fields that somebody has changed, and of those whose stored values have changed meanwhile, too. */
  changed: Name<F>[]; overtaken: Name<F>[];
  set: <K extends Name<F>>(name: K, value: F[K]) => void;
  /** The attributes of a text control, of a checkbox, and of one checkbox of a list. */
  text: (name: Names<F, string>) => { value: string; onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) => void };
  check: (name: Names<F, boolean>) => { checked: boolean; onChange: (event: ChangeEvent<HTMLInputElement>) => void };
  choice: (name: Names<F, string[]>, value: string) => { checked: boolean; onChange: (event: ChangeEvent<HTMLInputElement>) => void };
  /** Saves by write, and keeps what somebody types meanwhile. */
  save: <T>(write: (changes: Partial<F>) => Promise<T>) => Promise<T>;
  /** Drops the changes, and reads the record again. */
  discard: () => void;
  reread: () => void;
}

/** Edits the fields of the version of a record that was read last; version 0 is that of a new one. */
export function useEdit<F extends object>(version: number | string, stored: F, reread: () => void = () => {}): Edit<F> {
  const [changes, setChanges] = useState<Record<string, Change>>({});
  // The record is read again some time after it was saved.
  const [saved, setSaved] = useState<{ version: number | string; fields: Partial<F> }>();
  const known: F = saved?.version === version ? { ...stored, ...saved.fields } : stored;
  const values = Object.fromEntries(Object.entries(changes).map(([name, change]) => [name, change.value])) as Partial<F>;
  const fields: F = { ...known, ...values };
  const changed = Object.keys(changes) as Name<F>[];
  const set = <K extends Name<F>>(name: K, value: F[K]) => setChanges((before) => {
    const { [name]: change, ...others } = before;
    const over = change ? change.over : known[name];
    return same(value, over) ? others : { ...others, [name]: { value, over } };
  });
  return {
    fields, stored: known, version, exists: version !== 0, changed, set, reread,
    overtaken: changed.filter((name) => !same(known[name], changes[name]?.over) && !same(known[name], changes[name]?.value)),
    text: (name) => ({ value: fields[name] as string, onChange: (event) => set(name, event.target.value as F[typeof name]) }),
    check: (name) => ({ checked: fields[name] as boolean, onChange: (event) => set(name, event.target.checked as F[typeof name]) }),
    choice: (name, value) => {
      const list = fields[name] as string[];
      return { checked: list.includes(value), onChange: (event) => set(name, (event.target.checked ? [...list, value] : list.filter((one) => one !== value)) as F[typeof name]) };
    },
    save: async (write) => {
      const done = await write(values);
      setSaved((before) => ({ version, fields: { ...(before?.version === version && before.fields), ...values } }));
      setChanges((now) => Object.fromEntries(Object.entries(now).filter(([name, change]) => change !== changes[name])
        .map(([name, change]) => [name, changes[name] ? { value: change.value, over: changes[name].value } : change])));
      return done;
    },
    discard: () => {
      setChanges({});
      reread();
    },
  };
}

/** Reports whether the server refused a change because somebody has changed the record since it was read. */
export const isOutdated = (failure: unknown) => failure instanceof Failure && failure.code === "CONFLICT" && /has version \d+, not|changed at/.test(failure.message);

// The order of texts in a list means nothing, and text areas have line ends of their own.
const same = (a: unknown, b: unknown) => comparable(a) === comparable(b);
const comparable = (value: unknown) => JSON.stringify(value, (_, part: unknown) => {
  if (typeof part === "string") return part.replace(/\r\n?/g, "\n");
  return Array.isArray(part) && part.every((one) => typeof one === "string") ? part.toSorted() : part;
});
