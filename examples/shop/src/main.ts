// A small learning platform: search, watch and sign in, all through Filmstrip's HTTP API.
import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono, type Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { csrf } from "hono/csrf";
import type { html } from "hono/html";
import { secureHeaders } from "hono/secure-headers";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import * as oidc from "openid-client";
import { FilmstripError, type PlaybackBatch } from "./filmstrip.js";
import { browsePage, errorPage, layout, searchPage, videoPage } from "./pages.js";
import { filmstripURL, shopURL } from "./settings.js";
import { callback, callerOf, signIn, signOut, teacherOf } from "./signin.js";

const app = new Hono();

app.use(secureHeaders({
  referrerPolicy: "same-origin",
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    workerSrc: ["blob:"],
    imgSrc: ["'self'", "data:", filmstripURL.origin],
    mediaSrc: ["blob:", filmstripURL.origin],
    connectSrc: ["'self'", filmstripURL.origin],
    formAction: ["'self'", filmstripURL.origin], // sign-out continues at Filmstrip
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
}));
app.use(csrf({ origin: shopURL.origin }));

app.get("/", async (c) => {
  const { query: [text = ""] = [], page: [page = "0"] = [], subject = [], education_level = [], language = [] } = c.req.queries();
  const query = { query: text, page: Number.parseInt(page, 10) || 0, subject, education_level, language };
  const found = await callerOf(c).search({ ...query, size: 12, include_education_level_facets: true });
  return show(c, "Search", searchPage(query, found));
});

app.get("/browse", async (c) => show(c, "All videos", browsePage(await callerOf(c).feed(24, c.req.query("cursor")))));

app.get("/videos/:id", async (c) => {
  const video = await callerOf(c).video(c.req.param("id"));
  return show(c, video.title, videoPage(video));
});

// The browser reports to the shop, which alone has a token. A page of another origin cannot: it may not send JSON here.
app.post("/played", bodyLimit({ maxSize: 64 * 1024 }), async (c) => {
  if (c.req.header("Content-Type") !== "application/json") return c.json({ message: "The body must be application/json." }, 415);
  const { key, batch } = await c.req.json<{ key: string; batch: PlaybackBatch }>();
  await callerOf(c).report(batch, key);
  return c.body(null, 204);
});

app.get("/login", signIn);
app.get("/callback", callback);
app.post("/logout", signOut);
app.use(serveStatic({ root: "./public" }));
app.notFound((c) => show(c, "Not found", errorPage("The shop has no such page."), 404));

app.onError((error, c) => {
  if (error instanceof FilmstripError) {
    const { status, message, retryAfter } = error;
    if (retryAfter) c.header("Retry-After", retryAfter);
    const answer = (status === 401 || status >= 500 && status !== 503 ? 502 : status) as ContentfulStatusCode;
    return c.req.method === "GET" ? show(c, "That did not work", errorPage(message), answer) : c.json({ message }, answer);
  }
  if (c.req.path === "/callback" && isSignInError(error)) return show(c, "You are not signed in", errorPage(error.message), 400);
  if ("getResponse" in error) return error.getResponse();
  console.error(error);
  return show(c, "That did not work", errorPage("The shop cannot answer now. Try again later."), 502);
});

function isSignInError(error: Error): boolean {
  return error instanceof oidc.ClientError || error instanceof oidc.AuthorizationResponseError || error instanceof oidc.ResponseBodyError;
}

function show(c: Context, title: string, content: ReturnType<typeof html>, status: ContentfulStatusCode = 200) {
  return c.html(layout(title, teacherOf(c), content), status);
}

serve({ fetch: app.fetch, hostname: shopURL.hostname, port: Number(shopURL.port) || 8765 }, () => console.log(`open ${shopURL.href}`));
