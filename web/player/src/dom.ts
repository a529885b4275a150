type Attributes = Record<string, string>;

/** make creates an element with attributes and children. */
export function make<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Attributes = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** The paths of the icons, in a square of 24 units. */
const icons = {
  play: "M8 5v14l11-7z",
  pause: "M6 5h4v14H6zM14 5h4v14h-4z",
  replay: "M12 5V1L7 6l5 5V7a6 6 0 1 1-6 6H4a8 8 0 1 0 8-8z",
  loud: "M3 9v6h4l5 5V4L7 9zM16.5 12A4.5 4.5 0 0 0 14 8v8a4.5 4.5 0 0 0 2.5-4zM14 3.2v2.1a7 7 0 0 1 0 13.4v2.1a9 9 0 0 0 0-17.6z",
  muted: "M3 9v6h4l5 5V4L7 9zM21 9.4 19.6 8 17 10.6 14.4 8 13 9.4l2.6 2.6-2.6 2.6 1.4 1.4 2.6-2.6 2.6 2.6 1.4-1.4-2.6-2.6z",
  captions: "M19 4H5a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h14a2 2 0 0 0 2-2V6a2 2 0 0 0-2-2zm-8 7H9.5v-.5h-2v3h2V13H11v1a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1v-4a1 1 0 0 1 1-1h3a1 1 0 0 1 1 1zm7 0h-1.5v-.5h-2v3h2V13H18v1a1 1 0 0 1-1 1h-3a1 1 0 0 1-1-1v-4a1 1 0 0 1 1-1h3a1 1 0 0 1 1 1z",
  picture: "M19 7h-8v6h8zm2-4H3a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h18a2 2 0 0 0 2-2V5a2 2 0 0 0-2-2zm0 16H3V5h18z",
  full: "M7 14H5v5h5v-2H7zM5 10h2V7h3V5H5zm12 7h-3v2h5v-5h-2zM14 5v2h3v3h2V5z",
  window: "M5 16h3v3h2v-5H5zm3-8H5v2h5V5H8zm6 11h2v-3h3v-2h-5zm2-11V5h-2v5h5V8z",
} as const;

export type Icon = keyof typeof icons;

const svg = "http://www.w3.org/2000/svg";

function draw(icon: Icon): SVGElement {
  const image = document.createElementNS(svg, "svg");
  image.setAttribute("viewBox", "0 0 24 24");
  image.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(svg, "path");
  path.setAttribute("d", icons[icon]);
  image.append(path);
  return image;
}

/** A labelled button of the bar. */
export class Button {
  readonly element: HTMLButtonElement;
  #icon: Icon | undefined;
  #label = "";

  constructor(part: string, press: () => void) {
    this.element = make("button", { type: "button", part: `button ${part}`, class: part });
    this.element.addEventListener("click", press);
  }

  /** key is the equivalent key, in the syntax of aria-keyshortcuts. */
  show(label: string, icon: Icon | undefined, key?: string): void {
    if (label !== this.#label) {
      this.element.setAttribute("aria-label", label);
      this.element.title = key ? `${label} (${key})` : label;
      if (key) this.element.setAttribute("aria-keyshortcuts", key);
      this.#label = label;
    }
    if (icon && icon !== this.#icon) this.element.replaceChildren(draw(icon));
    this.#icon = icon;
  }
}

/** timeText formats seconds as 1:05 or 1:02:05. */
export function timeText(seconds: number): string {
  const whole = Number.isFinite(seconds) ? Math.max(0, Math.floor(seconds)) : 0;
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const digits = (value: number) => String(value).padStart(2, "0");
  return hours ? `${hours}:${digits(minutes)}:${digits(rest)}` : `${minutes}:${digits(rest)}`;
}
