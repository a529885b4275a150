// Uses the player in a page as viewers do, and meets what can go wrong, and writes what it saw to standard output as JSON:
//
//   console      what the browser complained of while all was well: breaches of the page's policy, too
//   violations   what axe-core finds: at rest, while it plays with an open menu, and with an error
//   walk         what the keyboard reaches, by name, from before the player to behind it
//   keys         what each key brought about
//   interactions the subtypes that the player told of, in order
//   errors       the kind of error and the words, for each of what goes wrong, and what is there after another attempt
//   renewal      of a stream whose address expired: the ranges played, what the media element suffered, and the addresses used
//   provider     how often the page was asked for a token, and what became of a video whose first token was refused
//   native       how many ranges were played where the browser plays streams by itself, and the error
//   phone        the share of the player's width that the timeline has on a narrow screen
//   part         where a part of a video began and ended
//   refused      the events that the service would not take
//
// argv[2] is the page that holds the player; argv[3] the browser; the environment's FILMSTRIP_TEST_SCREENSHOT a file for a picture.
import { element, isReady, open, patience, reaches, state, violations, watch } from "./browser.mjs";

const [address, executablePath] = process.argv.slice(2);
const { browser, context } = await open(executablePath);
const seen = { violations: [], walk: [], keys: {}, interactions: [], errors: {} };

const player = (page) => page.locator(element);
const focused = (page) => page.evaluate((name) => {
  const inside = document.querySelector(name).shadowRoot.activeElement;
  return inside ? inside.getAttribute("aria-label") : document.activeElement.tagName;
}, element);

async function keyboard(page) {
  const says = (key, what) => async () => {
    await page.keyboard.press(key);
    await page.waitForTimeout(150);
    seen.keys[key] = what(await state(page));
  };
  const { duration } = await state(page);
  await page.keyboard.press("Tab");
  for (let i = 0; i < 12 && await focused(page) !== "BODY"; i++) {
    seen.walk.push(await focused(page));
    await page.keyboard.press("Tab");
  }
  await player(page).getByRole("region").focus();
  for (const step of [
    says("k", ({ paused }) => !paused), says("Space", ({ paused }) => paused),
    says("5", ({ position }) => Math.round(position / duration * 100)), says("ArrowRight", ({ position }) => Math.round(position)),
    says("ArrowLeft", ({ position }) => Math.round(position)), says("l", ({ position }) => Math.round(position)),
    says("j", ({ position }) => Math.round(position)), says("Home", ({ position }) => Math.round(position)),
    says("m", ({ muted }) => muted), says("c", ({ tracks }) => tracks[0]), says(">", ({ speed }) => speed), says("<", ({ speed }) => speed),
  ]) await step();
  await page.keyboard.press("f");
  await page.waitForFunction(() => document.fullscreenElement !== null, null, { timeout: patience });
  await page.keyboard.press("f");
  await page.waitForFunction(() => document.fullscreenElement === null, null, { timeout: patience });
}

/** onAPhone returns the share of the player's width that its timeline has on a narrow screen. */
async function onAPhone(page) {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 360, height: 640 });
  const share = await player(page).evaluate((one) => one.shadowRoot.querySelector(".timeline").clientWidth / one.clientWidth);
  await page.setViewportSize(size);
  return share;
}

/** menu chooses by keys what comes first above what is chosen. */
async function menu(page) {
  await player(page).getByRole("button", { name: /^Speed/ }).focus();
  await page.keyboard.press("Enter");
  await player(page).getByRole("menuitemradio", { name: "Normal" }).waitFor();
  seen.violations.push(...await violations(page));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await player(page).getByRole("button", { name: /^Speed.*1.25/ }).waitFor();
  seen.keys.menu = (await state(page)).speed;
  seen.keys.after = await focused(page);
}

/** fails meets an error: what the player says then, and after another attempt where that is well. */
async function fails(page, name, { heal } = {}) {
  const alert = player(page).getByRole("alert");
  await alert.waitFor();
  const { error } = await state(page);
  seen.errors[name] = [error, await alert.locator("p").innerText()];
  if (!heal) return;
  await heal();
  await alert.getByRole("button").click();
  await isReady(page);
  seen.errors[name].push((await state(page)).error);
}

