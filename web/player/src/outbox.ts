import type { Entries, Entry } from "./entries";
import type { Pages } from "./pages";
import { bearerOf, type Tokens } from "./tokens";

/** Why an event was given up. */
export interface Refusal {
  /** The answer's status, 0 where there was none. */
  status: number;
  /** What the service said, or why the event was given up without being refused. */
  message: string;
  /** The body of the event. */
  body: Record<string, unknown>;
}

/** What an Outbox needs of the world. */
export interface World {
  entries: Entries;
  pages: Pages;
  tokens: Tokens;
  /** Whose events these are: no other's token goes with them. */
  bearer: string;
  /** The address of an entry's events; undefined as long as it is not known. */
  addressOf(entry: Entry): string | undefined;
  refused(refusal: Refusal): void;
  fetch(address: string, request: RequestInit): Promise<Response>;
  now(): number;
  newID(): string;
}

/** Times are in milliseconds. */
const firstPause = 1_000;
const longestPause = 300_000;
/** The service knows a key for at least 48 hours. What may have been counted is not sent later than that. */
const keysAreKnown = 47 * 3600_000;

/** What becomes of an event that was sent: it is done with, or the next attempt is to wait. */
type Outcome = "done" | { pause?: number };

/** Which events are on their way, of all players of the page. */
const underway = new Set<string>();

/**
 * Outbox sends events, each until the service has taken or refused it. What it holds outlives the page:
 * the next one sends it, under the same Idempotency-Key and with the same body, so that nothing counts twice.
 */
export class Outbox {
  #world: World;
  #pause = firstPause;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending = false;
  #closed = false;

  constructor(world: World) {
    this.#world = world;
  }

  /** Keeps an event that is not over yet, in case nothing more is heard of this page. */
  draft(entry: Omit<Entry, "at" | "owner">): void {
    this.#put({ ...entry, at: this.#world.now(), owner: this.#world.pages.own, open: true });
  }

  /** Keeps an event and sends it at once, so that it is on its way should the page end now. */
  add(event: Omit<Entry, "at" | "owner" | "open">): void {
    const entry: Entry = { ...event, at: this.#world.now(), owner: this.#world.pages.own };
    this.#put(entry);
    void this.#send(entry, true).then((outcome) => this.#after(outcome));
  }

  /** Sends all that waits, also what pages that are gone have left. */
  async flush(): Promise<void> {
    if (this.#sending || this.#closed) return;
    this.#sending = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      for (const entry of await this.#waiting()) {
        const outcome = await this.#send(entry, false);
        this.#after(outcome);
        if (outcome !== "done" || this.#closed) return;
      }
    } finally {
      this.#sending = false;
    }
  }

  /** Stops sending; what waits stays where it is. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #waiting(): Promise<Entry[]> {
    const { entries, pages, now } = this.#world;
    const gone = await pages.gone();
    const mine: Entry[] = [];
    for (const entry of entries.all(now())) {
      if (entry.owner === pages.own) {
        if (!entry.open) mine.push(entry);
      } else if (gone(entry.owner, entry.at)) {
        const { open: _, ...taken } = entry;
        taken.owner = pages.own;
        entries.put(taken);
        mine.push(taken);
      }
    }
    return mine;
  }

  #put(entry: Entry): void {
    for (const gone of this.#world.entries.put(entry)) this.#refuse(gone, 0, "too many events wait to be sent");
  }

  #after(outcome: Outcome): void {
    if (outcome === "done") {
      this.#pause = firstPause;
      return;
    }
    if (this.#timer !== undefined || this.#closed) return;
    const pause = Math.max(outcome.pause ?? 0, this.#pause * (0.5 + Math.random() / 2));
    this.#pause = Math.min(2 * this.#pause, longestPause);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, pause);
  }

  async #send(entry: Entry, keepalive: boolean): Promise<Outcome> {
    const { entries, tokens, now, addressOf } = this.#world;
    const address = addressOf(entry);
    if (address === undefined) return {};
    if (underway.has(entry.id) || !entries.has(entry.id)) return "done";
    if (entry.tried !== undefined && now() - entry.tried > keysAreKnown) {
      return this.#drop(entry, 0, "it may have been counted long ago, and cannot be sent without being counted again");
    }
    underway.add(entry.id);
    try {
      // Whoever ends now cannot wait for a token: the one at hand is sent within this turn.
      const token = keepalive ? tokens.current ?? await tokens.get() : await tokens.get();
      if (bearerOf(token) !== this.#world.bearer) return {};
      const sent = { ...entry, tried: entry.tried ?? now() };
      entries.put(sent);
      let response = await this.#post(address, sent, token, keepalive);
      if (response.status === 401) {
        const other = await tokens.renew(token);
        if (bearerOf(other) === this.#world.bearer) response = await this.#post(address, sent, other, false);
      }
      return await this.#answered(entry, response);
    } catch {
      return {}; // no network, or no token
    } finally {
      underway.delete(entry.id);
    }
  }

  #post(address: string, entry: Entry, token: string | undefined, keepalive: boolean): Promise<Response> {
    const headers: Record<string, string> = { "Content-Type": "application/json", "Idempotency-Key": entry.id };
    if (token !== undefined) headers["Authorization"] = `Bearer ${token}`;
    return this.#world.fetch(address, {
      method: "POST", headers, body: JSON.stringify(entry.body), keepalive, credentials: "omit", cache: "no-store",
    });
  }

  async #answered(entry: Entry, response: Response): Promise<Outcome> {
    const { status } = response;
    if (response.ok) {
      void response.arrayBuffer().catch(() => {}); // a body that nobody reads holds the connection
      this.#world.entries.remove(entry.id);
      return "done";
    }
    if ([401, 408, 425, 429].includes(status) || status >= 500) {
      // But for a fault of its own, the service says that it did not take it: this attempt was none.
      if (status < 500) this.#world.entries.put(entry);
      return { pause: Number(response.headers.get("Retry-After") ?? 0) * 1000 || 0 };
    }
    const { message, reasons } = await reasonsOf(response);
    if (status === 400 && "captureTime" in entry.body && reasons.some((reason) => reason.startsWith("captureTime"))) {
      return this.#withoutTime(entry);
    }
    return this.#drop(entry, status, message);
  }

  /** The clock of this machine is wrong by so much that the service cannot believe it: its own has to do. */
  #withoutTime(entry: Entry): Promise<Outcome> {
    const { captureTime: _, ...body } = entry.body;
    const again: Entry = { ...untried(entry), id: this.#world.newID(), body };
    this.#put(again);
    this.#world.entries.remove(entry.id);
    return this.#send(again, false);
  }

  #drop(entry: Entry, status: number, message: string): Outcome {
    this.#world.entries.remove(entry.id);
    this.#refuse(entry, status, message);
    return "done";
  }

  #refuse(entry: Entry, status: number, message: string): void {
    this.#world.refused({ status, message, body: entry.body });
  }
}

function untried(entry: Entry): Entry {
  const { tried: _, ...rest } = entry;
  return rest;
}

async function reasonsOf(response: Response): Promise<{ message: string; reasons: string[] }> {
  try {
    const { message, reasons } = await response.json() as { message?: unknown; reasons?: unknown };
    return { message: String(message ?? response.statusText), reasons: Array.isArray(reasons) ? reasons.map(String) : [] };
  } catch {
    return { message: response.statusText, reasons: [] };
  }
}
