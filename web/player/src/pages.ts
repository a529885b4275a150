/** Pages knows which of the pages that share a storage still exist. */
export interface Pages {
  /** The name of this page. */
  readonly own: string;
  /** Returns a function that reports whether the page of an entry has ended, by its name and the time of its last write. */
  gone(): Promise<(owner: string, at: number) => boolean>;
}

/** A page that cannot hold a lock counts as ended after this many milliseconds without a write. */
const silence = 600_000;

const family = "filmstrip-player:";

/** Returns a UUID of version 4, also in pages without TLS. */
export function newID(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/**
 * Each page holds a lock with its name, which the browser releases whenever and however the page ends.
 * A page in the back/forward cache releases its lock: it has reported what was played, and may never return.
 */
class BrowserPages implements Pages {
  readonly own = newID();
  #release: (() => void) | undefined;

  constructor() {
    if (!navigator.locks) return;
    this.#hold();
    addEventListener("pagehide", () => this.#release?.());
    addEventListener("pageshow", (event) => { if (event.persisted) this.#hold(); });
  }

  #hold(): void {
    const held = new Promise<void>((release) => { this.#release = release; });
    navigator.locks.request(family + this.own, () => held).catch(() => {});
  }

  async gone(): Promise<(owner: string, at: number) => boolean> {
    try {
      const { held = [] } = await navigator.locks.query();
      const names = new Set(held.map((lock) => lock.name));
      return (owner) => !names.has(family + owner);
    } catch {
      const now = Date.now();
      return (_, at) => now - at > silence;
    }
  }
}

let pages: Pages | undefined;

/** The pages that share the storage of this page. */
export function browserPages(): Pages {
  return pages ??= new BrowserPages();
}
