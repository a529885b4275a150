// Opens each page of a demo in light and in dark colors and on a phone, and writes to standard output as JSON, by colors
// and page, what axe-core finds, what the console complains of, and by how much the page is wider than the screen.
//
// argv[2] is the base URL, argv[3] the path of a share page, argv[4] the username, argv[5] the password, argv[6] the browser.
import { open, violations, watch } from "./browser.mjs";

const [base, share, username, password, executablePath] = process.argv.slice(2);
const { browser } = await open(executablePath);
const seen = {};
try {
  for (const view of [
    { name: "light", colorScheme: "light", viewport: { width: 1280, height: 800 } },
    { name: "dark", colorScheme: "dark", viewport: { width: 1280, height: 800 } },
    { name: "phone", colorScheme: "light", viewport: { width: 390, height: 800 } },
  ]) {
    for (const path of ["/", "/nothing/here", "/explorer", "/graphiql", "/docs", share]) {
      const context = await browser.newContext(view);
      const page = await context.newPage();
      const console = watch(page);
      const look = async (what) => {
        seen[`${view.name} ${what}`] = {
          violations: await violations(page), console: [...console],
          excess: await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
        };
      };
      await page.goto(base + path);
      await page.waitForLoadState("networkidle");
      await look(path === share ? "sign-in" : path);
      if (path === share) {
        await page.getByLabel("Username").fill(username);
        await page.getByLabel("Password").fill(password);
        await page.getByRole("button", { name: "Sign in" }).click();
        await page.locator("filmstrip-player").waitFor();
        await look("share page");
      }
      await context.close();
    }
  }
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify(seen));
