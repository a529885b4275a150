// Does the daily work of an operator's staff in the console at the address in argv[2], in a real browser, and writes what
// happened to standard output as JSON:
//
//   tasks       for each task: the interactions after the sign-in (clicks, texts typed, choices made), and what was seen
//   screens     for each screen: what axe-core finds of serious or critical impact, and its width at 390 px
//   console     every warning and error of the console, and every error of the page
//   requests    every address that the browser asked for
//   handbook    for each picture of the handbook: what it shows, as text, without what changes from day to day
//   paint       the longest time from an interaction to the next paint, in milliseconds
//
// argv[3] is the browser; FILMSTRIP_TEST_SCREENSHOTS, if set, the folder for screenshots of all screens.
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";

import { open, signInToConsole, violations } from "./browser.mjs";

const [address, executablePath] = process.argv.slice(2);
const pictures = process.env.FILMSTRIP_TEST_SCREENSHOTS;
const handbook = process.env.FILMSTRIP_TEST_PICTURES; // a folder: the pictures of the handbook are taken again
const seen = { tasks: {}, screens: {}, handbook: {}, console: [], requests: [], paint: 0 };

// A person signs in in a browser of their own. Each of its methods is one interaction.
class Person {
  static async signIn(name, prove) {
    const { browser, context, page, seen: noted } = await open(executablePath);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await signInToConsole(page, address, name, prove);
    return Object.assign(new Person(), { browser, page, noted, interactions: 0 });
  }

  async click(target) { this.interactions++; await target.click(); }
  async type(target, text) { this.interactions++; await target.fill(text); }
  async choose(target, option) { this.interactions++; await target.selectOption(option); }
  async give(target, name, text) { this.interactions++; await target.setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) }); }
  async press(key) { this.interactions++; await this.page.keyboard.press(key); }
  screen(name) { return this.page.getByRole("navigation", { name: "Console" }).getByRole("link", { name, exact: true }); }
  notice(text) { return this.page.getByRole("status").filter({ hasText: text }).first().waitFor(); }

  async leave() {
    seen.paint = Math.max(seen.paint, await this.page.evaluate(() => window.slowest));
    seen.console.push(...this.noted.console);
    seen.requests.push(...this.noted.requests);
    await this.browser.close();
  }
}

// task runs a task of a person from the first page on.
async function task(name, person, run) {
  await person.page.goto(`${address}#/`);
  await person.page.getByRole("heading", { name: /^Good day/ }).waitFor();
  person.interactions = 0;
  const outcome = await run(person, person.page);
  seen.tasks[name] = { interactions: person.interactions, outcome };
}

const variablesOf = (request) => request.postDataJSON()?.variables ?? {};
const button = (page, name) => page.getByRole("button", { name });

