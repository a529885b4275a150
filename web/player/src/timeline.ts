import { make, timeText } from "./dom";

/** The members of the player that a timeline uses. */
export interface TimelineOwner {
  /** Seeks to a position in seconds. */
  seek(position: number): void;
  /** The duration of the whole video in seconds. */
  duration(): number;
  /** Returns the address of an image with this many pictures side by side, each of this width in pixels, or undefined. */
  preview(width: number, pictures: number): string | undefined;
}

/** The number of pictures in a preview, and their width in pixels of the page. */
const pictures = 20;
const width = 160;

/** Timeline shows the position and the loaded range, seeks, and previews positions. */
export class Timeline {
  readonly element: HTMLDivElement;
  readonly slider: HTMLInputElement;
  readonly #preview: HTMLDivElement;
  readonly #picture: HTMLDivElement;
  readonly #time: HTMLSpanElement;
  readonly #owner: TimelineOwner;
  #from = 0;
  #to = 0;
  #held = false;
  #previewOf: string | undefined;

  constructor(owner: TimelineOwner) {
    this.#owner = owner;
    this.slider = make("input", { type: "range", min: "0", max: "0", step: "any", value: "0", part: "timeline" });
    this.#picture = make("div", { class: "picture" });
    this.#time = make("span");
    this.#preview = make("div", { class: "preview", part: "preview", "aria-hidden": "true" }, this.#picture, this.#time);
    this.#preview.hidden = true;
    this.element = make("div", { class: "timeline" }, this.#preview, this.slider);
    this.slider.addEventListener("input", () => {
      this.#held = true;
      this.#paint(Number(this.slider.value));
    });
    this.slider.addEventListener("change", () => {
      this.#held = false;
      owner.seek(Number(this.slider.value));
    });
    this.element.addEventListener("pointermove", (event) => this.#look(event));
    this.element.addEventListener("pointerleave", () => { this.#preview.hidden = true; });
  }

  /** Discards the preview. */
  reset(): void {
    this.#previewOf = undefined;
    this.#picture.style.backgroundImage = "";
    this.#preview.hidden = true;
  }

  /** Shows the bounds of the played part, the position and the loaded range, in seconds. text describes the position. */
  show(from: number, to: number, position: number, loaded: number, text: string): void {
    if (from !== this.#from || to !== this.#to) {
      [this.#from, this.#to] = [from, to];
      this.slider.min = String(from);
      this.slider.max = String(to);
    }
    this.slider.style.setProperty("--loaded", this.#percent(loaded));
    if (this.#held) return;
    this.slider.value = String(position);
    this.slider.setAttribute("aria-valuetext", text);
    this.#paint(position);
  }

  #paint(position: number): void {
    this.slider.style.setProperty("--done", this.#percent(position));
  }

  #percent(position: number): string {
    const share = this.#to > this.#from ? (position - this.#from) / (this.#to - this.#from) : 0;
    return `${100 * Math.min(1, Math.max(0, share))}%`;
  }

  /** Shows the picture under the pointer. The image is loaded on first use. */
  #look(event: PointerEvent): void {
    const box = this.slider.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / (box.width || 1)));
    const position = this.#from + share * (this.#to - this.#from);
    this.#time.textContent = timeText(position);
    this.#picture.hidden = !this.#load();
    const picture = Math.min(pictures - 1, Math.floor(pictures * position / (this.#owner.duration() || 1)));
    this.#picture.style.backgroundPositionX = `${-picture * width}px`;
    this.#preview.hidden = false;
    const left = Math.min(Math.max(0, share * box.width - width / 2), Math.max(0, box.width - width));
    this.#preview.style.left = `${left}px`;
  }

  #load(): boolean {
    if (this.#previewOf === undefined) {
      const sharp = Math.min(2, Math.max(1, Math.round(devicePixelRatio)));
      this.#previewOf = this.#owner.preview(width * sharp, pictures) ?? "";
      if (this.#previewOf) this.#picture.style.backgroundImage = `url("${this.#previewOf}")`;
    }
    return this.#previewOf !== "";
  }
}
