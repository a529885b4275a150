import { readCaptions, type Video } from "./video";
import type { Tokens } from "./tokens";

const relation = "captions";

/** Captions manages the text tracks of a media element: those of the service and those of the stream. */
export class Captions {
  #media: HTMLVideoElement;
  #tokens: Tokens;
  #added: { track: HTMLTrackElement; address: string } | undefined;
  /** Called when the tracks have changed, or another track is shown. */
  changed: () => void = () => {};

  constructor(media: HTMLVideoElement, tokens: Tokens) {
    this.#media = media;
    this.#tokens = tokens;
    for (const name of ["addtrack", "removetrack", "change"]) media.textTracks.addEventListener(name, () => this.changed());
  }

  /** The tracks to choose from. */
  get tracks(): TextTrack[] {
    return Array.from(this.#media.textTracks).filter(({ kind }) => kind === "captions" || kind === "subtitles");
  }

  /** The shown track. */
  get shown(): TextTrack | undefined {
    return this.tracks.find((track) => track.mode === "showing");
  }

  /** Shows a track, or hides all. */
  show(track: TextTrack | undefined): void {
    for (const one of this.tracks) one.mode = one === track ? "showing" : "disabled";
  }

  /** Loads the captions of a video, if it has any. A video without captions plays, too. */
  async load(video: Video, label: string): Promise<void> {
    this.clear();
    const address = video.address(relation, { format: "vtt" });
    if (address === undefined) return;
    const text = await readCaptions(address, this.#tokens.current).catch(() => "");
    if (!text) return;
    this.clear();
    const track = document.createElement("track");
    const file = URL.createObjectURL(new Blob([text], { type: "text/vtt" }));
    track.kind = "captions";
    track.srclang = video.language;
    track.label = nameOf(video.language) ?? label;
    track.src = file;
    this.#added = { track, address: file };
    this.#media.append(track);
  }

  clear(): void {
    this.#added?.track.remove();
    if (this.#added) URL.revokeObjectURL(this.#added.address);
    this.#added = undefined;
  }
}

/** nameOf returns the name of a language in that language. */
function nameOf(tag: string): string | undefined {
  if (!tag) return undefined;
  return new Intl.DisplayNames([tag], { type: "language" }).of(tag);
}
