import type { Video } from "./video";

/** The widths of posters, in pixels: multiples of a step, so that caches on the way have few to keep. */
const step = 160;
const widest = 1920;

/** posterOf is the address of an image of a video, for a place so many pixels wide; undefined: there is none. */
export function posterOf(video: Video, width: number): string | undefined {
  const thumbnailWidth = Math.min(widest, Math.max(step, Math.ceil((width || 640) / step) * step));
  return video.address("thumbnail", { thumbnailWidth });
}

/** previewOf is the address of one image of so many pictures of a video, side by side, each so many pixels wide. */
export function previewOf(video: Video, width: number, pictures: number): string | undefined {
  if (!video.isTemplated("videoPreview")) return undefined;
  return video.address("videoPreview", { thumbnailWidth: width, thumbnailCount: pictures });
}
