// Makes the mistakes that staff make in the console at the address in argv[2], in a real browser: they click twice, press keys
// too early and lose the connection. It writes to standard output, for each topic, what the console did, as JSON.
//
// argv[3] is the last month, argv[4] the month that follows the last sealed one, argv[5] the title of a video without a space,
// and argv[6] the browser.
import { readFileSync } from "node:fs";

import { open, signInToConsole } from "./browser.mjs";

const [address, lastMonth, sealable, longTitle, executablePath] = process.argv.slice(2);
const { browser, page } = await open(executablePath);
const seen = {};
const button = (name) => page.getByRole("button", { name });
const notice = (text) => page.getByRole("status").filter({ hasText: text }).first().waitFor();
const alert = (text) => page.getByRole("alert").filter({ hasText: text }).waitFor();

// sent counts the requests with an operation while run runs.
async function sent(operation, run) {
  let count = 0;
  const note = (request) => { if (request.postData()?.includes(`mutation ${operation}(`)) count++; };
  page.on("request", note);
  await run();
  page.off("request", note);
  return count;
}

// losing loses the requests with an operation, or only their answers, while run runs.
async function losing(operation, run, answerOnly = false) {
  await page.route("**/graphql", async (route) => {
    if (!route.request().postData().includes(` ${operation}(`)) return route.fallback();
    if (answerOnly) await route.fetch();
    return route.abort();
  });
  await run();
  await page.unrouteAll({ behavior: "wait" });
}

async function fillVoid(client) {
  const place = page.locator("details", { hasText: "Void the plays of a client" });
  if (await place.getAttribute("open") === null) await place.locator("summary").click();
  await page.getByLabel("Client", { exact: true }).fill(client);
  await page.getByLabel("From, inclusive").fill(`${lastMonth}-01`);
  await page.getByLabel("To, exclusive").fill(`${lastMonth}-25`);
  await page.getByLabel("Reason").fill("a mistake");
}

async function go(place) {
  await page.goto("about:blank");
  await page.goto(`${address}${place}`);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
}

