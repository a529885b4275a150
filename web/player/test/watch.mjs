// Walks through the pages that play a video to people, as they do: opens the share page at the address that the demo
// printed, signs in, presses play, and looks at what becomes of mistakes; then lets pages of other origins frame a video.
// argv[2] is a JSON object, argv[3] the browser. What was seen goes to standard output as JSON.
import { element, open, patience, reaches, violations, watch } from "./browser.mjs";

const [given, executablePath] = process.argv.slice(2);
const { address, username, password, missing, allowed, other, expired, embed } = JSON.parse(given);
const { browser, context } = await open(executablePath);
const seen = { violations: {}, console: [] };

// plays presses the button and waits until the video has gone on.
async function plays(frame) {
  await frame.getByRole("button", { name: "Play", exact: true }).first().click();
  await reaches(frame, 1.2);
  await frame.locator(element).evaluate((player) => player.pause());
}

// framed opens a page and waits for what it frames.
async function framed(page, at) {
  await page.goto(at);
  await page.locator("iframe").scrollIntoViewIfNeeded();
  return (await page.locator("iframe").elementHandle()).contentFrame();
}

try {
  const page = await context.newPage();
  seen.console = watch(page);
  await page.goto(address);
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await plays(page);
  seen.address = page.url();
  seen.title = await page.title();
  seen.heading = await page.getByRole("heading", { level: 1 }).textContent();
  seen.violations.watch = await violations(page);
  seen.kept = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie]));

  await page.reload();
  await plays(page); // without a question
  seen.again = page.url();

  await page.goto(missing);
  await page.getByText("There is no such video").waitFor();
  seen.violations.missing = await violations(page);
  seen.console.length = 0; // the browser itself says that something was answered 404
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Signed out" }).waitFor();
  await page.goto(address);
  await page.getByLabel("Password").waitFor(); // it asks again
  seen.loginAgain = page.url();

  const school = await context.newPage();
  const complaints = watch(school);
  const frame = await framed(school, allowed);
  await plays(frame);
  seen.framed = frame.url();
  const alone = await context.newPage(); // as axe-core sees one document at a time
  await alone.goto(embed);
  await alone.getByRole("button", { name: "Play", exact: true }).first().waitFor();
  seen.violations.frame = await violations(alone);
  // A token whose time is over is replaced by the next.
  seen.renewed = await frame.evaluate(async () => {
    const tokens = [];
    for (let i = 0; i < 2; i++) tokens.push(await document.querySelector("filmstrip-player").tokenProvider());
    return tokens.length === 2 && tokens[0] !== tokens[1] && tokens[0] !== document.body.dataset.token;
  });
  seen.school = complaints;
  const gone = await framed(school, expired);
  await gone.getByText("This address has expired").waitFor();
  seen.expired = await gone.evaluate(() => document.body.innerText);

  const elsewhere = await context.newPage();
  const refusals = watch(elsewhere);
  await elsewhere.goto(other);
  for (const end = Date.now() + patience; !refusals.length && Date.now() < end;) await elsewhere.waitForTimeout(50);
  seen.elsewhere = elsewhere.frames().slice(1).map((one) => one.url());
  seen.refusals = refusals;
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify(seen));
