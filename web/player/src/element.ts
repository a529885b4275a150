import type { FilmstripPlayer, PlayerError } from "./api";
import { Captions } from "./captions";
import { Controls } from "./controls";
import { Fault, faultOf } from "./fault";
import { Reporter } from "./reporter";
import { stringsFor, type Strings } from "./strings";
import { openStream, type Stream, type StreamFailure } from "./stream";
import { style } from "./style";
import { Surface } from "./surface";
import { Tokens, type TokenProvider } from "./tokens";
import { readVideo, Unanswered, Video } from "./video";

let sheet: CSSStyleSheet | undefined;

function styleSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
  }
  return sheet;
}

const defaultSegmentSeconds = 30;

/** After an address was renewed another is asked for after so many milliseconds at the earliest. */
const renewalPause = 10_000;

/** The element `<filmstrip-player>`. What it promises stands in api.ts. */
export class FilmstripPlayerElement extends Surface implements FilmstripPlayer {
  static readonly observedAttributes = ["src", "token", "start", "end", "lang", "poster", "speed", "muted"];

  #metadata: Record<string, unknown> = {};
  #tokens = new Tokens();
  #captions = new Captions(this.video, this.#tokens);
  #reporter: Reporter;
  #controls: Controls;
  #strings: Partial<Strings> = {};
  #words: (Strings & { language: string }) | undefined;
  #found: Video | undefined;
  #stream: Stream | undefined;
  #opening: Promise<void> | undefined;
  /** Counts what was begun, so that answers that come late are known as such. */
  #turn = 0;
  #connected = false;
  #fault: Fault | undefined;
  #partOver = false;
  #partTimer: ReturnType<typeof setTimeout> | undefined;
  #renewed = 0;
  /** Where to go once there is a stream, in seconds, and whether it is to play then. */
  #goal: { position: number; plays: boolean } | undefined;
  #openedAt = 0;