const topics = {
  // A day is the same west of UTC.
  async days() {
    const debug = await page.context().newCDPSession(page);
    await debug.send("Emulation.setTimezoneOverride", { timezoneId: "America/Los_Angeles" });
    await go("#/customers");
    const ends = await page.getByRole("row", { name: /demo-basic/ }).getByRole("cell").last().innerText();
    await go("#/usage?period=last-month");
    await page.getByText("As a table").click();
    const rows = await page.getByRole("region", { name: "Plays" }).getByRole("rowheader").allInnerTexts();
    const download = page.waitForEvent("download");
    await page.locator("figure").getByRole("button", { name: "Download as CSV" }).click();
    const lines = readFileSync(await (await download).path(), "utf8").trim().split("\r\n");
    await debug.detach(); // which ends the emulation
    return [ends, rows[0], rows.at(-1), lines[1].split(",")[0], lines.at(-1).split(",")[0]].join("; ");
  },

  // Nobody seals a month that runs, and an early seal asks first.
  async seal() {
    const end = new Date(`${sealable}-01T00:00:00Z`);
    end.setUTCMonth(end.getUTCMonth() + 1);
    const said = [];
    const seals = await sent("SealMonth", async () => {
      await page.route("**/graphql", (route) => route.request().postData().includes("mutation SealMonth(") ? route.fulfill({ json: { data: { sealMonth: [] } } }) : route.fallback());
      for (const day of [-2, 2, 9]) {
        await page.clock.setFixedTime(end.getTime() + day * 86_400_000);
        await go(`#/billing?month=${sealable}`);
        await page.getByText("Provisional").waitFor();
        await page.getByRole("region", { name: "Voids" }).or(page.getByText("No plays were voided")).waitFor();
        await page.waitForLoadState("networkidle");
        const names = await button(/^Seal/).allInnerTexts();
        said.push(names.join() || "none");
        if (day !== 2 || names.length === 0) continue;
        await button(/^Seal/).click();
        said.push(await page.getByRole("group", { name: /^Seal/ }).getByText("cannot be undone").innerText());
        await page.getByLabel("Month", { exact: true }).selectOption({ index: 5 });
        await page.getByLabel("Month", { exact: true }).selectOption(sealable);
        said.push(await button(/^Seal/).innerText());
      }
      await button(/^Seal/).click();
      await notice("is sealed");
    });
    await page.clock.setSystemTime(Date.now());
    return [...said, seals].join("; ");
  },

  // A customer whose creation is interrupted is completed by another try, and a refused ID leaves nothing behind.
  async customer() {
    await go("#/new-customer");
    await page.getByLabel("Name").fill("Half district");
    await page.getByLabel("Physics", { exact: true }).check();
    for (const [id, refusal] of [["taken", "The id “taken” is taken"], ["deleted", "was deleted"]]) {
      await page.getByLabel("Id", { exact: true }).fill(id);
      await button("Create").click();
      await alert(refusal);
    }
    await page.getByLabel("Id", { exact: true }).fill("half-district");
    for (const [operation, answerOnly] of [["CreatePackage", true], ["CreateAccount", false], ["CreateAccount", true], ["CreateClient", true]]) {
      await losing(operation, async () => {
        await button("Create").click();
        await alert("The server does not answer");
        await page.locator("form button[type=submit]:enabled").waitFor();
      }, answerOnly);
    }
    await button("Create").click();
    await page.getByRole("heading", { name: "The customer is ready" }).waitFor();
    return page.locator("pre").innerText();
  },

  // The bill follows a void and its undo.
  async bill() {
    await go(`#/billing?month=${lastMonth}`);
    const before = await page.getByRole("region", { name: /^Usage in/ }).getByRole("row", { name: /^Birch Lane/ }).innerText();
    const shows = ([text, now]) => [...document.querySelectorAll("tr")].some((row) => row.innerText === text) === now;
    await fillVoid("demo-basic");
    await button("Show what would be voided").click();
    await page.getByRole("region", { name: "What would be voided" }).waitFor();
    await button("Void these plays").click();
    await notice("The plays are removed from all counts.");
    await page.waitForFunction(shows, [before, false]);
    await button(/^Undo$/).click();
    await page.waitForFunction(shows, [before, true]);
    return "follows";
  },

  // Only a click beside a preview of what is asked for voids plays.
  async void() {
    await go(`#/billing?month=${lastMonth}`);
    await fillVoid("demo-plus");
    const preview = page.getByRole("region", { name: "What would be voided" }), reason = page.getByLabel("Reason");
    const byKeys = await sent("VoidPlays", async () => {
      await reason.press("Enter");
      await page.waitForTimeout(100);
      await reason.press("Enter");
      await preview.waitFor();
      await reason.press("Enter");
      await page.waitForTimeout(300);
    });
    await page.getByLabel("Client", { exact: true }).fill("demo-basic");
    const offered = [await button("Void these plays").count()]; // the preview showed another client
    await page.getByLabel("From, inclusive").fill("2020-01-01");
    await page.getByLabel("To, exclusive").fill("2020-01-02");
    await button("Show what").click();
    await page.getByText("The client has no plays in this period.").waitFor();
    offered.push(await button("Void these plays").count());
    await fillVoid("demo-basic");
    await losing("VoidPreview", async () => { await button("Show what").click(); await alert("The server does not answer"); });
    offered.push(await button("Void these plays").count());
    await button("Try again").click();
    const byClicks = await sent("VoidPlays", async () => {
      await button("Void these plays").dblclick();
      await notice("The plays are removed from all counts.");
    });
    return `${offered} offered, ${byKeys} by keys, ${byClicks} by a double click`;
  },

  // A double click starts one job.
  async bulk() {
    await go("#/videos");
    const boxes = page.getByRole("region", { name: "Videos" }).getByRole("checkbox", { name: /^Select (?!all)/ });
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    await button("Change the 2 selected").click();
    await page.getByLabel("Give the subject").selectOption("Philosophy");
    let text;
    const jobs = await sent("ChangeVideos", async () => {
      await button("Change 2 videos").dblclick();
      await notice("videos have changed.");
      await page.waitForTimeout(1000); // the notice of a second job
      text = await page.locator(".notice").innerText();
    });
    return `${jobs} job: ${text.replaceAll("\n", " ")}`;
  },

  // Keys that pass over roles give none of them.
  async role() {
    await go("#/staff");
    const select = page.getByLabel("Role of Vera Wolf");
    const passing = await sent("SetStaffRole", async () => {
      await select.focus();
      for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowUp");
      await page.waitForTimeout(500);
    });
    const saving = await sent("SetStaffRole", async () => {
      await select.selectOption("EDITOR");
      await button("Save the role of Vera Wolf").click();
      await notice("Vera Wolf is editor now.");
    });
    await button(/^Undo$/).click();
    await notice("Undone.");
    await page.waitForFunction(() => document.querySelector('[aria-label="Role of Vera Wolf"]').value === "VIEWER");
    return `${passing} passing, ${saving} saved, ${await button("Save the role of Vera Wolf").count()} unsaved`;
  },

  // A long word in a title does not widen the page.
  async title() {
    await go("#/videos");
    await page.getByText(longTitle).first().waitFor();
    return String(await page.evaluate(() => document.documentElement.scrollWidth));
  },

  // Enter opens what is typed, not what was found before.
  async palette() {
    const opened = [];
    for (const text of ["taxonomy", "what does a judge do"]) {
      await go("#/audit");
      await page.keyboard.press("Control+k");
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.getByRole("heading", { level: 1 }).filter({ hasNotText: "Audit" }).waitFor();
      opened.push(await page.getByRole("heading", { level: 1 }).innerText());
    }
    return opened.join("; ");
  },

  // Going back from a customer leads to the page of the list.
  async back() {
    await go("#/customers");
    const first = page.getByRole("region", { name: "Customers" }).getByRole("link").first();
    const begin = await first.innerText();
    await button("Next").click();
    await page.waitForFunction((name) => document.querySelector("tbody a").innerText !== name, begin);
    const name = await first.innerText();
    await first.click();
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Customers", level: 1 }).waitFor();
    const back = await first.innerText();
    await button("Previous").click();
    await page.waitForFunction((name) => document.querySelector("tbody a").innerText === name, begin);
    return back === name ? "same page" : `${name}, then ${back}`;
  },
};

await signInToConsole(page, address, "owner");
page.setDefaultTimeout(10_000);
for (const [name, run] of Object.entries(topics)) {
  try {
    seen[name] = await run();
  } catch (error) {
    seen[name] = String(error);
  }
  await page.unrouteAll({ behavior: "ignoreErrors" });
}
await browser.close();
process.stdout.write(JSON.stringify(seen), () => process.exit(0));
