import { Surface } from "./surface";

const defaultSegmentSeconds = 30;

/** Attributes are the properties that reflect attributes. */
export class Attributes extends Surface {
  get src(): string { return this.getAttribute("src") ?? ""; }
  set src(address: string) { this.setAttribute("src", address); }

  get token(): string { return this.getAttribute("token") ?? ""; }
  set token(token: string) { this.setAttribute("token", token); }

  get start(): number { return between(Number(this.getAttribute("start")), 0, Infinity) ?? 0; }
  set start(seconds: number) { this.setAttribute("start", String(seconds)); }

  get end(): number { return between(Number(this.getAttribute("end") || Infinity), 0, Infinity) ?? Infinity; }
  set end(seconds: number) { this.setAttribute("end", String(seconds)); }

  get segmentSeconds(): number {
    return between(Number(this.getAttribute("segment-seconds") || defaultSegmentSeconds), 1, 600) ?? defaultSegmentSeconds;
  }
  set segmentSeconds(seconds: number) { this.setAttribute("segment-seconds", String(seconds)); }

  get unreported(): boolean { return this.hasAttribute("unreported"); }
  set unreported(unreported: boolean) { this.toggleAttribute("unreported", unreported); }

  get poster(): string { return this.getAttribute("poster") ?? ""; }
  set poster(address: string) { this.setAttribute("poster", address); }
}

/** between returns a number within bounds, or undefined if the text is no number. */
export function between(value: number, least: number, most: number): number | undefined {
  return Number.isNaN(value) ? undefined : Math.min(most, Math.max(least, value));
}
