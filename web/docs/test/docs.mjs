// Opens the page at the address in argv[2] in a real browser, opens each operation, and writes what happened to
// standard output as JSON:
//
//   requests    every address that the browser asked for while the page was open
//   console     every warning and error of the console, and every error of the page
//   operations  how many operations are shown
//   linked      what is open after the page was opened at the address of one operation
//   tried       what the page shows of an answer, after an operation was tried with the token in argv[3]
//   violations  what axe-core finds, with the operations closed and open
//
// argv[4] is the browser; argv[5], if given, the file for a screenshot.
import { open, violations } from "./browser.mjs";

const [address, token, executablePath, screenshot] = process.argv.slice(2);
const { browser, page, seen } = await open(executablePath);
try {
  await page.goto(address);
  await page.getByText("Read a video", { exact: true }).waitFor();
  seen.operations = await page.locator(".opblock").count();
  seen.violations = await violations(page);

  await page.getByRole("button", { name: "Authorize" }).first().click();
  await page.locator(".modal-ux input").fill(token);
  seen.violations.push(...await violations(page));
  await page.locator(".modal-ux").locator("button.authorize").click();
  await page.locator(".modal-ux").getByRole("button", { name: "Close" }).first().click();
  await page.getByText("Read the index", { exact: true }).first().click();
  await page.getByRole("button", { name: "Try it out" }).click();
  await page.getByRole("button", { name: "Execute" }).click();
  seen.tried = await page.locator(".live-responses-table .response-col_status").last().innerText();
  seen.violations.push(...await violations(page));
  if (screenshot) await page.screenshot({ path: screenshot });

  await page.goto(`${address}#/All/getVideo`);
  await page.reload();
  await page.locator(".opblock.is-open").waitFor();
  seen.linked = await page.locator(".opblock.is-open .opblock-summary-description").innerText();
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify(seen));