async function edit() {
  const editor = await Person.signIn("editor");
  await task("correct a title", editor, async (it, page) => {
    await it.click(button(page, "Go to"));
    await it.type(page.getByRole("searchbox"), "what does a judge do");
    await page.getByRole("dialog").getByText("What does a judge do?").waitFor();
    await page.getByRole("dialog").locator('a[aria-current="true"]', { hasText: "judge" }).waitFor();
    await page.keyboard.press("Enter"); // the same group of keystrokes
    await it.type(page.getByLabel("Title"), "What judges do all day");
    await it.click(button(page, "Save"));
    await it.notice("Saved. Imports keep your values.");
    await page.getByText("Title is held.").waitFor();
    return page.getByRole("heading", { level: 1 }).innerText();
  });
  await task("keep what is not saved", editor, async (it, page) => {
    await it.click(it.screen("Videos"));
    await it.click(page.getByRole("region", { name: "Videos" }).getByRole("link").first());
    await it.type(page.getByLabel("Title"), "Half a title");
    const unsaved = page.url();
    const stays = page.waitForEvent("dialog").then((dialog) => dialog.dismiss());
    await it.click(it.screen("Audit"));
    await stays;
    await page.waitForURL(unsaved); // the console takes the address back only after the answer
    const kept = await page.getByLabel("Title").inputValue();
    const leaves = page.waitForEvent("dialog").then((dialog) => dialog.accept());
    await it.click(it.screen("Audit"));
    await leaves;
    await page.getByRole("heading", { name: "Audit" }).waitFor();
    return kept || "lost";
  });
  await task("save by the keyboard", editor, async (it, page) => {
    await page.goto(`${address}#/taxonomy?kind=TAG&item=new`);
    await it.type(page.getByLabel("Name"), "Saved by keys");
    await it.press("Control+s");
    return page.getByRole("link", { name: "Saved by keys" }).innerText();
  });
  await task("look at a video", editor, async (it, page) => {
    await it.click(it.screen("Videos"));
    await it.click(page.getByRole("region", { name: "Videos" }).getByRole("link").first());
    await it.click(button(page, "Play the video"));
    await page.waitForFunction(() => document.querySelector("filmstrip-player")?.readyState > 0);
    await page.evaluate(() => {
      const player = document.querySelector("filmstrip-player");
      player.muted = true;
      return player.play();
    });
    await page.waitForFunction(() => document.querySelector("filmstrip-player").currentTime > 0.5);
    await page.evaluate(() => document.querySelector("filmstrip-player").pause());
    return "played";
  });
  await task("restore a hidden video", editor, async (it, page) => {
    await it.click(it.screen("Videos"));
    await it.click(page.getByRole("link", { name: "Hidden", exact: true }));
    // The video is restored after the list was read with the words.
    const found = page.waitForResponse((response) => variablesOf(response.request()).text === "hidden by hand");
    await page.route("**/graphql", async (route) => {
      if (route.request().postData().includes("restoreVideo")) await found;
      return route.continue();
    });
    await it.type(page.getByRole("searchbox"), "hidden by hand");
    await it.click(button(page, /^Show again A video hidden by hand/));
    await it.notice("is visible again");
    await page.getByText("No hidden video has all words").waitFor();
    await page.unroute("**/graphql");
    return "restored";
  });
  await task("search after restoring a video", editor, async (it, page) => {
    await it.click(it.screen("Videos"));
    const listed = page.waitForResponse((response) => variablesOf(response.request()).state === "HIDDEN");
    await it.click(page.getByRole("link", { name: "Hidden", exact: true }));
    const body = await (await listed).body();
    await it.click(button(page, /^Show again A video out of sight/));
    await it.notice("is visible again");
    // The index is behind the change when the list is read with the words for the first time.
    let behind = true;
    await page.route("**/graphql", async (route) => {
      if (!behind || variablesOf(route.request()).text !== "out of sight") return route.continue();
      behind = false;
      return route.fulfill({ contentType: "application/json", body });
    });
    await it.type(page.getByRole("searchbox"), "out of sight");
    await page.getByText("No hidden video has all words").waitFor();
    await page.unroute("**/graphql");
    return behind ? "not behind" : "restored";
  });
  await task("let a search find something", editor, async (it, page) => {
    await it.click(it.screen("Search tuning"));
    await it.click(page.getByRole("link", { name: "minecraft", exact: true }));
    await page.getByText("“minecraft” finds 0 videos now.").waitFor();
    await it.type(page.getByRole("searchbox", { name: "Words that mean the same" }), "games");
    const difference = await page.getByText(/“games” finds [1-9]\d* videos; “minecraft” will find them, too/).innerText();
    await it.click(button(page, "Let both mean the same"));
    await it.notice("now also finds");
    return difference;
  });
  await task("move videos to another subject, then undo", editor, async (it, page) => {
    await it.click(it.screen("Videos"));
    await it.choose(page.getByLabel("Type"), "INSTRUCTIONAL");
    await page.getByRole("status").filter({ hasText: /^[1-3]\d\d videos$/ }).waitFor();
    await it.click(button(page, "Change all"));
    await it.choose(page.getByLabel("Give the subject"), "Philosophy");
    await it.click(button(page, /^Change [1-3]\d\d videos$/));
    const notice = page.getByRole("status").filter({ hasText: "videos have changed." }).last();
    await notice.waitFor({ timeout: 60_000 });
    const changed = await notice.innerText();
    await it.click(notice.getByRole("button", { name: "Undo" }));
    await page.getByRole("status").filter({ hasText: "Undone." }).first().waitFor({ timeout: 60_000 });
    return changed;
  });
  await task("merge a subject into another", editor, async (it, page) => {
    await it.click(it.screen("Taxonomy"));
    await it.click(page.getByRole("link", { name: "Careers", exact: true }));
    await it.type(page.getByRole("searchbox", { name: "Find the other subject" }), "civics");
    await it.click(button(page, "Civics"));
    const said = await page.getByText(/videos get “Civics” instead of “Careers”/).innerText();
    await it.click(button(page, "Merge into Civics"));
    await it.notice("“Careers” is merged into “Civics”.");
    await page.getByRole("link", { name: "Careers", exact: true }).waitFor({ state: "detached" });
    return said;
  });
  await task("delete a tag, then undo", editor, async (it, page) => {
    await page.goto(`${address}#/taxonomy?kind=TAG&item=new`);
    await it.type(page.getByLabel("Name"), "Made by mistake");
    await it.click(button(page, "Create"));
    await it.click(page.getByRole("link", { name: "Made by mistake" }));
    await it.click(button(page, "Delete Made by mistake"));
    await it.notice("“Made by mistake” is deleted.");
    await it.click(button(page, "Undo"));
    return page.getByRole("link", { name: "Made by mistake" }).innerText();
  });
  await task("give two videos a subject, then undo", editor, async (it, page) => {
    await it.click(it.screen("Videos"));
    const boxes = page.getByRole("region", { name: "Videos" }).getByRole("checkbox", { name: /^Select (?!all)/ });
    await it.click(boxes.nth(1));
    await it.click(boxes.nth(3));
    await it.click(button(page, "Change the 2 selected"));
    await it.choose(page.getByLabel("Give the subject"), "Philosophy");
    await it.click(button(page, "Change 2 videos"));
    const notice = page.getByRole("status").filter({ hasText: "2 videos have changed." }).last();
    await notice.waitFor({ timeout: 60_000 });
    await it.click(notice.getByRole("button", { name: "Undo" }));
    await page.getByRole("status").filter({ hasText: "Undone." }).first().waitFor({ timeout: 60_000 });
    return await boxes.nth(1).isChecked() ? "still selected" : "undone";
  });
  await task("give every incomplete video a subject", editor, async (it, page) => {
    await it.click(it.screen("Videos"));
    await it.click(page.getByRole("link", { name: "Incomplete", exact: true }));
    await page.getByText("No subject").first().waitFor();
    await it.click(button(page, "Change all"));
    await it.choose(page.getByLabel("Give the subject"), "Civics");
    await it.click(button(page, /^Change \d+ videos?$/));
    await it.notice("changed.");
    await page.getByText("No subject").first().waitFor({ state: "detached" });
    return "complete";
  });
  await task("reorder and promote a collection", editor, async (it, page) => {
    await it.click(it.screen("Collections"));
    const first = page.getByRole("region", { name: "Collections" }).getByRole("row").nth(1).getByRole("link");
    await it.click(first);
    const titles = page.getByRole("region", { name: "Videos of the collection" }).getByRole("rowheader");
    const before = await titles.first().innerText();
    await it.click(button(page, `Move ${before} down`));
    await it.notice("is at place 2.");
    await page.waitForFunction((title) => document.querySelector("main tbody th").innerText !== title, before);
    await it.click(button(page, "Promote"));
    await it.notice("The collection is promoted.");
    await button(page, "Stop promoting").waitFor();
    return (await titles.nth(1).innerText()) === before ? "moved" : "not moved";
  });
  await task("find who changed something", editor, async (it, page) => {
    await it.click(it.screen("Audit"));
    await it.choose(page.getByLabel("Kind"), "SUBJECT");
    await it.click(page.getByRole("listitem").filter({ hasText: "subject Careers deleted" }).getByRole("link").first());
    await page.getByRole("link", { name: "Clear filters" }).waitFor();
    return page.getByRole("listitem").filter({ hasText: "Careers" }).first().innerText();
  });
  await task("import a file, correct what was rejected, import it again", editor, async (it, page) => {
    const line = (n, title, day) => `${n};"${title}";Clearwater Science;${day};${n % 60}:30;one|two;https://media.example/${n}.m3u8`;
    const lines = Array.from({ length: 1000 }, (_, n) => line(n, n === 17 ? "" : `Film ${n}`, n === 400 ? "9.3.2021" : "2021-03-09"));
    await it.click(it.screen("Imports"));
    await it.give(page.getByLabel("File"), "films.csv", ["No.;Name;Brand;Went out;Length;Tags;Stream", ...lines].join("\n"));
    await page.getByRole("region", { name: "Preview" }).getByText("Film 0").waitFor();
    await it.choose(page.getByLabel("Field of Went out"), "releasedOn");
    await page.getByRole("region", { name: "Preview" }).getByText("2021-03-09").first().waitFor();
    await inspect(page, "import-plan");
    await it.click(button(page, "Dry run"));
    await page.getByText("This was a dry run: nothing was written.").waitFor({ timeout: 60_000 });
    await it.click(button(page, "Import"));
    await page.getByRole("heading", { name: "Import of films.csv" }).waitFor({ timeout: 60_000 });
    await page.getByRole("region", { name: "Rejected lines" }).getByText("title: is required").waitFor({ timeout: 60_000 });
    await inspect(page, "import-result");
    const saved = page.waitForEvent("download");
    await it.click(button(page, "Download films-rejected.csv"));
    const rejected = readFileSync(await (await saved).path(), "utf8");
    await it.give(page.getByLabel("Corrected file"), "films-rejected.csv", rejected.replace('17;;', "17;Film 17;").replace("9.3.2021", "2021-03-09"));
    await page.getByRole("heading", { name: "Import of films-rejected.csv" }).waitFor({ timeout: 60_000 });
    await page.locator(".measures div", { hasText: "Added" }).getByText("2", { exact: true }).waitFor({ timeout: 60_000 });
    await inspect(page, "imports", "#/imports");
    return rejected;
  });
  await task("an editor sees no bills", editor, async (it, page) => {
    const screens = await page.getByRole("navigation", { name: "Console" }).getByRole("listitem").allInnerTexts();
    await page.goto(`${address}#/billing`);
    await page.getByText("Your role does not include this page.").waitFor();
    return screens.join(" ");
  });
  await editor.leave();
}

