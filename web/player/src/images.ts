import type { Video } from "./video";

/** The widths of posters in pixels are multiples of a step, so that caches on the way keep few variants. */
const step = 160;
const widest = 1920;

/** posterOf returns the address of an image of a video for a place of this width in pixels, or undefined. */
export function posterOf(video: Video, width: number): string | undefined {
  const thumbnailWidth = Math.min(widest, Math.max(step, Math.ceil((width || 640) / step) * step));
  return video.address("thumbnail", { thumbnailWidth });
}

/** previewOf returns the address of an image with this many pictures of a video side by side, each of this width in pixels. */
export function previewOf(video: Video, width: number, pictures: number): string | undefined {
  if (!video.isTemplated("videoPreview")) return undefined;
  return video.address("videoPreview", { thumbnailWidth: width, thumbnailCount: pictures });
}
