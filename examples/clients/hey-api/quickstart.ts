// First requests to Filmstrip with the client that @hey-api/openapi-ts generates.
import { client } from "./generated/client.gen.js";
import {
  getIndex, getSubjects, getToken, getVideo, recordPlayback, searchVideos, type Link, type VideoSearch,
} from "./generated/index.js";

client.setConfig({ baseUrl: process.env.BASE_URL as `${string}://${string}` });
const { data: token } = await getToken({
  body: { grant_type: "client_credentials", client_id: "demo", client_secret: "demo-secret" },
});
client.setConfig({ auth: token.access_token });

// follow reads the document behind a link.
async function follow<T>(link: Link): Promise<T> {
  const response = await fetch(link.href, { headers: { authorization: `Bearer ${token.access_token}` } });
  if (!response.ok) throw new Error(`${link.href}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

const titles = (page: VideoSearch) => page._embedded.videos.map((video) => video.title).join(", ");

const { data: index } = await getIndex();
console.log(`Search at ${index._links.searchVideos!.href}`);

const { data: found } = await searchVideos({
  query: { query: "water", language: ["eng"], duration_max: "PT10M", size: 3 },
});
console.log(`${found.page.totalElements} videos: ${titles(found)}`);
const next = await follow<VideoSearch>(found._links.next!);
console.log(`Page ${next.page.number + 1}: ${titles(next)}`);

const id = found._embedded.videos[0].id;
const { data: video } = await getVideo({ path: { id } });
const playlist = await (await fetch(video.playback._links.hlsStream!.href)).text();
console.log(`${video.title} (${video.playback.duration}): ${playlist.split("\n", 1)[0]}`);

await recordPlayback({
  headers: { "Idempotency-Key": crypto.randomUUID() },
  body: { videoId: id, segmentStartSeconds: 0, segmentEndSeconds: 12.5, userId: "pupil-7" },
});
console.log("12.5 seconds are reported.");

const { data: subjects } = await getSubjects();
console.log(`Subjects: ${subjects._embedded.subjects.map((subject) => subject.name).join(", ")}`);