async function manage() {
  const manager = await Person.signIn("customer-manager");
  await task("open an account that sees two subjects", manager, async (it, page) => {
    await it.click(it.screen("Customers"));
    await it.click(page.getByRole("link", { name: "New customer" }));
    await it.type(page.getByLabel("Name"), "Willow District");
    await it.click(page.getByLabel("Biology"));
    await it.click(page.getByLabel("Physics", { exact: true }));
    await it.click(button(page, "Create"));
    await it.click(button(page, "Copy the token request"));
    await button(page, "Copied").waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  });
  await task("see why a customer cannot find a video", manager, async (it, page) => {
    await it.click(button(page, "Go to"));
    await it.type(page.getByRole("searchbox"), "letters from the trenches");
    const found = page.getByRole("dialog").getByRole("link", { name: /^Video/ }).first();
    await it.click(found);
    await it.click(page.getByRole("button", { name: "Birch Lane Primary School", exact: true }));
    return page.getByText(/Birch Lane Primary School (finds|cannot find)/).innerText();
  });
  await task("see what a package hides before it is saved", manager, async (it, page) => {
    await it.click(it.screen("Packages and tiers"));
    await it.click(page.getByRole("link", { name: "New package" }));
    await it.type(page.getByLabel("Name"), "Only physics");
    await it.type(page.getByLabel("Id"), "only-physics");
    await it.choose(page.getByLabel("Add a rule"), "IncludedSubjects");
    await it.click(page.getByRole("button", { name: "Physics", exact: true }));
    const seen = page.getByRole("region", { name: "What a customer sees" });
    await seen.filter({ hasText: /Shown\s*\d\d\s*Hidden/ }).waitFor();
    const said = await seen.getByRole("definition").allInnerTexts();
    await it.click(button(page, "Create"));
    await it.notice("The package “Only physics” exists now.");
    return said.join(" of ");
  });
  await manager.leave();
}

