import type Hls from "hls.js";
import type { ErrorData, HlsConfig } from "hls.js";
import { Renewals, renewing } from "./renewal";
import { Unanswered } from "./video";

/** The reason why a stream cannot be played. */
export type StreamFailure = "network" | "expired" | "media" | "unsupported";

/** The members of the player that a stream uses. */
export interface StreamOwner {
  /** Requests a new address of the stream from the service. */
  renew(): Promise<string>;
  /** Nothing more can be loaded. The loaded part still plays. */
  failed(failure: StreamFailure): void;
  /** Something was loaded, so the network is available again. */
  recovered(): void;
}

/** A stream in a media element. */
export interface Stream {
  /** Loads ahead for playback. Before the call, the stream loads only what the first picture needs. */
  hurry(): void;
  /** Tries again at once, because the network is available again. */
  retry(): void;
  close(): void;
}

const type = "application/vnd.apple.mpegurl";

/** How far the stream loads ahead before and during playback, in seconds. */
const aheadAtRest = 6;
const ahead = 30;

/** Whether this browser supports media source extensions. */
function canBuffer(): boolean {
  const sources = globalThis as { ManagedMediaSource?: typeof MediaSource; MediaSource?: typeof MediaSource };
  const source = sources.ManagedMediaSource ?? sources.MediaSource;
  return source?.isTypeSupported('video/mp4; codecs="avc1.42E01E,mp4a.40.2"') ?? false;
}

/** openStream plays a stream in a media element, from a position in seconds. */
export async function openStream(video: HTMLVideoElement, address: string, position: number, owner: StreamOwner): Promise<Stream> {
  if (canBuffer()) {
    const { default: Library } = await import("./hls").catch((error: unknown) => { throw new Unanswered(0, String(error)); });
    if (Library.isSupported()) return new BufferedStream(Library, video, address, position, owner);
  }
  if (video.canPlayType(type)) return new NativeStream(video, address, position, owner);
  throw new Error("this browser plays no streams");
}

/** A stream that hls.js plays. */
class BufferedStream implements Stream {
  #hls: Hls;
  #owner: StreamOwner;
  #recovered = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(Library: typeof Hls, video: HTMLVideoElement, address: string, position: number, owner: StreamOwner) {
    this.#owner = owner;
    const config: Partial<HlsConfig> = {
      // A worker would be a script of an origin that the policies of pages do not expect.
      enableWorker: false,
      startPosition: position,
      maxBufferLength: aheadAtRest,
      loader: renewing(Library.DefaultConfig.loader, new Renewals(address, () => owner.renew())),
    };
    this.#hls = new Library(config);
    this.#hls.on(Library.Events.ERROR, (_, data) => this.#failed(Library, data));
    this.#hls.on(Library.Events.FRAG_LOADED, () => owner.recovered());
    this.#hls.attachMedia(video);
    this.#hls.loadSource(address);
  }

  hurry(): void {
    this.#hls.config.maxBufferLength = ahead;
  }

  retry(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#hls.levels.length === 0) this.#hls.loadSource(this.#hls.url!);
    else this.#hls.startLoad();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#hls.destroy();
  }

  #failed({ ErrorTypes }: typeof Hls, data: ErrorData): void {
    if (data.type === ErrorTypes.NETWORK_ERROR) {
      // The library may also wait forever for a rendition although another is available.
      const status = data.response?.code ?? 0;
      this.#owner.failed(status === 403 || status === 410 ? "expired" : "network");
      this.#timer ??= setTimeout(() => this.retry(), 5_000);
    } else if (!data.fatal) {
      return;
    } else if (data.type === ErrorTypes.MEDIA_ERROR && this.#recovered++ < 2) {
      this.#hls.recoverMediaError();
    } else {
      this.#owner.failed("media");
    }
  }
}

/** A stream that the browser plays without hls.js. */
class NativeStream implements Stream {
  #video: HTMLVideoElement;
  #events = new AbortController();

  constructor(video: HTMLVideoElement, address: string, position: number, owner: StreamOwner) {
    this.#video = video;
    const { signal } = this.#events;
    video.addEventListener("error", () => {
      // The browser reports an expired address like any other error.
      owner.failed(video.error?.code === MediaError.MEDIA_ERR_DECODE ? "media" : "expired");
    }, { signal });
    video.addEventListener("loadedmetadata", () => {
      if (position > 0) video.currentTime = position;
    }, { signal, once: true });
    video.preload = "metadata";
    video.src = address;
  }

  hurry(): void {}

  retry(): void {}

  close(): void {
    this.#events.abort();
    this.#video.removeAttribute("src");
    this.#video.load();
  }
}
