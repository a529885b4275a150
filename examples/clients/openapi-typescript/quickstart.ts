// First requests to Filmstrip with types by openapi-typescript and the client of openapi-fetch.
import createClient from "openapi-fetch";
import type { components, paths } from "./generated/schema.js";

type Schemas = components["schemas"];

const client = createClient<paths>({ baseUrl: process.env.BASE_URL });
client.use({
  async onResponse({ response }) {
    if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
  },
});

const token = (
  await client.POST("/v1/token", {
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: { grant_type: "client_credentials", client_id: "demo", client_secret: "demo-secret" },
  })
).data!;
const authorization = `Bearer ${token.access_token}`;
client.use({
  onRequest({ request }) {
    request.headers.set("Authorization", authorization);
  },
});

// follow reads the document behind a link.
async function follow<T>(link: Schemas["Link"]): Promise<T> {
  const response = await fetch(link.href, { headers: { authorization } });
  if (!response.ok) throw new Error(`${link.href}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

const titles = (page: Schemas["VideoSearch"]) => page._embedded.videos.map((video) => video.title).join(", ");

const index = (await client.GET("/v1")).data!;
console.log(`Search at ${index._links.searchVideos!.href}`);

const found = (
  await client.GET("/v1/videos", {
    params: { query: { query: "water", language: ["eng"], duration_max: "PT10M", size: 3 } },
  })
).data!;
console.log(`${found.page.totalElements} videos: ${titles(found)}`);
const next = await follow<Schemas["VideoSearch"]>(found._links.next!);
console.log(`Page ${next.page.number + 1}: ${titles(next)}`);

const id = found._embedded.videos[0].id;
const video = (await client.GET("/v1/videos/{id}", { params: { path: { id } } })).data!;
const playlist = await (await fetch(video.playback._links.hlsStream!.href)).text();
console.log(`${video.title} (${video.playback.duration}): ${playlist.split("\n", 1)[0]}`);

await client.POST("/v1/events/playback", {
  params: { header: { "Idempotency-Key": crypto.randomUUID() } },
  body: { videoId: id, segmentStartSeconds: 0, segmentEndSeconds: 12.5, userId: "pupil-7" },
});
console.log("12.5 seconds are reported.");

const subjects = (await client.GET("/v1/subjects")).data!;
console.log(`Subjects: ${subjects._embedded.subjects.map((subject) => subject.name).join(", ")}`);
