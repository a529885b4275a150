// The pages. Hono's `html` escapes every value.
import { html, raw } from "hono/html";
import { expand, type Facet, type Video, type VideoFeed, type VideoSearch } from "./filmstrip.js";

type Markup = ReturnType<typeof html>;

export function layout(title: string, teacher: string | undefined, content: Markup): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} – The film shop</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header>
<nav aria-label="Main"><a href="/">The film shop</a> <a href="/browse">All videos</a></nav>
${teacher
    ? html`<form method="post" action="/logout"><span>Signed in as ${teacher}</span> <button>Sign out</button></form>`
    : html`<a href="/login">Sign in</a>`}
</header>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>`;
}

/** The query of the search page. Its names are those of Filmstrip's parameters. */
export type Query = { query: string; page: number; subject: string[]; education_level: string[]; language: string[] };

export function searchPage(query: Query, found: VideoSearch): Markup {
  const { number, totalPages, totalElements } = found.page;
  const page = (to: number, text: string) => html`<a href="${address({ ...query, page: to })}">${text}</a>`;
  return html`<form role="search" action="/">
<p><label>Search <input type="search" name="query" value="${query.query}"></label> <button>Search</button></p>
<div class="facets">
${choices("Subject", "subject", found.facets.subjects, query.subject)}
${choices("Education level", "education_level", found.facets.educationLevels, query.education_level)}
${choices("Language", "language", found.facets.languages, query.language)}
</div>
</form>
<p role="status">${totalElements} videos</p>
${list(found._embedded.videos)}
<nav aria-label="Pages">
${number > 0 ? page(number - 1, "Previous page") : ""}
${number + 1 < totalPages ? page(number + 1, "Next page") : ""}
</nav>`;
}

export function browsePage(feed: VideoFeed): Markup {
  const { next } = feed._links;
  const cursor = next && new URL(next.href).searchParams.get("cursor_id");
  return html`${list(feed._embedded.videos)}
<nav aria-label="Pages">${cursor ? html`<a href="/browse?${new URLSearchParams({ cursor }).toString()}">Next page</a>` : ""}</nav>`;
}

export function videoPage(video: Video): Markup {
  const { hlsStream } = video.playback._links ?? {};
  return html`${hlsStream
    ? html`<video controls playsinline poster="${poster(video, 1000)}" data-stream="${hlsStream.href}" data-video="${video.id}"></video>
<p id="playback" role="status"></p>
<script type="module" src="/player.js"></script>`
    : html`<p>Your account does not include this stream.</p>`}
<p>${video.description}</p>
<p>${[video.createdBy, ...video.subjects.map(({ name }) => name), length(video)].filter(Boolean).join(" · ")}</p>`;
}

export function errorPage(message: string): Markup {
  return html`<p>${message}</p><p><a href="/">Search for videos</a></p>`;
}

function choices(legend: string, name: string, facet: Facet, chosen: string[]): Markup {
  const values = Object.entries(facet).sort(([, a], [, b]) => b.hits - a.hits).slice(0, 8);
  if (values.length === 0) return html``;
  return html`<fieldset><legend>${legend}</legend>
${values.map(([value, { name: text, hits }]) => html`<label><input type="checkbox" name="${name}" value="${value}"
  ${chosen.includes(value) ? raw("checked") : ""}> ${text ?? value} (${hits})</label>`)}
</fieldset>`;
}

function list(videos: Video[]): Markup {
  return html`<ul class="videos">${videos.map((video) => html`<li><a href="/videos/${video.id}">
<img src="${poster(video, 320)}" alt="" width="320" height="180" loading="lazy"> ${video.title}</a> <span>${length(video)}</span></li>`)}</ul>`;
}

function poster(video: Video, thumbnailWidth: number): string {
  const thumbnail = video.playback._links.thumbnail;
  return thumbnail ? expand(thumbnail, { thumbnailWidth }) : "data:,";
}

/** length writes an ISO 8601 duration (PT1H2M3.5S) as a clock does (1:02:03). */
function length(video: Video): string {
  const [, hours, minutes = "0", seconds = "0"] = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?$/.exec(video.playback.duration ?? "") ?? [];
  const end = seconds.padStart(2, "0");
  return hours ? `${hours}:${minutes.padStart(2, "0")}:${end}` : `${minutes}:${end}`;
}

function address(query: Query): string {
  const parameters = new URLSearchParams({ query: query.query, page: String(query.page) });
  for (const name of ["subject", "education_level", "language"] as const) {
    for (const value of query[name]) parameters.append(name, value);
  }
  return `/?${parameters.toString()}`;
}
