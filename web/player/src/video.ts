import { expand, type Values } from "./template";
import type { Tokens } from "./tokens";

interface Link {
  href: string;
  templated?: boolean;
}

/** The part of a video's document that the player reads. */
interface Document {
  id: string;
  title: string;
  language: { code: string; displayName: string } | null;
  playback: { type: string; duration: string | null; _links?: Record<string, Link> } | null;
  _links?: Record<string, Link>;
}

/** Video is a video of the service, with the addresses of its resources. */
export class Video {
  readonly id: string;
  readonly title: string;
  /** The spoken language as a BCP 47 tag, or "" if it is unknown. */
  readonly language: string;
  /** The duration in seconds, or NaN if it is unknown. */
  readonly duration: number;
  #links: Record<string, Link>;
  #base: string;

  constructor(document: Document, base: string) {
    this.id = document.id;
    this.title = document.title;
    this.language = tagOf(document.language?.code);
    this.duration = secondsOf(document.playback?.duration);
    this.#links = { ...document._links, ...document.playback?._links };
    this.#base = base;
  }

  /** Returns the address of a relation with its template expanded, or undefined. */
  address(relation: string, values: Values = {}): string | undefined {
    const link = this.#links[relation];
    if (!link) return undefined;
    return new URL(link.templated ? expand(link.href, values) : link.href, this.#base).href;
  }

  /** Reports whether a relation is templated. */
  isTemplated(relation: string): boolean {
    return this.#links[relation]?.templated === true;
  }
}

/** An error response of the service. The status 0 means that there was no response. */
export class Unanswered extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** readVideo requests a video, with another token if the current one is refused. It throws an Unanswered. */
export async function readVideo(address: string, tokens: Tokens): Promise<Video> {
  const token = await tokens.get().catch((error: unknown) => { throw new Unanswered(401, String(error)); });
  try {
    return await readWith(address, token);
  } catch (error) {
    const other = error instanceof Unanswered && error.status === 401 ? await tokens.renew(token).catch(() => undefined) : undefined;
    if (other === undefined) throw error;
    return readWith(address, other);
  }
}

async function readWith(address: string, token: string | undefined): Promise<Video> {
  const response = await get(address, token, "application/hal+json");
  const document = await response.json().catch(() => undefined) as Document | undefined;
  if (typeof document?.id !== "string") throw new Unanswered(response.status, "this is no video");
  return new Video(document, response.url || address);
}

/** readCaptions requests the captions of a video as WebVTT. It throws an Unanswered. */
export async function readCaptions(address: string, token: string | undefined): Promise<string> {
  const response = await get(address, token, "application/json");
  const { content } = await response.json() as { content?: unknown };
  return String(content ?? "");
}

async function get(address: string, token: string | undefined, type: string): Promise<Response> {
  const headers: Record<string, string> = { Accept: type };
  if (token !== undefined) headers["Authorization"] = `Bearer ${token}`;
  let response: Response;
  try {
    response = await fetch(address, { headers, credentials: "omit" });
  } catch (error) {
    throw new Unanswered(0, String(error));
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => undefined) as { message?: string } | undefined;
  throw new Unanswered(response.status, body?.message ?? response.statusText);
}

/** secondsOf parses an ISO 8601 duration of hours, minutes and seconds. */
export function secondsOf(duration: string | null | undefined): number {
  const parts = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?$/.exec(duration ?? "");
  if (!parts) return NaN;
  const [, hours, minutes, seconds] = parts;
  return Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
}

/** tagOf converts an ISO 639-2 code to a BCP 47 tag. */
function tagOf(code: string | undefined): string {
  try {
    return code ? new Intl.Locale(code).toString() : "";
  } catch {
    return "";
  }
}
