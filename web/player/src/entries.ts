/** What an event is of. */
export type Kind = "playback" | "interaction";

/** An event that waits for the service to have taken it. */
export interface Entry {
  /** A UUID, which is the Idempotency-Key under which the event is sent, however often. */
  id: string;
  kind: Kind;
  body: Record<string, unknown>;
  /** When it was last written, in milliseconds since 1970. */
  at: number;
  /** The page that sees to it. */
  owner: string;
  /** The segment is still being played: only its owner may send it. */
  open?: boolean;
  /** When it was sent first, in milliseconds since 1970, where it is not known what became of that. */
  tried?: number;
}

/** As much of a Storage as entries need. */
export type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/** How many entries are kept for one service and bearer, and for how long, in milliseconds. */
export const mostEntries = 500;
const longest = 30 * 24 * 3600_000;

const family = "filmstrip-player:";

/**
 * Entries keeps events, each under a key of its own, so that several pages can write at a time. Where the
 * browser lets nobody store anything, they live as long as the page.
 */
export class Entries {
  #shelf: Shelf | undefined;
  #prefix: string;
  #memory = new Map<string, string>();

  /** scope tells the entries of one service and bearer from all others. */
  constructor(shelf: Shelf | undefined, scope: string) {
    this.#shelf = shelf;
    this.#prefix = `${family}${scope}:`;
  }

  /** Writes an entry. It returns the entries that had to go because there were too many. */
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
      // What cannot be removed is sent again, under its key, and not counted again.
    }
  }

  has(id: string): boolean {
    return this.#read(this.#prefix + id) !== undefined;
  }

  /** All entries, the oldest first. Those too old to be worth anything are gone. */
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
    // Interactions go before playback, which is billed.
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
      // What cannot be read is not there.
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
