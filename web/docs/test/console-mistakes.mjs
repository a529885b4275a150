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
