import type { Captions } from "./captions";
import { Button, make, timeText } from "./dom";
import { onKey, type KeyActions } from "./keyboard";
import { Menu, type Choice } from "./menu";
import type { Strings } from "./strings";
import { Timeline, type TimelineOwner } from "./timeline";

/** The members of the player that the controls use. */
export interface ControlsOwner extends TimelineOwner {
  host: HTMLElement;
  media: HTMLVideoElement;
  captions: Captions;
  strings(): Strings & { language: string };
  title(): string;
  /** The start and end of the played part, in seconds. */
  range(): { from: number; to: number };
  ended(): boolean;
  play(): void;
  pause(): void;
  retry(): void;
  told(subtype: string, payload?: Record<string, unknown>): void;
}

const speeds = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2];

/** During playback, the bar disappears after this many milliseconds without a pointer or key event. */
const idleAfter = 3_000;

/** Controls are the visible controls of the player. */
export class Controls {
  readonly element: HTMLDivElement;
  readonly #owner: ControlsOwner;
  readonly #large: Button;
  readonly #play: Button;
  readonly #mute: Button;
  readonly #picture: Button;
  readonly #full: Button;
  readonly #captions: Menu;
  readonly #speed: Menu;
  readonly #timeline: Timeline;
  readonly #volume = make("input", { type: "range", min: "0", max: "1", step: "0.05", part: "volume", class: "volume" });
  readonly #time = make("div", { class: "time", part: "time" });
  readonly #spinner = make("div", { class: "spinner", part: "spinner" });
  readonly #said = make("div", { class: "said", role: "status" });
  readonly #errorText = make("p");
  readonly #retry: Button;
  readonly #error: HTMLDivElement;
  #lastTrack: TextTrack | undefined;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(owner: ControlsOwner) {
    this.#owner = owner;
    const { media } = owner;
    this.#large = new Button("large", () => {
      this.#toggle();
      this.element.focus({ preventScroll: true }); // the button goes; the keys go on
    });
    // This button is for pointers only; the bar has one for everybody.
    this.#large.element.tabIndex = -1;
    this.#large.element.setAttribute("aria-hidden", "true");
    this.#play = new Button("play", () => this.#toggle());
    this.#mute = new Button("mute", () => this.#toggleMute());
    this.#picture = new Button("picture-in-picture", () => void this.#togglePicture());
    this.#full = new Button("fullscreen", () => void this.#toggleFull());
    this.#captions = new Menu("captions", () => this.#captionChoices());
    this.#speed = new Menu("speed", () => speeds.map((speed) => this.#speedChoice(speed)));
    this.#timeline = new Timeline(owner);
    this.#retry = new Button("retry", () => owner.retry());
    this.#error = make("div", { class: "error", role: "alert", part: "error" }, this.#errorText, this.#retry.element);
    this.#error.hidden = this.#spinner.hidden = true;
    this.#volume.addEventListener("input", () => this.#setVolume(Number(this.#volume.value)));
    const bar = make("div", { class: "bar", part: "controls" }, this.#play.element, this.#timeline.element, this.#time,
      this.#mute.element, this.#volume, this.#captions.element, this.#speed.element, this.#picture.element, this.#full.element);
    this.element = make("div", { class: "frame", role: "region", tabindex: "0" }, media, this.#spinner, this.#large.element, bar, this.#error, this.#said);
    this.#listen();
  }

  /** Discards the state of the previous video. */
  reset(): void {
    this.#timeline.reset();
    this.#lastTrack = undefined;
    this.translate();
  }

  /** Renders all texts again in the current language. */
  translate(): void {
    const strings = this.#owner.strings();
    this.element.lang = strings.language;
    this.element.setAttribute("aria-label", this.#owner.title() || strings.player);
    this.#timeline.slider.setAttribute("aria-label", strings.timeline);
    this.#volume.setAttribute("aria-label", strings.volume);
    this.#captions.show(strings.captions, "captions", "c");
    this.#picture.show(strings.pictureInPicture, "picture");
    this.#retry.show(strings.retry, undefined);
    this.#retry.element.textContent = strings.retry;
    this.refresh();
  }

  /** Shows an error in the viewer's language, or hides it if the text is "". */
  showError(text: string): void {
    this.#errorText.textContent = text;
    this.#error.hidden = text === "";
    this.refresh();
  }

  /** Updates all controls. */
  refresh(): void {
    const { media, captions } = this.#owner;
    const strings = this.#owner.strings();
    const ended = this.#owner.ended();
    const [label, icon] = ended ? [strings.replay, "replay" as const] : media.paused ? [strings.play, "play" as const] : [strings.pause, "pause" as const];
    this.#play.show(label, icon, "k");
    this.#large.show(label, icon);
    this.#large.element.hidden = !media.paused || !this.#error.hidden;
    this.#mute.show(media.muted ? strings.unmute : strings.mute, media.muted || media.volume === 0 ? "muted" : "loud", "m");
    this.#volume.value = String(media.muted ? 0 : media.volume);
    this.#volume.style.setProperty("--done", `${100 * Number(this.#volume.value)}%`);
    this.#captions.element.hidden = captions.tracks.length === 0;
    this.#captions.element.classList.toggle("on", captions.shown !== undefined);
    this.#speed.show(`${strings.speed}: ${this.#speedText(media.playbackRate)}`, undefined);
    this.#speed.text = this.#speedText(media.playbackRate);
    this.#picture.element.hidden = !document.pictureInPictureEnabled;
    this.#full.element.hidden = !this.#canFill();
    this.#full.show(this.#isFull() ? strings.leaveFullscreen : strings.fullscreen, this.#isFull() ? "window" : "full", "f");
    const went = this.#spinner.hidden;
    this.#spinner.hidden = !this.#error.hidden || media.paused || media.readyState >= 3;
    if (went && !this.#spinner.hidden) this.#say(strings.loading);
    this.#showTime();
  }

  #showTime(): void {
    const { media } = this.#owner;
    const { from, to } = this.#owner.range();
    const text = `${timeText(media.currentTime - from)} / ${timeText(to - from)}`;
    if (this.#time.textContent !== text) this.#time.textContent = text;
    const said = this.#owner.strings().timeOf.replace("{a}", timeText(media.currentTime - from)).replace("{b}", timeText(to - from));
    this.#timeline.show(from, to, media.currentTime, loadedAt(media), said);
  }

  #listen(): void {
    const { media, host, captions } = this.#owner;
    for (const name of ["play", "pause", "playing", "waiting", "ended", "canplay", "volumechange", "ratechange", "durationchange", "seeking", "seeked",
      "loadedmetadata", "emptied"]) {
      media.addEventListener(name, () => this.refresh());
    }
    for (const name of ["timeupdate", "progress"]) media.addEventListener(name, () => this.#showTime());
    media.addEventListener("click", () => this.#toggle());
    media.addEventListener("dblclick", () => void this.#toggleFull());
    captions.changed = () => this.refresh();
    host.addEventListener("fullscreenchange", () => {
      this.#owner.told(this.#isFull() ? "fullscreenEnabled" : "fullscreenDisabled");
      this.refresh();
    });
    this.element.addEventListener("keydown", (event) => { if (onKey(event, this.#keys)) this.#awake(); });
    for (const name of ["pointermove", "pointerdown", "focusin"]) this.element.addEventListener(name, () => this.#awake());
    media.addEventListener("playing", () => this.#awake());
    media.addEventListener("pause", () => this.#awake());
  }

  readonly #keys: KeyActions = {
    toggle: () => this.#toggle(),
    jump: (seconds) => {
      this.#owner.seek(this.#owner.media.currentTime + seconds);
      this.#owner.told(seconds > 0 ? "jumpedForward" : "jumpedBackward", { seconds: Math.abs(seconds) });
    },
    goTo: (share) => {
      const { from, to } = this.#owner.range();
      this.#owner.seek(from + share * (to - from));
    },
    louder: (by) => this.#setVolume(this.#owner.media.volume + by),
    faster: (steps) => {
      const { media } = this.#owner;
      const at = speeds.findLastIndex((speed) => speed <= media.playbackRate);
      media.playbackRate = speeds[Math.min(speeds.length - 1, Math.max(0, at + steps))]!;
      this.#say(`${this.#owner.strings().speed}: ${this.#speedText(media.playbackRate)}`);
    },
    mute: () => this.#toggleMute(),
    captions: () => this.#toggleCaptions(),
    fullscreen: () => void this.#toggleFull(),
  };

  #toggle(): void {
    if (this.#owner.media.paused) this.#owner.play();
    else this.#owner.pause();
  }

  #toggleMute(): void {
    const { media } = this.#owner;
    media.muted = !media.muted;
    const strings = this.#owner.strings();
    this.#say(`${strings.volume}: ${media.muted ? 0 : Math.round(100 * media.volume)}%`);
  }

  #setVolume(volume: number): void {
    const { media } = this.#owner;
    media.volume = Math.min(1, Math.max(0, Math.round(100 * volume) / 100));
    media.muted = media.volume === 0;
    this.#say(`${this.#owner.strings().volume}: ${Math.round(100 * media.volume)}%`);
  }

  #speedText(speed: number): string {
    return `${new Intl.NumberFormat(this.#owner.strings().language).format(speed)}×`;
  }

  #speedChoice(speed: number): Choice {
    const { media } = this.#owner;
    const label = speed === 1 ? this.#owner.strings().normalSpeed : this.#speedText(speed);
    return { label, chosen: media.playbackRate === speed, choose: () => { media.playbackRate = speed; } };
  }

  #captionChoices(): Choice[] {
    const { captions } = this.#owner;
    const choice = (label: string, track: TextTrack | undefined): Choice =>
      ({ label, chosen: captions.shown === track, choose: () => this.#showCaptions(track) });
    return [choice(this.#owner.strings().captionsOff, undefined), ...captions.tracks.map((track) => choice(track.label, track))];
  }

  #toggleCaptions(): void {
    const { captions } = this.#owner;
    this.#showCaptions(captions.shown ? undefined : this.#lastTrack ?? captions.tracks[0]);
  }

  #showCaptions(track: TextTrack | undefined): void {
    const { captions } = this.#owner;
    const before = captions.shown;
    if (track === before) return;
    captions.show(track);
    this.#lastTrack = track ?? before;
    const { kind, language, label } = (track ?? before)!;
    const subtype = !track ? "captionsDisabled" : before ? "captionsLanguageChanged" : "captionsEnabled";
    this.#owner.told(subtype, { kind, language, label });
    this.#say(`${this.#owner.strings().captions}: ${track ? label : this.#owner.strings().captionsOff}`);
    this.refresh();
  }

  async #togglePicture(): Promise<void> {
    const { media } = this.#owner;
    if (document.pictureInPictureElement) await document.exitPictureInPicture();
    else await media.requestPictureInPicture().catch(() => {}); // nothing is loaded yet
  }

  #isFull(): boolean {
    return document.fullscreenElement === this.#owner.host;
  }

  #canFill(): boolean {
    return document.fullscreenEnabled || "webkitEnterFullscreen" in this.#owner.media;
  }

  async #toggleFull(): Promise<void> {
    const { host, media } = this.#owner;
    if (this.#isFull()) await document.exitFullscreen();
    else if (document.fullscreenEnabled) await host.requestFullscreen().catch(() => {}); // the page may forbid it
    else (media as { webkitEnterFullscreen?(): void }).webkitEnterFullscreen?.();
  }

  #awake(): void {
    this.element.classList.remove("idle");
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      if (!this.#owner.media.paused && !this.#captions.isOpen && !this.#speed.isOpen) this.element.classList.add("idle");
    }, idleAfter);
  }

  #say(text: string): void {
    this.#said.textContent = text;
  }
}

/** loadedAt returns the end of the loaded range that contains the position. */
function loadedAt({ buffered, currentTime }: HTMLVideoElement): number {
  for (let i = 0; i < buffered.length; i++) {
    if (buffered.start(i) - 0.1 <= currentTime && currentTime <= buffered.end(i)) return buffered.end(i);
  }
  return currentTime;
}
