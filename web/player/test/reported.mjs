// Plays a video of the demo in ways that lose events where they can be lost, and writes to standard output what the
// media elements of all pages say was played, as JSON: by the player's id, a list of ranges, in seconds.
//
// argv[2] is the page that holds the player, argv[3] the browser.
import { element, isReady, open, reaches } from "./browser.mjs";

const [address, executablePath] = process.argv.slice(2);
const { browser, context } = await open(executablePath);

// Each page keeps what its media element says was played, until its end, under the id of its player, which its events tell.
await context.addInitScript((name) => {
  const begun = Date.now();
  let id;
  const send = fetch;
  globalThis.fetch = (input, request) => {
    const { playerId, captureTime } = JSON.parse(typeof request?.body === "string" ? request.body : "{}");
    if (Date.parse(captureTime) > begun) id ??= playerId; // what is older is of the page before
    return send(input, request);
  };
  const record = () => {
    const played = document.querySelector(name)?.played;
    if (!id || !played?.length) return;
    const ranges = Array.from({ length: played.length }, (_, i) => [played.start(i), played.end(i)]);
    localStorage.setItem(`test:${id}`, JSON.stringify(ranges));
  };
  setInterval(record, 20);
  addEventListener("pagehide", record);
}, element);

const press = (page) => page.locator(element).evaluate((player) => player.play());
const waiting = (page) => page.evaluate(() => Object.entries(localStorage)
  .filter(([key]) => key.startsWith("filmstrip-player:")).map(([, text]) => JSON.parse(text)).filter((entry) => entry.kind === "playback").map((entry) => entry.open === true));
/** waits until some playback events wait to be sent, or none. What is being played waits to be over. */
async function waits(page, some) {
  const are = async () => (await waiting(page)).filter((open) => !open).length > 0;
  for (let tries = 0; await are() !== some; tries++) {
    if (tries > 150) throw new Error(some ? "no event waits" : "events wait that should have been sent");
    await page.waitForTimeout(100);
  }
}

let played;
try {
  // Plays, pauses, goes on, seeks forward, at double speed, back, and loses the network while it plays.
  let page = await context.newPage();
  await page.goto(address);
  await isReady(page);
  await press(page);
  await reaches(page, 2.6);
  await page.locator(element).evaluate((player) => player.pause());
  await page.waitForTimeout(300);
  await press(page);
  await reaches(page, 4);
  await page.locator(element).evaluate((player) => { player.currentTime = 14; });
  await reaches(page, 15);
  await page.locator(element).evaluate((player) => { player.playbackRate = 2; });
  await reaches(page, 18);
  await page.locator(element).evaluate((player) => { player.currentTime = 7.5; player.playbackRate = 1; });
  await reaches(page, 8.2);
  await context.setOffline(true);
  await reaches(page, 11);
  await page.locator(element).evaluate((player) => player.pause()); // what comes shall not reach what was played
  await waits(page, true);
  await context.setOffline(false);
  await waits(page, false);
  await press(page);
  await reaches(page, 12);

  // The page is loaded anew while it plays, and plays to the end.
  await page.reload();
  await isReady(page);
  await page.locator(element).evaluate((player) => { player.currentTime = 27; });
  await press(page);
  await page.waitForFunction((name) => document.querySelector(name).ended, element, { polling: 20 });

  // The network goes for good, and then the page.
  await page.reload();
  await isReady(page);
  await press(page);
  await reaches(page, 1);
  await context.setOffline(true);
  await reaches(page, 3.5);
  await page.close();
  await context.setOffline(false);

  // The next page tells what the one before could not; it is closed while it plays.
  page = await context.newPage();
  await page.goto(address);
  await isReady(page);
  await page.locator(element).evaluate((player) => { player.currentTime = 20; });
  await press(page);
  await reaches(page, 21.3);
  await page.close();

  // This one's process ends at once: nothing is told any more.
  page = await context.newPage();
  await page.goto(address);
  await isReady(page);
  await press(page);
  await reaches(page, 3.4);
  const debug = await context.newCDPSession(page);
  await Promise.race([debug.send("Page.crash").catch(() => {}), page.waitForEvent("crash")]);
  await page.close();

  page = await context.newPage();
  await page.goto(address);
  await isReady(page);
  for (let tries = 0; (await waiting(page)).length > 0; tries++) {
    if (tries > 150) throw new Error("what the page that crashed played is not told");
    await page.waitForTimeout(100);
  }
  played = await page.evaluate(() => Object.fromEntries(Object.entries(localStorage)
    .filter(([key]) => key.startsWith("test:")).map(([key, text]) => [key.slice(5), JSON.parse(text)])));
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify(played));
