// Walks through the explorer at the address in argv[2] in a real browser, with the client id and secret in argv[3]
// and argv[4], by the keyboard where that is shorter, and writes what happened to standard output as JSON:
//
//   requests    every address that the browser asked for while the page was open
//   console     every warning and error of the console, and every error of the page
//   outcomes    what the page said of each request
//   links       the relations of the index that it shows
//   form        the fields of the search's template: a description, a type, whether too large a number is valid, choices
//   documents   what it showed: the index, a search, a video, the video after back and forward, what was refused
//   traffic     the exchanges that it lists, the last first, and one of them in full
//   stored      what the page keeps in the browser: cookies and storage
//   violations  what axe-core finds at each step
//
// argv[5] is the browser; argv[6], if given, the file for a screenshot.
import { open, violations } from "./browser.mjs";

const [address, clientID, secret, executablePath, screenshot] = process.argv.slice(2);
const { browser, context, page, seen } = await open(executablePath);
Object.assign(seen, { outcomes: [], documents: [], links: [] });

// settled waits until the page says what became of a request, and notes what it shows.
async function settled(pattern) {
  const outcome = page.getByRole("status").filter({ hasText: pattern });
  await outcome.first().waitFor();
  seen.outcomes.push(await page.locator("#outcome").innerText());
  seen.documents.push(await page.locator("#document").innerText());
}

try {
  await page.goto(address);
  seen.violations.push(...await violations(page));
  await page.getByLabel("Client id").fill(clientID);
  await page.getByLabel("Secret").fill(secret);
  await page.keyboard.press("Enter");
  await settled(/GET \/v1\/: 200/);
  seen.links = await page.locator("#links li button").evaluateAll((buttons) => buttons.map((button) => button.textContent));
  seen.violations.push(...await violations(page));

  // A template is filled in.
  await page.getByRole("button", { name: "searchVideos …" }).focus();
  await page.keyboard.press("Enter");
  const form = page.getByRole("form", { name: "searchVideos" });
  await form.getByLabel("query", { exact: true }).fill("of & the");
  const size = form.getByLabel("size", { exact: true });
  await size.fill("501");
  seen.form = {
    help: await form.locator("small").first().innerText(), type: await size.getAttribute("type"), valid: await size.evaluate((input) => input.validity.valid),
    choices: await form.getByRole("listbox", { name: "type" }).getByRole("option").allInnerTexts(),
  };
  await size.fill("2");
  for (const type of ["INSTRUCTIONAL", "STOCK"]) await form.getByRole("option", { name: type, exact: true }).click();
  seen.violations.push(...await violations(page));
  await form.getByRole("button", { name: "Send" }).click();
  await settled(/GET \/v1\/videos\?.*: 200/);

  // A link is followed, and the way back.
  const video = page.locator("#links > details").nth(1); // the first are the links of the page of results
  await video.locator("summary").click();
  await video.getByRole("button", { name: "self", exact: true }).click();
  await settled(/GET \/v1\/videos\/\w+: 200/);
  await page.getByRole("button", { name: "Back" }).click();
  await settled(/GET \/v1\/videos\?.*: 200/);
  await page.getByRole("button", { name: "Forward" }).click();
  await settled(/GET \/v1\/videos\/\w+: 200/);

  // Something is posted, and refused.
  await page.locator("summary", { hasText: "playback" }).first().click();
  await page.getByRole("button", { name: "createPlaybackEvent with another method" }).click();
  const event = page.getByRole("form", { name: "createPlaybackEvent" });
  await event.getByRole("button", { name: /Method$/ }).click();
  await page.getByRole("option", { name: "POST" }).click();
  await event.getByLabel("Body (JSON)").fill("{}");
  await event.getByRole("button", { name: "Send" }).click();
  await settled(/POST \/v1\/events\/playback: 400/);
  seen.violations.push(...await violations(page));

  seen.traffic = { list: await page.locator("#traffic summary").allInnerTexts() };
  await page.locator("#traffic summary").first().click();
  seen.traffic.first = await page.locator("#traffic li").first().innerText();
  seen.violations.push(...await violations(page));
  seen.stored = { cookies: (await context.cookies()).length, kept: await page.evaluate(() => localStorage.length + sessionStorage.length) };
  if (screenshot) await page.screenshot({ path: screenshot });
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify(seen));
