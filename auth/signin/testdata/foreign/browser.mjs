// Signs a user in and out in a real browser. argv[2] is JSON:
//
//   executablePath  the browser
//   local           an authorisation request for an account with passwords
//   federated       one for an account with a provider of another make and passwords
//   broken          one of an unknown client
//   logout          the address for signing out
//   app             how the application's redirect address begins
//   password        that of the user teacher
//   screenshots     a folder for pictures; "": none
//
// What happened goes to standard output as JSON:
//
//   arrived    the addresses at which the browser arrived at the application
//   violations what axe-core found, each with its page
//   console    every warning and error of our own pages, their statuses aside
//   focus      the id of the element that has the focus when a page opens
//   pages      the headings of the pages that were looked at
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const { executablePath, local, federated, broken, logout, app, password, screenshots } = JSON.parse(process.argv[2]);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const seen = { arrived: [], violations: [], console: [], focus: {}, pages: [] };
const own = new URL(local).origin;
const browser = await chromium.launch({
  executablePath,
  args: [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
  ],
});

async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  page.on("console", (message) => {
    const answered = /status of 40[03] /.test(message.text()); // our own error pages
    if (["warning", "error"].includes(message.type()) && message.location().url.startsWith(own) && !answered) seen.console.push(`${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => seen.console.push(String(error)));
  return page;
}

// look examines the page that is open, in both colour schemes.
async function look(page, name) {
  seen.pages.push(await page.locator("h1").innerText());
  seen.focus[name] = await page.evaluate(() => document.activeElement?.id || document.activeElement?.tagName);
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(axe);
    const found = await page.evaluate(() => window.axe.run());
    for (const violation of found.violations) seen.violations.push(`${name}, ${colorScheme}: ${violation.id}: ${violation.nodes.map((node) => node.html).join(" ")}`);
    if (screenshots) await page.screenshot({ path: `${screenshots}/${name}-${colorScheme}.png` });
  }
}

async function arrive(page) {
  await page.waitForURL((address) => address.href.startsWith(app));
  seen.arrived.push(page.url());
}

try {
  // With a password, by keyboard, after a mistake.
  const page = await open();
  await page.goto(local);
  await look(page, "login");
  await page.keyboard.type("teacher");
  await page.keyboard.press("Tab");
  await page.keyboard.type("wrong");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  await look(page, "mistake");
  await page.keyboard.type(password);
  await page.keyboard.press("Enter");
  await arrive(page);
  await page.goto(local); // the session answers
  await arrive(page);

  // At a provider of another make.
  const other = await open();
  await other.goto(federated);
  await look(other, "providers");
  await other.getByRole("button", { name: "School" }).click();
  await other.locator("input[name=login]").fill("ann");
  await other.locator("input[name=password]").fill("any");
  await other.locator("button[type=submit]").click();
  await other.locator("button[type=submit]").click(); // consent
  await arrive(other);

  // Without any script.
  const plain = await open({ javaScriptEnabled: false });
  await plain.goto(local);
  await plain.getByLabel("Username").fill("teacher");
  await plain.getByLabel("Password").fill(password);
  await plain.getByRole("button", { name: "Sign in" }).click();
  await arrive(plain);

  // Out again.
  await page.goto(logout);
  await look(page, "confirm");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Signed out" }).waitFor();
  await look(page, "goodbye");
  await page.goto(local);
  await look(page, "login-again");
  await page.goto(broken).catch(() => {});
  await look(page, "fault");
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify(seen));
