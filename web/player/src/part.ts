/**
 * Part stops a media element at the end of the played part of a video, as exactly as timers
 * allow.
 */
export class Part {
  #media: HTMLVideoElement;
  #end: () => number;
  #ended: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the part was played to its end, and nothing else since. */
  isOver = false;

  /** end is the end of the part in seconds, or Infinity for the end of the video. ended is called at that point. */
  constructor(media: HTMLVideoElement, end: () => number, ended: () => void) {
    this.#media = media;
    this.#end = end;
    this.#ended = ended;
    for (const name of ["playing", "seeked", "ratechange", "timeupdate"]) media.addEventListener(name, () => this.watch());
  }

  /** Starts another part, or another position in it. */
  begin(): void {
    this.isOver = false;
    this.watch();
  }

  watch(): void {
    const { paused, seeking, currentTime, playbackRate, duration } = this.#media;
    const end = this.#end();
    clearTimeout(this.#timer);
    if (paused || seeking || !(end < duration)) return;
    const left = (end - currentTime) / playbackRate;
    if (left > 0) {
      this.#timer = setTimeout(() => this.watch(), Math.min(1000 * left, 1000));
      return;
    }
    this.isOver = true;
    this.#media.addEventListener("pause", this.#ended, { once: true });
    this.#media.pause();
  }
}
