// Does the daily work of an operator's staff in the console at the address in argv[2], in a real browser, and writes what
// happened to standard output as JSON:
//
//   tasks       for each task: the interactions after the sign-in (clicks, texts typed, choices made), and what was seen
//   screens     for each screen: what axe-core finds of serious or critical impact, and its width at 390 px
//   console     every warning and error of the console, and every error of the page
//   requests    every address that the browser asked for
//   paint       the longest time from an interaction to the next paint, in milliseconds
//
// argv[3] is the browser; FILMSTRIP_TEST_SCREENSHOTS, if set, the folder for screenshots of all screens.
import { createHmac } from "node:crypto";

import { open, violations } from "./browser.mjs";

const [address, executablePath] = process.argv.slice(2);
const pictures = process.env.FILMSTRIP_TEST_SCREENSHOTS;
const seen = { tasks: {}, screens: {}, console: [], requests: [], paint: 0 };

// A person signs in in a browser of their own. Each of its methods is one interaction.
class Person {
  static async signIn(name, prove) {
    const { browser, context, page, seen: noted } = await open(executablePath);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.addInitScript(() => {
      window.slowest = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.slowest = Math.max(window.slowest, entry.duration);
      }).observe({ type: "event", durationThreshold: 16, buffered: true });
    });
    await page.goto(address);
    await page.getByLabel("Username").fill(name);
    await page.getByLabel("Password").fill("demo-secret");
    await page.keyboard.press("Enter");
    await prove?.(page);
    await page.getByRole("heading", { name: /^Good day/ }).waitFor();
    return Object.assign(new Person(), { browser, page, noted, interactions: 0 });
  }

  async click(target) { this.interactions++; await target.click(); }
  async type(target, text) { this.interactions++; await target.fill(text); }
  async choose(target, option) { this.interactions++; await target.selectOption(option); }
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
  await task("restore a hidden video", editor, async (it, page) => {
    await it.click(it.screen("Videos"));
    await it.click(page.getByRole("link", { name: "Hidden" }));
    await it.type(page.getByRole("searchbox"), "hidden by hand");
    await it.click(button(page, /^Show again A video hidden by hand/));
    await it.notice("is visible again");
    await page.getByText("No such video has this text in its title.").waitFor();
    return "restored";
  });
  await task("let a search find something", editor, async (it, page) => {
    await it.click(it.screen("Search tuning"));
    await it.click(page.getByRole("link", { name: "minecraft" }));
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
    await it.choose(page.getByLabel("Customer"), "Birch Lane Primary School");
    return page.getByText(/Birch Lane Primary School (finds|cannot find)/).innerText();
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
  await person.leave();
}

async function engineer() {
  const person = await Person.signIn("engineer");
  await task("see whether searches lag behind", person, async (it, page) => {
    await it.click(it.screen("System"));
    return page.getByRole("row", { name: /^Search / }).innerText();
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
    await it.notice("Vera Wolf is finance now.");
    await page.getByRole("button", { name: "Undo" }).click();
    await it.notice("Undone.");
    await page.waitForFunction(() => document.querySelector('[aria-label="Role of Vera Wolf"]').value === "VIEWER");
    return "VIEWER";
  });
  await look(owner.page);
  await owner.leave();
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
  const places = ["#/", "#/videos", video, "#/videos?state=RETIRED", "#/search?text=minecraft", "#/customers", "#/customers/demo-basic", "#/new-customer",
    "#/users", "#/usage", "#/billing", "#/billing/demo", "#/audit", "#/audit?of=records", "#/system", "#/staff", "#/account"];
  for (const place of places) {
    const name = place === video ? "video" : place.slice(2) || "home";
    const noted = seen.screens[name] = { violations: [], width: 0, pictures: 0 };
    for (const [width, height, colorScheme] of [[1440, 900, "light"], [390, 844, "dark"]]) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await page.goto(`${address}${place}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
      noted.violations.push(...await violations(page, ["serious", "critical"]));
      if (width === 390) noted.width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (pictures) await page.screenshot({ path: `${pictures}/${name.replace(/\W+/g, "-")}-${width}.png` });
    }
    noted.pictures = await page.evaluate(() => [...document.querySelectorAll("main img")].filter((img) => img.complete && img.naturalWidth > 0).length);
  }
}

try {
  for (const day of [edit, manage, support, finance, engineer, secure, own]) await day();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  console.log(JSON.stringify(seen));
  process.exit(process.exitCode ?? 0);
}
