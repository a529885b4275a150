// Opens the page of the documentation in a browser, presses play, and writes to standard output as JSON what the page
// complained of, how far the video got, and how the events that it told of were answered.
//
// argv[2] is the page, argv[3] the browser.
import { element, isReady, open, reaches, state, watch } from "./browser.mjs";

const [address, executablePath] = process.argv.slice(2);
const { browser, context } = await open(executablePath);
const seen = { events: [] };
try {
  const page = await context.newPage();
  const complaints = watch(page);
  page.on("response", (response) => {
    if (response.url().endsWith("/v1/events/playback") && response.request().method() === "POST") seen.events.push(response.status());
  });
  await page.goto(address);
  await isReady(page);
  await page.locator(element).getByRole("button", { name: "Play" }).click();
  await reaches(page, 1);
  const answered = page.waitForResponse((response) => response.url().endsWith("/v1/events/playback") && response.request().method() === "POST");
  await page.locator(element).getByRole("button", { name: "Pause" }).click();
  await answered;
  seen.position = (await state(page)).position;
  seen.console = complaints;
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify(seen));
