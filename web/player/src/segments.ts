/** What was played: from start to end, in seconds of the media, to the millisecond. */
export interface Segment {
  start: number;
  end: number;
}

/** What becomes of segments. */
export interface Segments {
  /** A segment is being played and has got so far. */
  grows(segment: Segment): void;
  /** A segment is over. It is not empty, and a part of it may have been told by grows. */
  over(segment: Segment): void;
}

/**
 * Tracker makes segments of what a media element tells of its position. The position moves in two ways
 * only: by playing, and by a seek, which is always told by `rest`. So whatever lies between where the
 * position rested and where it has got to was played, at whatever speed.
 */
export class Tracker {
  #rested = 0;
  #reached = 0;
  #segments: Segments;

  constructor(segments: Segments) {
    this.#segments = segments;
  }

  /** How far playback has been seen to get. */
  get reached(): number {
    return this.#reached;
  }

  /** Playback has got here. */
  advance(position: number): void {
    if (position <= this.#reached) return;
    this.#reached = position;
    const segment = this.#segment();
    if (segment) this.#segments.grows(segment);
  }

  /** Playback is here, and what was played up to here is a segment of its own; it may go on from here. */
  cut(position: number): void {
    this.#reached = Math.max(this.#reached, position);
    const segment = this.#segment();
    this.#rested = this.#reached;
    if (segment) this.#segments.over(segment);
  }

  /** The position is another one without having been played to. What was played before is over. */
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
 * endOf is where playback was when it left a place: the end of the range of `played` that holds the last
 * position that was seen, unless that range was made by an earlier look at the same place.
 */
export function endOf(played: TimeRanges, seen: number, mostUnseen: number): number {
  for (let i = 0; i < played.length; i++) {
    const end = played.end(i);
    if (played.start(i) - 0.001 <= seen && seen <= end && end - seen <= mostUnseen) return end;
  }
  return seen;
}
