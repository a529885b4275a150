// Measures interactions with the lists of the console at the address in argv[2], in a real browser, and writes to standard
// output as JSON, for each interaction, the milliseconds of every repetition: paint, from the interaction to the next paint
// (the longest event of the Event Timing API), and answer, from the interaction until the page shows its answer.
//
// argv[3] is the browser.
import { open, signInToConsole } from "./browser.mjs";

const [address, executablePath] = process.argv.slice(2);
const repetitions = 12;
const { browser, page } = await open(executablePath);
await signInToConsole(page, address, "owner");
await page.setViewportSize({ width: 1440, height: 900 });

const measured = {};
// settled waits until the page shows what it asked for, for two frames.
const settled = () => page.evaluate(async () => {
  const frame = () => new Promise((resume) => requestAnimationFrame(() => resume()));
  for (let still = 0; still < 2;) {
    await frame();
    still = document.querySelector('.skeleton, [aria-busy="true"]') ? 0 : still + 1;
  }
});
async function measure(name, prepare, act, done = settled) {
  measured[name] = { paint: [], answer: [] };
  for (let i = 0; i < repetitions; i++) {
    await prepare(i);
    await settled();
    await page.evaluate(() => { window.slowest = 0; });
    const begin = performance.now();
    await act(i);
    await done(i);
    measured[name].answer.push(Math.round(performance.now() - begin));
    await page.waitForTimeout(100); // the observer is told after the paint
    measured[name].paint.push(await page.evaluate(() => window.slowest));
  }
}

const list = async () => {
  await page.goto(`${address}#/`);
  await page.goto(`${address}#/videos`);
  await page.getByRole("region", { name: "Videos" }).waitFor();
};
await list();
const words = (await page.getByRole("region", { name: "Videos" }).getByRole("rowheader").allInnerTexts()).map((title) => title.trim().split(/\s+/).slice(0, 2).join(" "));
const busy = () => page.waitForFunction(() => document.querySelector('[aria-busy="true"]'), undefined, { timeout: 500 }).catch(() => {});
const afterTyping = async () => { await busy(); await settled(); };
// Each repetition chooses within another search, so that no answer is remembered.
const found = async (i) => {
  await page.goto(`${address}#/`);
  await page.goto(`${address}#/videos?state=ALL&text=${encodeURIComponent(words[i].split(" ")[0])}`);
  await page.getByRole("region", { name: "Videos" }).waitFor();
};
const choose = (label) => async () => {
  await page.getByLabel(label, { exact: true }).focus();
  await page.keyboard.press("ArrowDown");
};
await measure("choose a subject", found, choose("Subject"), async () => { await busy(); await settled(); });
await measure("choose a channel", found, choose("Channel"), async () => { await busy(); await settled(); });
await measure("choose an order", found, choose("Order"), async () => { await busy(); await settled(); });
await measure("choose a state", list, (i) => page.getByRole("navigation", { name: "State" }).getByRole("link").nth(1 + i % 5).click());
await measure("type a text", list, (i) => page.getByRole("searchbox").pressSequentially(words[i]), afterTyping);
await measure("open a video", list, (i) => page.getByRole("region", { name: "Videos" }).getByRole("link").nth(i).click());
await measure("go to, by the keyboard", list, async (i) => {
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("searchbox").waitFor();
  await page.keyboard.type(words[i]);
}, async () => { await page.getByRole("dialog").getByRole("link", { name: /^Video/ }).first().waitFor(); });
await measure("open the taxonomy", async () => { await page.keyboard.press("Escape"); await page.goto(`${address}#/`); }, (i) => page.goto(`${address}#/taxonomy?kind=${["SUBJECT", "CHANNEL", "TOPIC", "TAG"][i % 4]}`).then(() => page.getByRole("heading", { name: "Taxonomy" }).waitFor()));
await browser.close();
process.stdout.write(JSON.stringify(measured));