async function support() {
  const person = await Person.signIn("support");
  await task("reset a teacher's password", person, async (it, page) => {
    await it.click(it.screen("Users"));
    await it.type(page.getByRole("searchbox"), "teacher@school");
    await it.click(page.getByRole("link", { name: "Ada Teacher" }));
    await it.type(page.getByLabel("New password"), "a safer secret");
    await it.click(button(page, "Set the password and end all sessions"));
    await it.notice("all sessions have ended");
    await page.getByRole("heading", { name: "Watched in the last 90 days" }).waitFor();
    return "reset";
  });
  await person.leave();
}

async function finance() {
  const person = await Person.signIn("finance");
  await task("void the plays of a runaway script", person, async (it, page) => {
    await it.click(it.screen("Billing"));
    const day = (ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    await it.click(page.getByText("Void the plays of a client"));
    await it.type(page.getByLabel("Client"), "demo-plus");
    await it.type(page.getByLabel("From, inclusive"), day(3));
    await it.type(page.getByLabel("To, exclusive"), day(2));
    await it.type(page.getByLabel("Reason"), "a script ran away");
    await it.click(button(page, "Show what would be voided"));
    await page.getByRole("region", { name: "What would be voided" }).waitFor();
    await it.click(button(page, "Void these plays"));
    await it.notice("removed from all counts");
    await page.getByRole("region", { name: "Voids" }).getByText("in force").waitFor();
    return page.getByRole("region", { name: "Voids" }).getByRole("row").nth(1).innerText();
  });
  await task("see which customers play a video, as a file", person, async (it, page) => {
    await it.click(it.screen("Usage"));
    const first = page.getByRole("region", { name: "Usage" }).getByRole("link").first();
    const title = await first.innerText();
    await it.click(first);
    await page.getByRole("button", { name: "All, not one video" }).getByText(title).waitFor();
    const download = page.waitForEvent("download");
    await it.click(page.getByRole("region", { name: "Usage" }).locator("xpath=..").getByRole("button", { name: "Download as CSV" }));
    return readFileSync(await (await download).path(), "utf8");
  });
  await task("compare last month with the month before", person, async (it, page) => {
    await it.click(it.screen("Usage"));
    const usage = page.getByRole("region", { name: "Usage" }), change = usage.getByRole("columnheader", { name: "Change" });
    await usage.getByRole("link").first().waitFor();
    const early = await change.count(); // this month is not compared before it has ended
    await it.choose(page.getByLabel("Period", { exact: true }), "Last month");
    await change.waitFor();
    return `${early} ${await page.getByText("in the period before").innerText()}`;
  });
  await task("check and send last month's invoices", person, async (it, page) => {
    await it.click(it.screen("Billing"));
    await page.getByText(/^(Sealed .*|Provisional)$/).first().waitFor();
    const seal = button(page, /^Seal .* early…$/); // in the first week of a month, the demo has not sealed the last one
    if (await seal.isVisible()) {
      await it.click(seal);
      await it.click(button(page, /^Seal .* early$/));
    }
    await it.click(button(page, "Draft invoices"));
    const invoices = page.getByRole("region", { name: /^Invoices for/ });
    await invoices.getByText("No billing address").waitFor();
    await it.click(invoices.getByRole("link", { name: "Riverside School District" }));
    await page.getByRole("region", { name: "Lines" }).getByText("Minutes, included").waitFor();
    await picture(page, "invoice");
    await it.click(page.getByRole("link", { name: /^All invoices for/ }));
    await it.click(button(page, "Issue all 2"));
    await it.notice("The invoices have numbers");
    const saved = page.waitForEvent("download");
    await it.click(button(page, "Download all as PDF"));
    const file = (await saved).suggestedFilename();
    return `${file}: ${(await invoices.getByRole("row").allInnerTexts()).slice(1).join("; ").replace(/\s+/g, " ")}`;
  });
  await task("price a plan", person, async (it, page) => {
    await it.click(it.screen("Price plans"));
    await it.click(page.getByRole("link", { name: "New plan" }));
    await it.type(page.getByLabel("Id"), "district");
    await it.type(page.getByLabel("Name"), "District");
    await it.click(button(page, "Charge for minutes"));
    await it.type(page.getByLabel("Price per unit, minutes"), "0.015");
    await page.getByText("Total 150.00 EUR").waitFor();
    await it.click(button(page, "Save"));
    await page.getByRole("heading", { name: "District", level: 1 }).waitFor();
    return "Total 150.00 EUR";
  });
  await task("pay a channel", person, async (it, page) => {
    await it.click(it.screen("Royalties"));
    await page.getByText(/^Clearwater Science: /).waitFor();
    await it.click(page.getByText("Set the terms of a channel"));
    await it.choose(page.getByLabel("Channel", { exact: true }), "Night Sky School");
    await it.type(page.getByLabel("Percent"), "12.5");
    await it.click(button(page, "Save"));
    await page.getByRole("row", { name: /^Night Sky School 12.5 % of the invoices/ }).waitFor();
    return page.getByText(/^Clearwater Science: /).innerText();
  });
  await person.leave();
}

async function engineer() {
  const person = await Person.signIn("engineer");
  await task("see whether searches lag behind", person, async (it, page) => {
    await it.click(it.screen("System"));
    return page.getByRole("region", { name: "Parts" }).getByRole("row", { name: /^Search / }).innerText();
  });
  await task("verify the counts", person, async (it, page) => {
    await it.click(it.screen("System"));
    await it.click(button(page, "Start: Verify the counts"));
    const row = page.getByRole("row", { name: /^Verify the counts/ });
    await row.getByText("nothing differs").waitFor({ timeout: 30_000 });
    return row.innerText();
  });
  await person.leave();
}

async function own() {
  const owner = await Person.signIn("owner");
  await task("make a colleague an editor", owner, async (it, page) => {
    await it.click(it.screen("Staff"));
    await it.type(page.getByLabel("E-mail"), "new@films.example");
    await it.type(page.getByLabel("First password"), "a first secret");
    await it.choose(page.getByLabel("Role", { exact: true }), "EDITOR");
    await it.click(button(page, "Add"));
    await it.notice("can sign in, as editor");
    return page.getByLabel("Role of new@films.example").inputValue();
  });
  await task("undo", owner, async (it, page) => {
    await page.goto(`${address}#/staff`);
    await page.getByLabel("Role of Vera Wolf").selectOption("FINANCE");
    await button(page, "Save the role of Vera Wolf").click();
    await it.notice("Vera Wolf is finance now.");
    await page.getByRole("button", { name: "Undo" }).click();
    await it.notice("Undone.");
    await page.waitForFunction(() => document.querySelector('[aria-label="Role of Vera Wolf"]').value === "VIEWER");
    return "VIEWER";
  });
  await look(owner.page);
  await owner.leave();
}

// photograph opens the screens that the handbook shows. It comes before the tasks, so that the demo is new.
async function photograph() {
  const owner = await Person.signIn("owner");
  const { page } = owner;
  const first = (region) => page.getByRole("region", { name: region }).getByRole("link").first().getAttribute("href");
  const places = { home: "#/", videos: "#/videos?sort=TITLE", taxonomy: "#/taxonomy", search: "#/search?text=minecraft", packages: "#/packages/new", users: "#/users", customers: "#/customers", audit: "#/audit", system: "#/system" };
  await page.goto(`${address}#/videos?sort=TITLE`);
  places.video = await first("Videos");
  await page.goto(`${address}#/collections?sort=TITLE`);
  places.collection = await first("Collections");
  for (const [name, place] of Object.entries(places)) {
    await page.goto(`${address}${place}`);
    await picture(page, name);
  }
  await owner.leave();
}

// picture notes what the handbook's picture of the current screen shows, and takes it.
async function picture(page, name) {
  const before = page.viewportSize();
  for (const close of await page.locator('.notice [aria-label="Close"]').all()) await close.click();
  await page.setViewportSize({ width: 1024, height: 640 });
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
  await page.waitForFunction(() => !document.querySelector('.skeleton, [aria-busy="true"]'));
  seen.handbook[name] = described(await page.locator("main").ariaSnapshot());
  if (handbook) await page.screenshot({ path: `${handbook}/console-${name}.png` });
  await page.setViewportSize(before);
}

// described reduces the accessible text of a screen to what the picture must show. Rows of tables, entries of lists and
// options are data; numbers, ids and dates change.
function described(snapshot) {
  const kept = [];
  let left = Infinity, heads = 0; // the depth below which lines are left out, and the rows of the current table
  for (const line of snapshot.split("\n")) {
    const depth = line.search(/\S/), role = /^- '?(\w+)/.exec(line.trim())?.[1];
    if (depth > left) continue;
    left = Infinity;
    if (role === "table") heads = 0;
    if (["listitem", "option", "time"].includes(role) || role === "row" && heads++ > 0) left = depth;
    else kept.push(role === "definition" ? line.replace(/:.*/, "") : line);
  }
  return kept.join("\n")
    .replace(/\b[0-9a-f]{24}\b/g, "ID")
    .replace(/code: "?[0-9a-f]+"?$/gm, "code: ID")
    .replace(/Version .*(?= [\d,]+ videos)/, "Version #.")
    .replace(/[+−-]?\d[\d,.:]*/g, "#")
    .replace(/# h # min/g, "# min")
    .replace(/# (second|minute|hour|day)s? ago|\b(now|yesterday|this minute|this hour)\b/g, "AGO")
    .replace(/# [AP]M\b/g, "#")
    .replace(/\b(January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b/g, "MONTH") + "\n";
}

// codeOf returns the one-time password of a secret (RFC 6238), in how many steps from now.
function codeOf(secret, steps = 0) {
  const bits = [...secret.replaceAll(" ", "")].map((char) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(char).toString(2).padStart(5, "0")).join("");
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const sum = createHmac("sha1", Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)))).update(counter).digest();
  return String((sum.readUInt32BE(sum.at(-1) & 15) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

// shown notes what axe-core finds on a page of an enrollment, in the size of a phone.
async function shown(page, name) {
  await page.setViewportSize({ width: 390, height: 844 });
  seen.screens[name] = { violations: await violations(page, ["serious", "critical"]), width: await page.evaluate(() => document.documentElement.scrollWidth), pictures: 0 };
  if (pictures) await page.screenshot({ path: `${pictures}/${name.replace(/\W+/g, "-")}-390.png`, fullPage: true });
  await page.setViewportSize({ width: 1280, height: 900 });
  if (pictures) await page.screenshot({ path: `${pictures}/${name.replace(/\W+/g, "-")}-1280.png` });
}

async function secure() {
  const person = await Person.signIn("engineer");
  let secret;
  await task("set up a second factor", person, async (it, page) => {
    await it.click(page.locator(".who a"));
    await it.click(button(page, "Set up a second factor"));
    secret = await page.getByText("type this secret").locator("code").innerText();
    await shown(page, "account: set up");
    await it.type(page.getByRole("textbox", { name: "Code" }), codeOf(secret));
    await it.click(button(page, "Confirm"));
    await page.getByText("10 recovery codes are left.").waitFor();
    await shown(page, "account: recovery codes");
    return `${await page.locator(".codes li").count()} codes`;
  });
  await person.leave();
  const again = await Person.signIn("engineer", async (page) => {
    await page.getByRole("heading", { name: "Enter a code" }).waitFor();
    await shown(page, "sign-in: code");
    await page.getByRole("textbox", { name: "Code" }).fill(codeOf(secret, 1));
    await page.keyboard.press("Enter");
  });
  await again.leave();

  const owner = await Person.signIn("owner");
  await task("require a second factor", owner, async (it, page) => {
    await it.click(it.screen("Staff"));
    await it.click(page.getByLabel("need a second factor"));
    await it.notice("set one up when they sign in next");
    return "required";
  });
  const viewer = await Person.signIn("viewer", async (page) => {
    await page.getByRole("heading", { name: "Set up a second factor" }).waitFor();
    await shown(page, "sign-in: set up");
    await page.getByRole("textbox", { name: "Code" }).fill(codeOf(await page.locator(".secret").innerText()));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Keep your recovery codes" }).waitFor();
    await shown(page, "sign-in: recovery codes");
    await page.getByRole("button", { name: "I have stored the codes" }).click();
  });
  await viewer.leave();
  await task("remove a colleague's second factor", owner, async (it, page) => {
    await it.click(it.screen("Staff"));
    await it.click(button(page, "Remove the second factor of Vera Wolf"));
    await it.notice("Vera Wolf signs in without a second factor now.");
    await page.getByLabel("need a second factor").click();
    await it.notice("with their password alone");
    return "removed";
  });
  await owner.leave();
}

// look opens every screen in both sizes and schemes.
async function look(page) {
  const video = await page.evaluate(() => location.hash).then(async () => {
    await page.goto(`${address}#/videos`);
    return page.getByRole("region", { name: "Videos" }).getByRole("link").first().getAttribute("href");
  });
  await page.goto(`${address}#/billing`);
  const invoice = await page.getByRole("region", { name: /^Invoices for/ }).getByRole("row").getByRole("link").first().getAttribute("href");
  const places = ["#/", "#/videos", video, "#/videos?state=RETIRED", "#/search?text=minecraft", "#/customers", "#/customers/demo-basic", "#/new-customer",
    "#/users", "#/usage", "#/billing", "#/billing/demo", invoice, "#/prices", "#/prices/school", "#/prices/new", "#/royalties", "#/videos?state=ALL&sort=TITLE", "#/videos?state=INCOMPLETE",
    "#/taxonomy", "#/taxonomy?kind=CHANNEL", "#/taxonomy?kind=TAG&item=new", "#/collections", "#/packages", "#/packages/only-physics", "#/packages?of=tiers&tier=basic",
    "#/account", "#/audit", "#/audit?kind=account", "#/system", "#/staff"];
  for (const place of places) await inspect(page, place === video ? "video" : place === invoice ? "invoice" : place.slice(2) || "home", place);
}

// inspect looks at a screen, or at the current one, in both sizes and schemes.
async function inspect(page, name, place) {
  const noted = seen.screens[name] = { violations: [], width: 0, pictures: 0 };
  const before = page.viewportSize();
  for (const [width, height, colorScheme] of [[1440, 900, "light"], [390, 844, "dark"]]) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    if (place) await page.goto(`${address}${place}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    noted.violations.push(...await violations(page, ["serious", "critical"]));
    if (width === 390) noted.width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (pictures) await page.screenshot({ path: `${pictures}/${name.replace(/\W+/g, "-")}-${width}.png`, fullPage: !place });
  }
  noted.pictures = await page.evaluate(() => [...document.querySelectorAll("main img")].filter((img) => img.complete && img.naturalWidth > 0).length);
  if (!place) await page.setViewportSize(before);
}

try {
  for (const day of [photograph, edit, manage, support, finance, engineer, secure, own]) await day();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  seen.requests = [...new Set(seen.requests)];
  process.stdout.write(JSON.stringify(seen), () => process.exit(process.exitCode ?? 0)); // a pipe takes 64 KB at a time
}
