// Opens the page at the address in argv[2] in a real browser, gets a token with the client id and
// secret in argv[3] and argv[4], runs a query, and writes what happened to standard output as JSON:
//
//   requests   every address that the browser asked for while the page was open
//   console    every warning and error of the console, and every error of the page
//   cookies    how many cookies there are in the end
//   answer     the text in the pane of results
//   watched    that text while a subscription went on, and after the page had left it, when it stands still
//   violations the serious and critical faults that axe-core finds, in light and dark, wide and on a phone
//
// argv[5] is the browser; argv[6], if given, the file for a screenshot.
import { open, violations } from "../../docs/test/browser.mjs";

const [address, clientID, secret, executablePath, screenshot] = process.argv.slice(2);
const { browser, context, page, seen } = await open(executablePath);
Object.assign(seen, { answer: "", watched: [], cookies: 0 });
try {
  await page.goto(address);
  await page.getByLabel("Client id").fill(clientID);
  await page.getByLabel("Secret").fill(secret);
  await page.getByRole("button", { name: "Get a token" }).click();
  await page.getByText("Requests carry the token.").waitFor();
  // The schema is there once the documentation can show it.
  await page.getByRole("button", { name: "Show Documentation Explorer" }).click();
  await page.locator(".graphiql-doc-explorer").getByText("Query", { exact: true }).waitFor();
  await page.getByRole("button", { name: /^Execute query/ }).click();
  await page.locator(".result-window").getByText("searchVideos").waitFor();
  const results = () => page.evaluate(() => document.querySelector(".result-window .CodeMirror").CodeMirror.getValue());
  seen.answer = await results();

  // It has the name of the query before: the page takes a moment to learn of another.
  await page.evaluate(() => {
    document.querySelector(".graphiql-query-editor .CodeMirror").CodeMirror.setValue("subscription Search { events { subtype } }");
  });
  await page.getByRole("button", { name: /^Execute query/ }).click();
  await page.locator(".result-window").getByText('"third"').waitFor();
  seen.watched.push(await results());
  await page.getByRole("button", { name: /^Stop query/ }).click();
  await page.getByRole("button", { name: /^Execute query/ }).waitFor();
  seen.watched.push(await results());
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.waitForTimeout(500); // for the transitions of colors
      seen.violations.push(...(await violations(page, ["serious", "critical"])).map((found) => `${colorScheme}, ${width}: ${found}`));
    }
  }
  seen.cookies = (await context.cookies()).length;
  if (screenshot) await page.screenshot({ path: screenshot });
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify(seen));
