// What the tests of pages share: a browser that asks nobody for anything by itself, what it met, and axe-core.
import { readFile } from "node:fs/promises";
import { chromium } from "playwright-core";

// open starts a browser with an empty page, and notes what it asks for and complains of.
export async function open(executablePath) {
  const browser = await chromium.launch({
    executablePath,
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync",
    ],
  });
  const seen = { requests: [], console: [], violations: [] };
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  context.on("request", (request) => seen.requests.push(`${request.method()} ${request.url()}`));
  page.on("console", (message) => {
    if (["warning", "error"].includes(message.type())) seen.console.push(message.text());
  });
  page.on("pageerror", (error) => seen.console.push(String(error)));
  return { browser, context, page, seen };
}

const axe = await readFile(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

// violations are what axe-core finds on a page as it stands, of the given impacts or of all: the rule and the first
// element, one line each. It is brought in by the debugger, which no policy of the page holds up.
export async function violations(page, impacts) {
  const debug = await page.context().newCDPSession(page);
  await debug.send("Runtime.evaluate", { expression: axe });
  const { result, exceptionDetails } = await debug.send("Runtime.evaluate", {
    expression: "axe.run().then((found) => JSON.stringify(found.violations))", awaitPromise: true, returnByValue: true,
  });
  if (exceptionDetails) throw new Error(exceptionDetails.text);
  return JSON.parse(result.value).filter((rule) => !impacts || impacts.includes(rule.impact)).flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 200)}`));
}

// signInToConsole signs a demo user in at the console. From then on, window.slowest is the longest time in milliseconds from
// an interaction to the next paint. prove, if given, does what the sign-in page asks after the password.
export async function signInToConsole(page, address, name, prove) {
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
}
