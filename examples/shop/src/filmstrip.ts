// A client of Filmstrip's HAL API. It knows one URL, the index, and reaches everything else by links: a caller gets only
// the links that it may follow.
import { parseTemplate } from "url-template";
import type { components } from "./api.js";
import { filmstripURL } from "./settings.js";

type Schemas = components["schemas"];
export type Video = Schemas["Video"];
export type VideoSearch = Schemas["VideoSearch"];
export type VideoFeed = Schemas["VideoFeed"];
export type Facet = Schemas["Facet"];
export type PlaybackBatch = Schemas["PlaybackBatch"];
type Index = Schemas["Index"];
type Link = Schemas["Link"];
type Variables = Record<string, string | number | boolean | string[]>;

/** An answer of Filmstrip with a status from 400 up. The message is that of the API's error body. */
export class FilmstripError extends Error {
  constructor(readonly status: number, message: string, readonly retryAfter: string | null = null) {
    super(message);
  }
}

/** expand returns the URL of a link, whose href may be a template (RFC 6570).. */
export function expand(link: Link, variables: Variables = {}): string {
  return link.templated ? parseTemplate(link.href).expand(variables) : link.href;
}

/** Filmstrip calls the API with the tokens of one caller: the shop itself, or a teacher. */
export class Filmstrip {
  constructor(private readonly token: () => Promise<string>) {}

  /**
   * follow returns the URL of a link of the index. It throws a FilmstripError with status 403 if this caller's index has
   * no such link.
   */
  async follow(relation: keyof Index["_links"], variables?: Variables): Promise<string> {
    const index = await this.get<Index>(new URL("/v1/", filmstripURL).href);
    const link = index._links[relation];
    if (!link) throw new FilmstripError(403, `This account's index has no link ${relation}.`);
    return expand(link, variables);
  }

  /** search returns one page of results. A filter with several values matches videos with any of them. */
  async search(variables: Variables): Promise<VideoSearch> {
    return this.get<VideoSearch>(await this.follow("searchVideos", variables));
  }

  /** feed returns a page of all videos: the first one, or the one of a `next` link, of which it takes the cursor. */
  async feed(size: number, cursor?: string): Promise<VideoFeed> {
    const first = new URL(await this.follow("videoFeed", { size }));
    if (cursor) first.searchParams.set("cursor_id", cursor);
    return this.get<VideoFeed>(first.href);
  }

  async video(id: string): Promise<Video> {
    return this.get<Video>(await this.follow("video", { id }));
  }

  /**
   * report records playback, of which Filmstrip computes bills. It stores all segments or none. A batch that is sent
   * again with the same key counts once.
   */
  async report(batch: PlaybackBatch, key: string): Promise<void> {
    await this.send(await this.follow("createPlaybackEvents"), {
      method: "POST",
      headers: { "Content-Type": "application/json", "Idempotency-Key": key },
      body: JSON.stringify(batch),
    });
  }

  private async get<Document>(url: string): Promise<Document> {
    return (await this.send(url)).json() as Promise<Document>;
  }

  private async send(url: string, request: RequestInit = {}): Promise<Response> {
    const headers = new Headers(request.headers);
    headers.set("Authorization", `Bearer ${await this.token()}`);
    const response = await fetch(url, { ...request, headers, signal: AbortSignal.timeout(10_000) });
    if (response.ok) return response;
    const problem = (await response.json().catch(() => ({}))) as Partial<Schemas["Error"]>;
    throw new FilmstripError(response.status, problem.message ?? response.statusText, response.headers.get("Retry-After"));
  }
}
