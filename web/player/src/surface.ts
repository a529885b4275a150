import type { MediaSurface } from "./api";

/** The events of the media element that the player fires under the same names. */
const events = [
  "abort", "canplay", "canplaythrough", "durationchange", "emptied", "enterpictureinpicture", "leavepictureinpicture", "loadeddata",
  "loadedmetadata", "loadstart", "pause", "play", "playing", "progress", "ratechange", "seeked", "seeking", "stalled", "suspend",
  "timeupdate", "volumechange", "waiting",
];

/** The properties that the player passes on to the media element. */
const passed = [
  "muted", "paused", "playbackRate", "played", "buffered", "seekable", "seeking", "readyState", "networkState", "textTracks",
  "videoWidth", "videoHeight", "volume",
] as const;

export interface Surface extends Pick<MediaSurface, typeof passed[number]> {}

/** Surface is an element that behaves like the media element within it. */
export class Surface extends HTMLElement {
  protected readonly video = document.createElement("video");

  constructor() {
    super();
    for (const name of events) this.video.addEventListener(name, () => this.dispatchEvent(new Event(name)));
  }
}

for (const name of passed) {
  Object.defineProperty(Surface.prototype, name, {
    configurable: true,
    enumerable: true,
    get(this: { video: HTMLVideoElement }) { return this.video[name]; },
    set(this: { video: Record<string, unknown> }, value: unknown) { this.video[name] = value; },
  });
}
