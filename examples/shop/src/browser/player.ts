// The player of a video page: it plays the HLS stream, and reports the played segments in batches.
import Hls from "hls.js";
import type { components } from "../api.js";

type PlaybackEvent = components["schemas"]["PlaybackBatch"][number];

/** How often playback is reported, in milliseconds. */
const interval = 5_000;

const video = document.querySelector<HTMLVideoElement>("video[data-stream]")!;
const status = document.querySelector<HTMLElement>("#playback")!;
const { stream = "", video: videoId = "" } = video.dataset;

if (Hls.isSupported()) {
  const hls = new Hls();
  hls.on(Hls.Events.ERROR, (_, { fatal, details }) => {
    if (fatal) status.textContent = `The video does not play: ${details}. Reload the page.`;
  });
  hls.loadSource(stream);
  hls.attachMedia(video);
} else {
  video.src = stream; // Safari on phones plays HLS itself
}

// The segment that is playing, in seconds of the video. A jump ends it, and the next one starts behind the jump.
let segment: { start: number; end: number } | undefined;
let played: PlaybackEvent[] = [];

function advance(): void {
  const now = video.currentTime;
  if (video.paused || video.seeking) return;
  if (segment && now >= segment.end && now - segment.end < 2) segment.end = now;
  else {
    finish();
    segment = { start: now, end: now };
  }
}

function finish(): void {
  if (segment && segment.end > segment.start) {
    played.push({ videoId, segmentStartSeconds: segment.start, segmentEndSeconds: segment.end, captureTime: new Date().toISOString() });
  }
  segment = undefined;
}

for (const name of ["playing", "timeupdate"]) video.addEventListener(name, advance);
for (const name of ["seeking", "ended"]) video.addEventListener(name, finish);
video.addEventListener("pause", () => {
  if (segment && !video.seeking) segment.end = Math.max(segment.end, video.currentTime);
  finish();
});

// A batch keeps its key until the server has taken it, so that one sent twice counts once.
let unsent: { key: string; batch: PlaybackEvent[] } | undefined;
let sending = false;

async function report(): Promise<void> {
  if (sending) return;
  const current = segment;
  finish();
  if (current) segment = { start: current.end, end: current.end };
  if (!unsent && played.length > 0) unsent = { key: crypto.randomUUID(), batch: played.splice(0, 100) };
  if (!unsent) return;
  sending = true;
  try {
    const response = await fetch("/played", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(unsent),
      keepalive: true, // the request outlives the page
    });
    if (response.ok) status.textContent = "Playback reported";
    const again = response.status === 429 || response.status >= 500;
    if (!again) unsent = undefined; // the same batch would be refused again
  } catch {
    // The network is away: the next attempt sends the same batch.
  } finally {
    sending = false;
  }
}

setInterval(() => void report(), interval);
video.addEventListener("ended", () => void report());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") void report();
});
