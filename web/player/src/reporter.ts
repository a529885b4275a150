import { Entries } from "./entries";
import { Outbox, type Refusal } from "./outbox";
import { browserPages, newID } from "./pages";
import { endOf, Tracker, type Segment } from "./segments";
import { bearerOf, type Tokens } from "./tokens";
import type { Video } from "./video";

/** The members of the player that a reporter uses. */
export interface Subject {
  media: HTMLVideoElement;
  tokens: Tokens;
  /** The current video. */
  video(): Video | undefined;
  duration(): number;
  /** The metadata that the page adds to each event. */
  metadata(): Record<string, unknown>;
  segmentSeconds(): number;
  /** Whether nothing is reported. */
  unreported(): boolean;
  refused(refusal: Refusal): void;
}

const relations = { playback: "createPlaybackEvent", interaction: "createPlayerInteractedWithEvent" };

/** The interval, in milliseconds, at which progress is stored in case the page ends without notice. */
const step = 1_000;

/** The maximum movement of a position between two observations, in seconds of the clock. */
const mostUnseen = 0.6;

/** Reporter reports playback and interactions with the player to the service. */
export class Reporter {
  #subject: Subject;
  #playerID = newID();
  #outbox: { scope: string; box: Outbox } | undefined;
  #tracker = new Tracker({ grows: (segment) => this.#grows(segment), over: (segment) => this.#over(segment) });
  #segmentID: string | undefined;
  #noted = 0;
  #begun = 0;
  #begunID: string | undefined;
  #announced = 0;
  #started = false;
  #quarter = 0;
  #rate = 1;
  #muted = false;
  #events = new AbortController();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(subject: Subject) {
    this.#subject = subject;
    const { media } = subject;
    const on = (names: string, what: () => void) => {
      for (const name of names.split(" ")) media.addEventListener(name, what);
    };
    on("playing timeupdate", () => this.#look());
    on("pause ended", () => this.cut());
    on("seeking", () => this.#sought());
    on("loadedmetadata emptied", () => this.#reset());
    this.#tellInteractions(on);
  }

  /** Starts or resumes sending waiting events and observing the end of the page. */
  open(): void {
    this.#events = new AbortController();
    const { signal } = this.#events;
    document.addEventListener("visibilitychange", () => { if (document.hidden) this.cut(); }, { signal });
    addEventListener("pagehide", () => this.cut(), { signal });
    addEventListener("online", () => this.flush(), { signal });
    this.#timer = setInterval(() => this.#look(), step);
    this.flush();
  }

  /** Reports what was played so far, and stops. */
  close(): void {
    this.cut();
    this.#events.abort();
    clearInterval(this.#timer);
    this.#outbox?.box.close();
    this.#outbox = undefined;
  }

  /** Notes that a video, the same or another, has been loaded. */
  begin(id: string): void {
    if (id !== this.#begunID) {
      this.#begunID = id;
      this.#started = false;
      this.#quarter = 0;
    }
    this.flush();
  }

  /** Reports what was played so far. */
  cut(): void {
    const { media } = this.#subject;
    if (!media.seeking) this.#tracker.cut(media.currentTime);
  }

  /** Seeks. It reports what was played before, up to the exact position of the seek. */
  seek(position: number): void {
    const { media } = this.#subject;
    this.cut();
    if (media.readyState > 0) this.#announced++;
    media.currentTime = position;
    this.#tracker.rest(media.currentTime);
  }

  /** Sends waiting events. */
  flush(): void {
    void this.#box()?.flush();
  }

  /** Reports an interaction with the player. */
  interact(subtype: string, payload: Record<string, unknown> = {}): void {
    const { media } = this.#subject;
    const body = this.#body({ currentTime: round(media.currentTime), subtype, payload });
    if (body) this.#box()?.add({ id: newID(), kind: "interaction", body });
  }

  #look(): void {
    const { media, segmentSeconds, duration } = this.#subject;
    if (media.paused || media.seeking || media.ended) return;
    this.#tracker.advance(media.currentTime);
    if (this.#begun && Date.now() - this.#begun >= segmentSeconds() * 1000) this.cut();
    const quarter = Math.floor(4 * media.currentTime / duration());
    if (quarter > this.#quarter && quarter <= 4) {
      this.#quarter = quarter;
      this.interact("progress", { percent: 25 * quarter });
    }
  }

  /** An unannounced seek comes from the browser or the library, and its starting position is no longer known. */
  #sought(): void {
    if (this.#announced > 0) {
      this.#announced--;
      return;
    }
    const { media } = this.#subject;
    const { reached } = this.#tracker;
    this.#tracker.advance(endOf(media.played, reached, mostUnseen * Math.max(1, media.playbackRate)));
    this.#tracker.rest(media.currentTime);
  }

  #reset(): void {
    this.#announced = 0;
    this.#tracker.rest(this.#subject.media.currentTime);
  }

  #grows(segment: Segment): void {
    const now = Date.now();
    this.#begun ||= now;
    if (now - this.#noted < step) return;
    this.#noted = now;
    const body = this.#playback(segment);
    this.#segmentID ??= newID();
    if (body) this.#box()?.draft({ id: this.#segmentID, kind: "playback", body });
  }

  #over(segment: Segment): void {
    const id = this.#segmentID ?? newID();
    this.#segmentID = undefined;
    this.#begun = 0;
    const body = this.#playback(segment);
    if (body) this.#box()?.add({ id, kind: "playback", body });
  }

