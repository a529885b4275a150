// What the tests of the player share: a browser, the demo's video, a page of another origin with a strict policy
// that holds the player, and a record of what its media element says was played.
import { readFile } from "node:fs/promises";
import { chromium } from "playwright-core";

/** The longest that anything is waited for, in milliseconds. */
export const patience = 15_000;

/** open starts a browser. */
export async function open(executablePath) {
  const browser = await chromium.launch({
    executablePath,
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--autoplay-policy=no-user-gesture-required",
      "--disable-background-networking", "--disable-component-update", "--disable-sync",
    ],
  });
  const context = await browser.newContext({ viewport: { width: 1000, height: 700 } });
  context.setDefaultTimeout(patience);
  return { browser, context };
}

/** watch notes what a page complains of. */
export function watch(page) {
  const console = [];
  page.on("console", (message) => {
    if (["warning", "error"].includes(message.type())) console.push(message.text());
  });
  page.on("pageerror", (error) => console.push(String(error)));
  return console;
}

/** The player of a page, within the page. */
export const element = "filmstrip-player";

/** state is what the player says of itself. */
export function state(page) {
  return page.locator(element).evaluate((player) => ({
    position: player.currentTime, duration: player.duration, paused: player.paused, ended: player.ended, muted: player.muted, speed: player.playbackRate,
    ready: player.readyState, error: player.error?.kind ?? null, tracks: Array.from(player.textTracks, (track) => `${track.language} ${track.mode}`),
    played: Array.from({ length: player.played.length }, (_, i) => [player.played.start(i), player.played.end(i)]),
  }));
}

/** reaches waits until the player has got somewhere, in seconds of the video. */
export async function reaches(page, position) {
  await page.waitForFunction(([name, at]) => {
    const player = document.querySelector(name);
    return player.currentTime >= at && !player.seeking;
  }, [element, position], { timeout: patience, polling: 20 });
}

/** isReady waits until the player can play. */
export async function isReady(page) {
  await page.waitForFunction((name) => document.querySelector(name).readyState >= 3, element, { timeout: patience, polling: 20 });
}

const axe = await readFile(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/** violations are what axe-core finds on a page as it stands. It is brought in by the debugger, which no policy holds up. */
export async function violations(page) {
  const debug = await page.context().newCDPSession(page);
  await debug.send("Runtime.evaluate", { expression: axe });
  const { result, exceptionDetails } = await debug.send("Runtime.evaluate", {
    expression: "axe.run().then((found) => JSON.stringify(found.violations))", awaitPromise: true, returnByValue: true,
  });
  if (exceptionDetails) throw new Error(exceptionDetails.text);
  return JSON.parse(result.value).flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 200)}`));
}