try {
  let page = await context.newPage();
  const complaints = watch(page);
  page.on("request", (request) => {
    if (request.url().endsWith("/player-interaction")) seen.interactions.push(request.postDataJSON().subtype);
  });
  await page.goto(address);
  await isReady(page);
  seen.violations.push(...await violations(page));
  await page.evaluate(() => { document.querySelector("h1").tabIndex = -1; document.querySelector("h1").focus(); });
  await keyboard(page);
  await menu(page);
  await player(page).hover({ position: { x: 400, y: 300 } });
  const timeline = player(page).getByRole("slider", { name: "Position" });
  await timeline.hover();
  await page.waitForTimeout(300);
  seen.preview = await player(page).evaluate(({ shadowRoot }) => shadowRoot.querySelector(".picture").style.backgroundImage);
  if (process.env.FILMSTRIP_TEST_SCREENSHOT) await page.screenshot({ path: process.env.FILMSTRIP_TEST_SCREENSHOT });
  seen.phone = await onAPhone(page);
  seen.console = [...complaints];

  // An event that the service does not take is said.
  await page.route("**/v1/events/playback", (route) => route.fulfill({
    status: 400, headers: { "Access-Control-Allow-Origin": "*" }, contentType: "application/json", body: '{"message":"Invalid Event"}',
  }), { times: 1 });
  seen.refused = await player(page).evaluate((one) => new Promise((done) => {
    one.addEventListener("filmstripeventrefused", ({ detail }) => done([detail.status, detail.message, detail.body.segmentStartSeconds]));
    one.currentTime = 20;
    one.play().then(() => setTimeout(() => one.pause(), 300));
    setTimeout(() => done(null), 8000);
  }));
  await page.close();

  // A token that nobody knows, and its words in another language; then a good one.
  page = await context.newPage();
  await page.goto(address);
  await isReady(page);
  const token = await player(page).getAttribute("token");
  await player(page).evaluate((one) => {
    one.lang = "de";
    one.token = "nobody's";
    one.src += "?again";
  });
  await fails(page, "token");
  seen.violations.push(...await violations(page));
  await player(page).evaluate((one, good) => { one.token = good; }, token);
  await isReady(page);
  seen.errors.token.push((await state(page)).error);

  // A video that is not there; a service that is not; a page that gives tokens itself.
  await player(page).evaluate((one) => {
    one.lang = "en";
    one.dataset.src = one.src;
    one.src = new URL("5c54d6cdd8eafeecae2063ff", one.src).href;
  });
  await fails(page, "missing");
  await page.route("**/v1/videos/**", (route) => route.fulfill({ status: 503, headers: { "Access-Control-Allow-Origin": "*" }, body: "{}" }));
  await player(page).evaluate((one) => { one.src = one.dataset.src; });
  await fails(page, "unavailable", { heal: () => page.unroute("**/v1/videos/**") });
  seen.provider = await player(page).evaluate(async (one, good) => {
    let asked = 0;
    const fresh = one.cloneNode();
    fresh.removeAttribute("token");
    fresh.tokenProvider = async () => (++asked === 1 ? "refused" : good);
    one.replaceWith(fresh);
    await new Promise((done, fail) => {
      fresh.addEventListener("loadedmetadata", done);
      fresh.addEventListener("error", () => fail(new Error(fresh.error.message)));
      setTimeout(() => fail(new Error("nothing is loaded")), 8000);
    });
    return [asked, fresh.videoTitle !== ""];
  }, token);

  // A part of the video.
  seen.part = await player(page).evaluate((one) => new Promise((done) => {
    one.start = 3;
    one.end = 4.5;
    one.currentTime = 0;
    const begun = one.currentTime;
    one.addEventListener("ended", () => done([begun, one.currentTime, one.paused, one.ended]));
    one.play();
    setTimeout(() => done([]), 8000);
  }));
  await page.close();

  // The network is gone until what was loaded has been played, and comes back.
  page = await context.newPage();
  let files = 0;
  await page.route(/\/v1\/streams\/.*\.ts$/, (route) => (files++ === 0 ? route.continue() : route.abort()));
  await page.goto(address);
  await isReady(page);
  await player(page).evaluate((one) => one.play());
  await fails(page, "network");
  await page.unroute(/\/v1\/streams\/.*\.ts$/);
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await reaches(page, 7);
  seen.errors.network.push((await state(page)).error);
  await page.close();

  // A browser that lets no script put a stream together plays it by itself.
  page = await context.newPage();
  await page.addInitScript(() => { delete globalThis.MediaSource; delete globalThis.ManagedMediaSource; });
  await page.goto(address);
  await isReady(page);
  await player(page).evaluate((one) => one.play());
  await reaches(page, 1);
  await player(page).evaluate((one) => { one.currentTime = 10; });
  await reaches(page, 10.5);
  const native = await state(page);
  seen.native = [native.played.length, native.error];
  await page.close();

  // The address of the stream expires while it is loaded; the video has a new one.
  page = await context.newPage();
  const used = { first: 0, second: 0, refused: 0 };
  let read = 0;
  await page.route("**/v1/videos/*", async (route) => {
    const response = await route.fetch();
    const text = (await response.text()).replace(/\/v1\/streams\/([^/]+)\//, read++ === 0 ? "/v1/streams/first-$1/" : "/v1/streams/second-$1/");
    await route.fulfill({ response, body: text });
  });
  await page.route(/\/v1\/streams\/(first|second)-/, async (route) => {
    const url = route.request().url();
    const of = url.includes("/first-") ? "first" : "second";
    if (of === "first" && used.first >= 3) { // the playlists and a segment
      used.refused++;
      await route.fulfill({ status: 403, headers: { "Access-Control-Allow-Origin": "*" }, body: "{}" });
      return;
    }
    used[of]++;
    await route.fulfill({ response: await route.fetch({ url: url.replace(`${of}-`, "") }) });
  });
  await page.goto(address);
  await isReady(page);
  await player(page).evaluate((one) => {
    globalThis.suffered = [];
    for (const name of ["emptied", "error", "seeking", "pause"]) one.addEventListener(name, () => suffered.push(name));
    one.play();
  });
  await reaches(page, 8);
  seen.renewal = { played: (await state(page)).played.length, suffered: await page.evaluate(() => suffered), used };
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify(seen));
