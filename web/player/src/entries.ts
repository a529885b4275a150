/** The subject of an event. */
export type Kind = "playback" | "interaction";

/** An event that the service has not accepted yet. */
export interface Entry {
  /** A UUID: the Idempotency-Key of every attempt to send the event. */
  id: string;
  kind: Kind;
  body: Record<string, unknown>;
  /** When it was last written, in milliseconds since 1970. */
  at: number;
  /** The page that owns the event. */
  owner: string;
  /** Whether the segment is still playing. Only its owner may send it then. */
  open?: boolean;
  /** The time of the first attempt whose outcome is unknown, in milliseconds since 1970. */
  tried?: number;
}

/** The members of Storage that entries use. */
export type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/** The maximum number of entries for one service and bearer, and their maximum age in milliseconds. */
export const mostEntries = 500;
const longest = 30 * 24 * 3600_000;

const family = "filmstrip-player:";

/**
 * Entries stores each event under a key of its own, so that several pages can write at the same time. If the
 * browser denies storage, the events live as long as the page.
 */
export class Entries {
  #shelf: Shelf | undefined;
  #prefix: string;
  #memory = new Map<string, string>();

  /** scope distinguishes the entries of one service and bearer from all others. */
  constructor(shelf: Shelf | undefined, scope: string) {
    this.#shelf = shelf;
    this.#prefix = `${family}${scope}:`;
  }

  /** Writes an entry, and returns the entries that it removed because there were too many. */
  put(entry: Entry): Entry[] {
    const key = this.#prefix + entry.id;
    const isNew = this.#read(key) === undefined;
    const text = JSON.stringify(entry);
    try {
      if (!this.#shelf) throw new Error("nothing can be stored");
      this.#shelf.setItem(key, text);
      this.#memory.delete(key);
    } catch {
      this.#memory.set(key, text);
    }
    return isNew ? this.#bound(entry) : [];
  }

  remove(id: string): void {
    this.#memory.delete(this.#prefix + id);
    try {
      this.#shelf?.removeItem(this.#prefix + id);
    } catch {
      // An entry that cannot be removed is sent again under its key, and not counted again.
    }
  }

  has(id: string): boolean {
    return this.#read(this.#prefix + id) !== undefined;
  }

  /** Returns all entries, oldest first, without those that are too old. */
  all(now: number): Entry[] {
    const entries: Entry[] = [];
    for (const key of this.#keys()) {
      const entry = parse(this.#read(key));
      if (!entry || now - entry.at > longest) this.remove(key.slice(this.#prefix.length));
      else entries.push(entry);
    }
    return entries.sort((a, b) => a.at - b.at);
  }

  #bound(added: Entry): Entry[] {
    const entries = this.all(added.at);
    const tooMany = entries.length - mostEntries;
    if (tooMany <= 0) return [];
    // Interactions are dropped before playback, which is billed.
    const gone = [...entries.filter((one) => one.kind === "interaction"), ...entries.filter((one) => one.kind === "playback")]
      .filter((one) => !one.open).slice(0, tooMany);
    for (const entry of gone) this.remove(entry.id);
    return gone;
  }

  #read(key: string): string | undefined {
    try {
      return this.#memory.get(key) ?? this.#shelf?.getItem(key) ?? undefined;
    } catch {
      return undefined;
    }
  }

  #keys(): string[] {
    const keys = new Set(this.#memory.keys());
    try {
      for (let i = 0; i < (this.#shelf?.length ?? 0); i++) {
        const key = this.#shelf!.key(i);
        if (key?.startsWith(this.#prefix)) keys.add(key);
      }
    } catch {
      // An entry that cannot be read is ignored.
    }
    return [...keys];
  }
}

function parse(text: string | undefined): Entry | undefined {
  try {
    const entry = JSON.parse(text ?? "") as Partial<Entry> | null;
    const known = entry && typeof entry.id === "string" && typeof entry.at === "number" && typeof entry.body === "object"
      && (entry.kind === "playback" || entry.kind === "interaction");
    return known ? entry as Entry : undefined;
  } catch {
    return undefined;
  }
}
