// Asks in the console at the address in argv[2] whether customers find the videos with the IDs in argv[3], of an open channel,
// and argv[4], of a private one, and writes the answers to standard output as JSON. argv[5] is the browser.
import { open, signInToConsole } from "./browser.mjs";

const [address, visible, hidden, executablePath] = process.argv.slice(2);
const { browser, page } = await open(executablePath);
const answers = {};

async function ask(name) {
  await page.getByRole("searchbox", { name: "Find a customer" }).fill(name);
  await page.getByRole("button", { name: `${name} School`, exact: true }).click();
  return page.getByText(new RegExp(`^${name} School (finds|cannot find)`)).innerText();
}

await signInToConsole(page, address, "customer-manager");
await page.goto(`${address}#/videos/${visible}`);
answers["open Willow"] = await ask("Willow");
await page.getByRole("button", { name: "Choose another customer" }).click();
answers["open Yew"] = await ask("Yew");
await page.goto(`${address}#/videos/${hidden}`);
answers["private Willow"] = await ask("Willow");
await browser.close();
console.log(JSON.stringify(answers));
