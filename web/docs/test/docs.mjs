// Opens the documentation at the address in argv[2] in a real browser: a guide, and the API reference, where it signs in as
// the client in argv[3] with the secret in argv[4] and tries an operation. It writes what happened to standard output as
// JSON:
//
//   requests    every address that the browser asked for while the pages were open
//   console     every warning and error of the console, and every error of a page
//   languages   the languages of the first samples of the quickstart, after one was chosen and the page was opened again
//   copied      what the button beside the first sample copies
//   operations  how many operations the reference shows
//   linked      the operation that is shown after the page was opened at its address
//   tried       the status that the reference shows of an answer
//   violations  the serious and critical faults that axe-core finds
//
// argv[5] is the browser; argv[6], if given, the file for a screenshot.
import { open, violations } from "./browser.mjs";

const [address, client, secret, executablePath, screenshot] = process.argv.slice(2);
const { browser, context, page, seen } = await open(executablePath);
try {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${address}/quickstart`);
  await page.getByText("Python", { exact: true }).first().click();
  await page.reload();
  const tabs = page.locator(".tabs");
  seen.languages = [];
  for (let i = 0; i < 3; i++) seen.languages.push(await tabs.nth(i).locator("input:checked").inputValue());
  await tabs.first().getByRole("button", { name: "Copy" }).click();
  seen.copied = await page.evaluate(() => navigator.clipboard.readText());
  seen.violations = await violations(page, ["serious", "critical"]);

  await page.goto(`${address}/reference`);
  await page.getByText("Read a video").first().waitFor();
  await page.getByRole("button", { name: "Test Request" }).nth(1).waitFor();
  seen.operations = await page.getByRole("button", { name: "Test Request" }).count();
  await page.getByText("clientCredentials").first().click({ timeout: 2000 }).catch(() => {}); // absent if it is the only flow
  await page.locator(".cm-content").nth(1).fill(client);
  await page.getByPlaceholder("XYZ123").first().fill(secret);
  await page.getByRole("button", { name: "Authorize" }).first().click();
  await page.getByText("Access Token").first().waitFor();
  seen.violations.push(...await violations(page, ["serious", "critical"]));
  await page.getByRole("button", { name: "Test Request" }).first().click();
  await page.getByRole("button", { name: "Send" }).first().click();
  const status = page.getByText(/^\s*200/).first();
  await status.waitFor();
  seen.tried = await status.innerText();
  if (screenshot) await page.screenshot({ path: screenshot });

  await page.goto(`${address}/reference#tag/all/getVideo`);
  await page.reload();
  const linked = page.locator("[id$='tag/all/getVideo']").first();
  await linked.waitFor();
  await page.waitForFunction((found) => Math.abs(found.getBoundingClientRect().top) < innerHeight, await linked.elementHandle());
  seen.linked = (await linked.getByText("Read a video").first().innerText()).trim();
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify(seen));
