import type { Entries, Entry } from "./entries";
import type { Pages } from "./pages";
import { bearerOf, type Tokens } from "./tokens";

/** The reason why an event was dropped. */
export interface Refusal {
  /** The status of the response, or 0 if there was none. */
  status: number;
  /** The message of the service, or the reason why the event was dropped without being refused. */
  message: string;
  /** The body of the event. */
  body: Record<string, unknown>;
}

/** The functions that an Outbox uses. */
export interface World {
  entries: Entries;
  pages: Pages;
  tokens: Tokens;
  /** The bearer of the events. They are sent only with tokens of this bearer. */
  bearer: string;
  /** Returns the address for the events of an entry, or undefined until it is known. */
  addressOf(entry: Entry): string | undefined;
  refused(refusal: Refusal): void;
  fetch(address: string, request: RequestInit): Promise<Response>;
  now(): number;
  newID(): string;
}

/** These times are in milliseconds. */
const firstPause = 1_000;
const longestPause = 300_000;
/** The service remembers a key for at least 48 hours. An event that may have been counted is not sent later than that. */
const keysAreKnown = 47 * 3600_000;

/** The outcome of an attempt: the event is done, or the next attempt waits. */
type Outcome = "done" | { pause?: number };

/** The events that any player of the page is sending. */
const underway = new Set<string>();

/**
 * Outbox sends each event until the service has accepted or refused it. Its events outlive the page:
 * the next page sends them with the same Idempotency-Key and body, so that nothing counts twice.
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

  /** Stores an event that is not complete yet, in case the page ends without notice. */
  draft(entry: Omit<Entry, "at" | "owner">): void {
    this.#put({ ...entry, at: this.#world.now(), owner: this.#world.pages.own, open: true });
  }

  /** Stores an event and sends it at once, in case the page ends now. */
  add(event: Omit<Entry, "at" | "owner" | "open">): void {
    const entry: Entry = { ...event, at: this.#world.now(), owner: this.#world.pages.own };
    this.#put(entry);
    void this.#send(entry, true).then((outcome) => this.#after(outcome));
  }

  /** Sends all waiting events, including those of pages that have ended. */
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

  /** Stops sending. Waiting events stay stored. */
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
      // A page that ends now cannot wait for a token, so the current one is sent in this task.
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
      // Except for its own errors, the service states that it did not accept the event, so this attempt does not count.
      if (status < 500) this.#world.entries.put(entry);
      return { pause: Number(response.headers.get("Retry-After") ?? 0) * 1000 || 0 };
    }
    const { message, reasons } = await reasonsOf(response);
    if (status === 400 && "captureTime" in entry.body && reasons.some((reason) => reason.startsWith("captureTime"))) {
      return this.#withoutTime(entry);
    }
    return this.#drop(entry, status, message);
  }

  /** The clock of this machine is so wrong that the service rejects its times, so the service's clock applies. */
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