  #playback({ start, end }: Segment): Record<string, unknown> | undefined {
    return this.#body({ segmentStartSeconds: start, segmentEndSeconds: end });
  }

  #body(own: Record<string, unknown>): Record<string, unknown> | undefined {
    const { video, duration, metadata } = this.#subject;
    const id = video()?.id;
    if (id === undefined) return undefined;
    return {
      ...metadata(), videoId: id, ...own, videoDurationSeconds: round(duration()), playerId: this.#playerID,
      captureTime: new Date().toISOString(),
    };
  }

  /** The outbox for the service of the video and the bearer of the token. */
  #box(): Outbox | undefined {
    const { tokens, video, refused, unreported } = this.#subject;
    const address = unreported() ? undefined : video()?.address(relations.playback);
    if (address === undefined) return undefined;
    const bearer = bearerOf(tokens.current);
    const scope = `${new URL(address).origin}:${bearer}`;
    if (this.#outbox?.scope !== scope) {
      this.#outbox?.box.close();
      const box = new Outbox({
        entries: new Entries(storage(), scope), pages: browserPages(), tokens, bearer, refused, newID,
        addressOf: ({ kind }) => video()?.address(relations[kind]),
        fetch: (input, request) => fetch(input, request), now: () => Date.now(),
      });
      this.#outbox = { scope, box };
      void box.flush();
    }
    return this.#outbox.box;
  }

  #tellInteractions(on: (names: string, what: () => void) => void): void {
    const { media } = this.#subject;
    on("play", () => this.interact("play"));
    on("pause", () => { if (!media.ended) this.interact("pause"); });
    on("playing", () => {
      if (!this.#started) this.interact("playbackStarted");
      this.#started = true;
    });
    on("seeking", () => { if (this.#started) this.interact("seeking"); });
    on("seeked", () => { if (this.#started) this.interact("seeked"); });
    on("ratechange", () => {
      if (media.playbackRate !== this.#rate) this.interact("speedChanged", { speed: media.playbackRate });
      this.#rate = media.playbackRate;
    });
    on("volumechange", () => {
      if (media.muted !== this.#muted) this.interact(media.muted ? "muted" : "unmuted");
      this.#muted = media.muted;
    });
  }
}

function round(seconds: number): number {
  return Number.isFinite(seconds) ? Math.round(seconds * 1000) / 1000 : 0;
}

function storage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined; // the browser, or the page's sandbox, keeps it back
  }
}