  constructor() {
    super();
    this.#reporter = new Reporter({
      media: this.video, tokens: this.#tokens, video: () => this.#found, duration: () => this.duration,
      metadata: () => this.metadata, segmentSeconds: () => this.segmentSeconds,
      refused: (detail) => this.dispatchEvent(new CustomEvent("filmstripeventrefused", { detail })),
    });
    this.#controls = new Controls({
      host: this, media: this.video, captions: this.#captions, strings: () => this.#wordsNow(), title: () => this.videoTitle,
      range: () => ({ from: this.#from, to: this.#to }), ended: () => this.ended, duration: () => this.duration,
      play: () => void this.play().catch(() => {}), pause: () => this.pause(), seek: (position) => { this.currentTime = position; },
      preview: (width, pictures) => this.#preview(width, pictures), retry: () => this.retry(),
      told: (subtype, payload) => this.#reporter.interact(subtype, payload),
    });
    this.#tokens.leaving = () => this.#reporter.cut();
    this.#tokens.changed = () => this.#tokenChanged();
    this.video.playsInline = true;
    this.video.setAttribute("part", "video");
    this.#listen();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [styleSheet()];
    root.append(this.#controls.element);
    for (const name of ["token", "src", "metadata", "tokenProvider", "strings", "start", "end", "segmentSeconds", "poster"] as const) {
      this.#takeOver(name);
    }
  }

  connectedCallback(): void {
    this.#connected = true;
    this.#words = undefined;
    this.#controls.translate();
    this.#reporter.open();
    if (!this.#stream && !this.#opening) this.#load();
  }

  disconnectedCallback(): void {
    this.#connected = false;
    this.#reporter.close();
    // An element that is only moved is connected again within this turn.
    queueMicrotask(() => {
      if (this.#connected) return;
      this.#goal = { position: this.currentTime, plays: false };
      this.#unload();
    });
  }

  attributeChangedCallback(name: string, before: string | null, value: string | null): void {
    if (before === value) return;
    switch (name) {
      case "src":
        this.#goal = undefined;
        this.#load();
        break;
      case "token":
        this.#tokens.given = value || undefined;
        break;
      case "lang":
        this.#words = undefined;
        this.#controls.translate();
        break;
      case "poster":
        this.#showPoster();
        break;
      case "speed":
        this.video.playbackRate = this.video.defaultPlaybackRate = between(Number(value), 0.25, 4) ?? 1;
        break;
      case "muted":
        this.video.muted = value !== null;
        break;
      default: // start and end
        this.#partOver = false;
        this.#watchEnd();
        this.#controls.refresh();
    }
  }

  get src(): string { return this.getAttribute("src") ?? ""; }
  set src(address: string) { this.setAttribute("src", address); }

  get token(): string { return this.getAttribute("token") ?? ""; }
  set token(token: string) { this.setAttribute("token", token); }

  get tokenProvider(): TokenProvider | undefined { return this.#tokens.provider; }
  set tokenProvider(provider: TokenProvider | undefined) { this.#tokens.provider = provider; }

  get metadata(): Record<string, unknown> { return this.#metadata; }
  set metadata(metadata: Record<string, unknown>) { this.#metadata = metadata; }

  get start(): number { return between(Number(this.getAttribute("start")), 0, Infinity) ?? 0; }
  set start(seconds: number) { this.setAttribute("start", String(seconds)); }

  get end(): number { return between(Number(this.getAttribute("end") || Infinity), 0, Infinity) ?? Infinity; }
  set end(seconds: number) { this.setAttribute("end", String(seconds)); }

  get segmentSeconds(): number {
    return between(Number(this.getAttribute("segment-seconds") || defaultSegmentSeconds), 1, 600) ?? defaultSegmentSeconds;
  }
  set segmentSeconds(seconds: number) { this.setAttribute("segment-seconds", String(seconds)); }

  get poster(): string { return this.getAttribute("poster") ?? ""; }
  set poster(address: string) { this.setAttribute("poster", address); }

  get strings(): Record<string, string> { return { ...this.#wordsNow() }; }
  set strings(strings: Record<string, string>) {
    this.#strings = strings;
    this.#words = undefined;
    this.#controls.translate();
  }

  get videoTitle(): string { return this.#found?.title ?? ""; }

  get error(): PlayerError | null { return this.#fault ?? null; }

  get duration(): number {
    return Number.isFinite(this.video.duration) ? this.video.duration : this.#found?.duration ?? NaN;
  }

  get ended(): boolean { return this.#partOver || this.video.ended; }

  get currentTime(): number { return this.#goal?.position ?? (this.#stream ? this.video.currentTime : this.start); }
  set currentTime(seconds: number) {
    const position = Math.min(Math.max(seconds, this.#from), this.#to || Infinity);
    this.#partOver = false;
    if (!this.#stream || this.video.readyState === 0) {
      this.#goal = { position, plays: this.#goal?.plays ?? false };
      this.#open();
      return;
    }
    this.#goal = undefined;
    this.#reporter.seek(position);
    this.#watchEnd();
  }

  async play(): Promise<void> {
    if (this.#fault && !this.#stream) this.retry();
    if (this.ended) this.currentTime = this.#from;
    this.#open();
    if (!this.#stream) {
      this.#goal = { position: this.currentTime, plays: false };
      await this.#opening;
      if (!this.#stream) throw new DOMException(this.#fault?.message ?? "there is nothing to play", "NotSupportedError");
    }
    this.#stream.hurry();
    await this.video.play();
  }

  pause(): void {
    if (this.#goal) this.#goal.plays = false;
    this.video.pause();
  }

  requestPictureInPicture(): Promise<PictureInPictureWindow> { return this.video.requestPictureInPicture(); }

  retry(): void {
    const plays = !this.video.paused;
    this.#goal = { position: this.currentTime, plays };
    this.#load();
  }

  get #from(): number { return Math.min(this.start, this.duration || Infinity); }

  get #to(): number { return Math.min(this.end, this.duration || 0) || 0; }

  #listen(): void {
    const { video } = this;
    video.addEventListener("ended", () => this.dispatchEvent(new Event("ended")));
    for (const name of ["playing", "seeked", "ratechange", "timeupdate"]) video.addEventListener(name, () => this.#watchEnd());
    video.addEventListener("playing", () => this.#stream?.hurry());
    video.addEventListener("loadedmetadata", () => this.#arrive());
    for (const name of ["seeked", "playing"]) video.addEventListener(name, () => { this.#goal = undefined; });
    video.addEventListener("waiting", () => this.#showFault());
  }

  /** Goes to where it was asked to go since the stream was opened; otherwise the stream goes there by itself. */
  #arrive(): void {
    const position = this.#goal?.position;
    if (position === undefined || position === this.#openedAt) {
      if (this.#openedAt === 0) this.#goal = undefined;
      return;
    }
    this.#goal = undefined;
    this.#reporter.seek(position);
  }

  /** Properties that were set before the element was defined are those of the element from now on. */
  #takeOver(name: keyof FilmstripPlayer): void {
    if (!Object.hasOwn(this, name)) return;
    const value: unknown = this[name];
    delete (this as Record<string, unknown>)[name];
    (this as Record<string, unknown>)[name] = value;
  }

  #tokenChanged(): void {
    if (!this.#connected) return;
    if (this.#fault?.kind === "token" || this.#fault?.kind === "forbidden") this.retry();
    else if (this.#found) this.#reporter.flush();
    else if (!this.#opening) this.#load();
  }

  /** Forgets what there is and begins with the video at src. */
  #load(): void {
    this.#unload();
    this.#found = undefined;
    this.#fault = undefined;
    this.#partOver = false;
    this.#controls.showError("");
    // What else the page sets within this turn is there by then.
    queueMicrotask(() => this.#open());
  }

  #unload(): void {
    this.#turn++;
    this.#reporter.cut();
    clearTimeout(this.#partTimer);
    this.#stream?.close();
    this.#stream = undefined;
    this.#opening = undefined;
    this.#captions.clear();
  }

  /** Opens the stream, unless that is done or underway. */
  #open(): void {
    if (this.#stream || this.#opening || !this.#connected || !this.src) return;
    const turn = this.#turn;
    const opening = this.#openNow(turn)
      .catch((error: unknown) => { if (turn === this.#turn) this.#fail(faultOf(error)); })
      .finally(() => { if (this.#opening === opening) this.#opening = undefined; });
    this.#opening = opening;
  }

  async #openNow(turn: number): Promise<void> {
    const found = await this.#read();
    if (turn !== this.#turn) return;
    this.#found = found;
    this.#showPoster();
    this.#controls.reset();
    this.#reporter.begin(found.id);
    void this.#captions.load(found, this.#wordsNow().captions);
    const position = this.#openedAt = this.#goal?.position ?? this.#from;
    const stream = await openStream(this.video, streamOf(found), position, {
      renew: async () => {
        this.#found = await this.#read();
        return streamOf(this.#found);
      },
      failed: (failure) => this.#streamFailed(failure),
      recovered: () => {
        this.#fault = undefined;
        this.#controls.showError("");
      },
    });
    if (turn !== this.#turn) {
      stream.close();
      return;
    }
    this.#stream = stream;
    if (this.#goal?.plays || this.hasAttribute("autoplay")) void this.play().catch(() => {}); // browsers forbid what nobody asked for
  }

  /** Asks for the video, with a new token where that at hand is refused. */
  async #read(): Promise<Video> {
    const token = await this.#tokens.get().catch((error: unknown) => { throw new Unanswered(401, String(error)); });
    try {
      return await readVideo(this.src, token);
    } catch (error) {
      if (!(error instanceof Unanswered) || error.status !== 401) throw error;
      const other = await this.#tokens.renew(token).catch(() => undefined);
      if (other === undefined) throw error;
      return readVideo(this.src, other);
    }
  }

  #streamFailed(failure: StreamFailure): void {
    if (failure === "expired" && Date.now() - this.#renewed > renewalPause) {
      // The library could not go on with a new address by itself: everything anew, from here.
      this.#renewed = Date.now();
      this.retry();
      return;
    }
    const fault = new Fault(failure === "network" || failure === "expired" ? "network" : "media", 0, `the stream: ${failure}`);
    if (fault.kind === "network") {
      this.#fault = fault;
      this.#showFault();
    } else {
      this.#fail(fault);
    }
  }

  #fail(fault: Fault): void {
    this.#fault = fault;
    this.#controls.showError(this.#wordsNow()[fault.words]);
    this.dispatchEvent(new Event("error"));
  }

  /** A network that is gone is told when nothing is left to be played. */
  #showFault(): void {
    if (this.#fault?.kind === "network" && this.video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA) this.#fail(this.#fault);
  }

  /** Stops at the end of the part that is to be played, and no later than can be helped. */
  #watchEnd(): void {
    clearTimeout(this.#partTimer);
    const { video, end } = this;
    if (!Number.isFinite(end) || video.paused || video.seeking || !(end < this.duration)) return;
    const left = (end - video.currentTime) / video.playbackRate;
    if (left > 0) {
      this.#partTimer = setTimeout(() => this.#watchEnd(), Math.min(1000 * left, 1000));
      return;
    }
    this.#partOver = true;
    video.pause();
    video.addEventListener("pause", () => {
      this.dispatchEvent(new Event("ended"));
      this.#controls.refresh();
    }, { once: true });
  }

  #showPoster(): void {
    const width = Math.round(between(this.clientWidth * devicePixelRatio, 160, 1920) ?? 640);
    // The same few sizes for everybody: they are kept by caches on the way.
    const address = this.poster || this.#found?.address("thumbnail", { thumbnailWidth: Math.min(1920, Math.ceil(width / 160) * 160) });
    if (address) this.video.poster = address;
    else this.video.removeAttribute("poster");
  }

  #preview(width: number, pictures: number): string | undefined {
    if (!this.#found?.isTemplated("videoPreview")) return undefined;
    return this.#found.address("videoPreview", { thumbnailWidth: width, thumbnailCount: pictures });
  }

  #wordsNow(): Strings & { language: string } {
    const tag = this.closest<HTMLElement>("[lang]")?.lang;
    this.#words ??= stringsFor(tag ? [tag] : navigator.languages, this.#strings);
    return this.#words;
  }
}

function streamOf(video: Video): string {
  const address = video.address("hlsStream");
  if (address === undefined) throw new Fault("format", 0, "the video has no stream");
  return address;
}

/** between is a number within bounds; undefined where it is none. */
function between(value: number, least: number, most: number): number | undefined {
  return Number.isNaN(value) ? undefined : Math.min(most, Math.max(least, value));
}
