import type { FilmstripPlayer, PlayerError } from "./api";
import { Attributes, between } from "./attributes";
import { Captions } from "./captions";
import { Controls } from "./controls";
import { Fault, faultOf } from "./fault";
import { Reporter } from "./reporter";
import { posterOf, previewOf } from "./images";
import { Part } from "./part";
import { stringsFor, type Strings } from "./strings";
import { openStream, type Stream, type StreamFailure } from "./stream";
import { style } from "./style";
import { Tokens, type TokenProvider } from "./tokens";
import { readVideo, type Video } from "./video";

let sheet: CSSStyleSheet | undefined;

function styleSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
  }
  return sheet;
}

/** The minimum number of milliseconds between two renewals of an address. */
const renewalPause = 10_000;

/** The element `<filmstrip-player>`. api.ts documents its interface. */
export class FilmstripPlayerElement extends Attributes implements FilmstripPlayer {
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
  /** The number of started loads, by which late responses are recognized. */
  #turn = 0;
  #connected = false;
  #fault: Fault | undefined;
  /** The network is unavailable; the loaded part still plays. */
  #cut: Fault | undefined;
  #part = new Part(this.video, () => this.end, () => {
    this.dispatchEvent(new Event("ended"));
    this.#controls.refresh();
  });
  #renewed = 0;
  /** The position to seek to once there is a stream, in seconds, and whether to play then. */
  #goal: { position: number; plays: boolean } | undefined;
  #openedAt = 0;

  constructor() {
    super();
    this.#reporter = new Reporter({
      media: this.video, tokens: this.#tokens, video: () => this.#found, duration: () => this.duration,
      metadata: () => this.metadata, segmentSeconds: () => this.segmentSeconds, unreported: () => this.unreported,
      refused: (detail) => this.dispatchEvent(new CustomEvent("filmstripeventrefused", { detail })),
    });
    this.#controls = new Controls({
      host: this, media: this.video, captions: this.#captions, strings: () => this.#wordsNow(), title: () => this.videoTitle,
      range: () => ({ from: this.#from, to: this.#to }), ended: () => this.ended, duration: () => this.duration,
      play: () => void this.play().catch(() => {}), pause: () => this.pause(), seek: (position) => { this.currentTime = position; },
      preview: (width, pictures) => this.#found && previewOf(this.#found, width, pictures), retry: () => this.retry(),
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
    addEventListener("online", this.#online);
    this.#words = undefined;
    this.#controls.translate();
    this.#reporter.open();
    if (!this.#stream && !this.#opening) this.#load();
  }

  disconnectedCallback(): void {
    this.#connected = false;
    removeEventListener("online", this.#online);
    this.#reporter.close();
    // An element that only moves within the document is connected again in the same task.
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
        this.#part.begin();
        this.#controls.refresh();
    }
  }

  get tokenProvider(): TokenProvider | undefined { return this.#tokens.provider; }
  set tokenProvider(provider: TokenProvider | undefined) { this.#tokens.provider = provider; }

  get metadata(): Record<string, unknown> { return this.#metadata; }
  set metadata(metadata: Record<string, unknown>) { this.#metadata = metadata; }

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

  get ended(): boolean { return this.#part.isOver || this.video.ended; }

  get currentTime(): number { return this.#goal?.position ?? (this.#stream ? this.video.currentTime : this.start); }
  set currentTime(seconds: number) {
    const position = Math.min(Math.max(seconds, this.#from), this.#to || Infinity);
    this.#part.begin();
    if (!this.#stream || this.video.readyState === 0) {
      this.#goal = { position, plays: this.#goal?.plays ?? false };
      this.#open();
      return;
    }
    this.#goal = undefined;
    this.#reporter.seek(position);
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
    video.addEventListener("playing", () => this.#stream?.hurry());
    video.addEventListener("loadedmetadata", () => this.#arrive());
    for (const name of ["seeked", "playing"]) video.addEventListener(name, () => { this.#goal = undefined; });
    video.addEventListener("waiting", () => this.#showCut());
  }

  /** Seeks to the position that was requested since the stream was opened. Otherwise the stream starts there by itself. */
  #arrive(): void {
    const position = this.#goal?.position;
    if (position === undefined || position === this.#openedAt) {
      if (this.#openedAt === 0) this.#goal = undefined;
      return;
    }
    this.#goal = undefined;
    this.#reporter.seek(position);
  }

  /** Resumes what the network outage interrupted. */
  readonly #online = (): void => {
    if (this.#cut) this.#stream?.retry();
    else if (this.#fault?.kind === "network") this.retry();
  };

  /** Applies the properties that were set before the element was defined. */
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

  /** Discards the current video and loads the one at src. */
  #load(): void {
    this.#unload();
    this.#found = undefined;
    this.#fault = this.#cut = undefined;
    this.#part.begin();
    this.#controls.showError("");
    // The page may set other properties in the same task.
    queueMicrotask(() => this.#open());
  }

  #unload(): void {
    this.#turn++;
    this.#reporter.cut();
    this.#stream?.close();
    this.#stream = undefined;
    this.#opening = undefined;
    this.#captions.clear();
  }

  /** Opens the stream, unless it is open or being opened. */
  #open(): void {
    if (this.#stream || this.#opening || !this.#connected || !this.src) return;
    const turn = this.#turn;
    const opening = this.#openNow(turn)
      .catch((error: unknown) => { if (turn === this.#turn) this.#fail(faultOf(error)); })
      .finally(() => { if (this.#opening === opening) this.#opening = undefined; });
    this.#opening = opening;
  }

  async #openNow(turn: number): Promise<void> {
    const found = await readVideo(this.src, this.#tokens);
    if (turn !== this.#turn) return;
    this.#found = found;
    this.#showPoster();
    this.#controls.reset();
    this.#reporter.begin(found.id);
    void this.#captions.load(found, this.#wordsNow().captions);
    const position = this.#openedAt = this.#goal?.position ?? this.#from;
    const stream = await openStream(this.video, streamOf(found), position, {
      renew: async () => {
        this.#found = await readVideo(this.src, this.#tokens);
        return streamOf(this.#found);
      },
      failed: (failure) => this.#streamFailed(failure),
      recovered: () => {
        if (!this.#cut) return;
        this.#fault = this.#cut = undefined;
        this.#controls.showError("");
      },
    });
    if (turn !== this.#turn) {
      stream.close();
      return;
    }
    this.#stream = stream;
    if (this.#goal?.plays ?? this.hasAttribute("autoplay")) void this.play().catch(() => {}); // browsers forbid what nobody asked for
  }

  #streamFailed(failure: StreamFailure): void {
    if (failure === "expired" && Date.now() - this.#renewed > renewalPause) {
      // The library could not continue with a new address, so the stream is opened again at the current position.
      this.#renewed = Date.now();
      this.retry();
      return;
    }
    const fault = new Fault(failure === "network" || failure === "expired" ? "network" : "media", 0, `the stream: ${failure}`);
    if (fault.kind === "network") {
      this.#cut = fault;
      this.#showCut();
    } else {
      this.#fail(fault);
    }
  }

  #fail(fault: Fault): void {
    this.#fault = fault;
    this.#controls.showError(this.#wordsNow()[fault.words]);
    this.dispatchEvent(new Event("error"));
  }

  /** Reports a network outage once nothing loaded is left to play. */
  #showCut(): void {
    if (!navigator.onLine) this.#cut ??= new Fault("network", 0, "the browser is offline");
    if (this.#cut && this.video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA) this.#fail(this.#cut);
  }

  #showPoster(): void {
    const address = this.poster || (this.#found && posterOf(this.#found, this.clientWidth * devicePixelRatio));
    if (address) this.video.poster = address;
    else this.video.removeAttribute("poster");
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
