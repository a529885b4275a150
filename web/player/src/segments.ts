/** A played segment, from start to end, in seconds of the media with millisecond precision. */
export interface Segment {
  start: number;
  end: number;
}

/** The callbacks for segments. */
export interface Segments {
  /** A segment is playing and has reached this position. */
  grows(segment: Segment): void;
  /** A segment has ended. It is not empty, and grows may have reported a part of it. */
  over(segment: Segment): void;
}

/**
 * Tracker derives segments from the positions of a media element. A position changes in only two ways:
 * by playback, and by a seek, which `rest` always announces. Therefore everything between the last rest
 * and the current position was played, at whatever speed.
 */
export class Tracker {
  #rested = 0;
  #reached = 0;
  #segments: Segments;

  constructor(segments: Segments) {
    this.#segments = segments;
  }

  /** The last observed position of playback. */
  get reached(): number {
    return this.#reached;
  }

  /** Notes that playback has reached this position. */
  advance(position: number): void {
    if (position <= this.#reached) return;
    this.#reached = position;
    const segment = this.#segment();
    if (segment) this.#segments.grows(segment);
  }

  /** Ends the current segment at this position. Playback may continue from here. */
  cut(position: number): void {
    this.#reached = Math.max(this.#reached, position);
    const segment = this.#segment();
    this.#rested = this.#reached;
    if (segment) this.#segments.over(segment);
  }

  /** Notes a position that was not reached by playback, and ends the segment before it. */
  rest(position: number): void {
    this.cut(this.#reached);
    this.#rested = this.#reached = position;
  }

  #segment(): Segment | undefined {
    const [start, end] = [milliseconds(this.#rested), milliseconds(this.#reached)];
    return end > start ? { start, end } : undefined;
  }
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

/**
 * endOf returns the position at which playback left a place: the end of the range of `played` that contains the last
 * observed position, unless that range comes from an earlier playback of the same place.
 */
export function endOf(played: TimeRanges, seen: number, mostUnseen: number): number {
  for (let i = 0; i < played.length; i++) {
    const end = played.end(i);
    if (played.start(i) - 0.001 <= seen && seen <= end && end - seen <= mostUnseen) return end;
  }
  return seen;
}
