// Walks through the shop in a browser, and prints as JSON what a visitor sees.
// Arguments: the URL of the shop, the teacher's name and password, the browser.
import { readFile } from "node:fs/promises";
import { chromium } from "playwright-core";

const [shop, username, password, executablePath] = process.argv.slice(2);
const axe = await readFile(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const context = await browser.newContext();
context.setDefaultTimeout(30_000);
const page = await context.newPage();
const seen = { console: [], violations: [], reports: [] };

page.on("console", (message) => {
  if (["warning", "error"].includes(message.type())) seen.console.push(message.text());
});
page.on("pageerror", (error) => seen.console.push(String(error)));
page.on("request", (request) => {
  if (request.url().endsWith("/played")) seen.reports.push(request.postDataJSON());
});

/** check notes every fault of accessibility that axe-core calls serious or critical. */
async function check(name) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  for (const { id, impact, nodes } of violations) {
    if (["serious", "critical"].includes(impact)) seen.violations.push(`${name}: ${id} at ${nodes.map(({ target }) => target).join(", ")}`);
  }
}

const titles = () => page.locator(".videos a").allInnerTexts();
const total = async () => Number.parseInt(await page.getByRole("status").innerText(), 10);

/** go clicks, and waits until the page to which that leads is complete. */
async function go(locator) {
  const before = page.url();
  await locator.click();
  await page.waitForURL((url) => url.href !== before);
}

/** play plays the video of the page until a report of it has arrived, and pauses. */
async function play() {
  await page.locator("video").evaluate((video) => {
    video.muted = true;
    return video.play();
  });
  await page.getByText("Playback reported").waitFor();
  await page.locator("video").evaluate((video) => video.pause());
}

// A search, the next page of it, and a filter.
await page.goto(shop);
await page.getByLabel("Search").fill("water");
await go(page.getByRole("button", { name: "Search" }));
seen.found = await total();
seen.first = await titles();
await check("search");
await go(page.getByRole("link", { name: "Next page" }));
seen.second = await titles();
const subject = page.getByRole("group", { name: "Subject" }).getByRole("checkbox").first();
seen.promised = Number(/\((\d+)\)/.exec(await page.getByRole("group", { name: "Subject" }).locator("label").first().innerText())[1]);
await subject.check();
await go(page.getByRole("button", { name: "Search" }));
seen.filtered = await total();

// Every video, by the feed's links.
await go(page.getByRole("link", { name: "All videos" }));
seen.all = 0;
await check("browse");
for (let more = true; more; ) {
  seen.all += (await titles()).length;
  const next = page.getByRole("link", { name: "Next page" });
  more = (await next.count()) > 0;
  if (more) await go(next);
}

// A video, played by a visitor.
await page.goto(`${shop}/?query=water+cycle`);
await go(page.locator(".videos a").first());
await check("video");
seen.poster = await page.locator("video").evaluate(async (video) => {
  const image = new Image();
  image.src = video.poster;
  await image.decode();
  return image.naturalWidth;
});
await play();
const video = page.url();

// The same video, played by a teacher.
await page.getByRole("link", { name: "Sign in" }).click();
await page.locator("[name=username]").fill(username);
await page.locator("[name=password]").fill(password);
await page.locator("[name=password]").press("Enter");
await page.getByText("Signed in as").waitFor();
seen.teacher = await page.locator("header span").innerText();
await check("signed in");
await page.goto(video);
await play();
await page.waitForLoadState("networkidle");
await page.goto(shop);
await page.getByRole("button", { name: "Sign out" }).click();
await page.waitForURL((url) => url.pathname !== "/logout");
if (!page.url().startsWith(shop)) await page.getByRole("button").first().click(); // Filmstrip asks
await page.getByRole("link", { name: "Sign in" }).waitFor();

// Errors are pages. Their own page is not watched: the browser notes each status in its console.
const errors = await context.newPage();
seen.errors = [];
for (const path of ["/videos/000000000000000000000000", "/?query=water&page=-1", "/callback?code=stolen&state=guessed", "/nowhere"]) {
  const answer = await errors.goto(shop + path);
  seen.errors.push(`${answer.status()} ${await errors.locator("main p").first().innerText()}`);
}
await browser.close();
console.log(JSON.stringify(seen));
