// Uses the console at the address in argv[2] while something goes wrong or somebody else works there, and writes what each
// step of the topic in argv[4] led to, or its error, to standard output as JSON. argv[3] is a token of the operator's
// program, argv[5] the ID of a video, and argv[6] the browser.
import { open, signInToConsole } from "./browser.mjs";

const [address, token, topic, video, executablePath] = process.argv.slice(2);
const { browser, context, page } = await open(executablePath);
page.setDefaultTimeout(6_000);
const outcomes = {}, questions = [];
page.on("dialog", (dialog) => {
  questions.push(dialog.message());
  return dialog.accept();
});

async function step(name, run) {
  try {
    outcomes[name] = String(await run());
  } catch (error) {
    outcomes[name] = `${error}`.split("\n")[0];
  }
}

// graphql does what a colleague does.
async function graphql(query, variables) {
  const answer = await fetch(new URL("graphql", address), {
    method: "POST", headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" }, body: JSON.stringify({ query, variables }),
  });
  const { data, errors, message } = await answer.json();
  if (!data) throw new Error(message ?? errors[0].message);
  return data;
}

const stored = async () => (await graphql("query($id: ID!) { catalogueItem(kind: VIDEO, id: $id) { body held { field } } }", { id: video })).catalogueItem;
const account = async () => (await graphql("{ account(id: \"demo\") { name requestsPerMinute billingAddress billingEmail } }")).account;
const setAccount = (input) => graphql("mutation($input: UpdateAccountInput!) { updateAccount(id: \"demo\", input: $input) { id } }", { input });
const button = (name, of = page) => of.getByRole("button", { name, exact: true });
const form = (name) => page.getByRole("form", { name });
const notice = (text) => page.getByRole("status").filter({ hasText: text }).first().waitFor();
const menu = (name) => page.getByRole("navigation", { name: "Console" }).getByRole("link", { name, exact: true }).click();
const alert = (text) => page.getByRole("alert").filter({ hasText: text }).first().innerText({ timeout: 6_000 });
async function go(place) {
  await page.goto("about:blank");
  await page.goto(`${address}${place}`);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
}
const goToVideo = async () => {
  await go(`#/videos/${video}`);
  await page.getByRole("group", { name: "Subjects" }).waitFor();
};
// asked leaves the page by the menu, and reports whether the console asked before.
async function asked() {
  questions.length = 0;
  await menu("Audit");
  await page.getByRole("heading", { name: "Audit" }).waitFor();
  return questions.join() || "no question";
}

const topics = {
  async failures() {
    await signInToConsole(page, address, "owner");
    await step("a job that was deleted", async () => {
      await go("#/imports/nope").catch(() => {});
      return alert("no longer exists");
    });
    await step("an address that is not encoded", async () => {
      await go("#/videos/%");
      return page.getByText("There is no such video").innerText();
    });
    await step("a file that cannot be sent", async () => {
      await go("#/imports");
      await page.route("**/uploads/**", (route) => route.abort());
      await page.getByLabel("File", { exact: true }).setInputFiles({ name: "a.csv", mimeType: "text/csv", buffer: Buffer.from("title\nA") });
      return alert("does not answer");
    });
    await step("a screen with an error", async () => {
      await page.route("**/graphql", (route) => route.request().postData().includes("query Changes") ? route.fulfill({ contentType: "application/json", body: "{\"data\":{}}" }) : route.continue());
      await go("#/audit");
      const said = await page.getByRole("heading", { name: "This page has an error" }).innerText();
      await menu("Taxonomy");
      await page.getByRole("heading", { name: "Taxonomy" }).waitFor();
      return said;
    });
  },

  async held() {
    await signInToConsole(page, address, "editor");
    const save = async () => {
      const saved = page.waitForResponse((response) => response.request().postData()?.includes("mutation UpdateVideo"));
      await button("Save").click();
      await saved; // the notice may be that of the save before
      await notice("Saved.");
      const { body, held } = await stored();
      return JSON.stringify([held.map((one) => one.field).sort(), body.title, body.description, body.keywords]);
    };
    await goToVideo();
    await step("another title", async () => {
      await page.getByLabel("Title").fill("Trees in the winter");
      return save();
    });
    await step("another keyword", async () => {
      const keywords = page.getByLabel("Keywords");
      await keywords.fill(`${await keywords.inputValue()}, winter`);
      return save();
    });
  },

  async unsaved() {
    // Each access token has to be renewed before it is used.
    await context.route("**/v1/token", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...await response.json(), expires_in: 30 } });
    });
    await signInToConsole(page, address, "owner");
    const description = page.getByLabel("Description");
    await goToVideo();
    await step("the server is away", async () => {
      await description.fill("Typed for an hour");
      await page.route("**/v1/token", (route) => route.abort());
      await button("Save").click();
      const said = await alert("does not answer");
      await page.unroute("**/v1/token");
      await button("Save").click();
      await notice("Saved.");
      return `${said} Then: ${(await stored()).body.description}`;
    });
    await step("the session has ended", async () => {
      await goToVideo();
      await description.fill("Typed before the session ended");
      const owner = (await graphql("{ staff { id username } }")).staff.find((one) => one.username === "owner");
      await graphql("mutation($user: ID!) { endUserSessions(user: $user) { id } }", { user: owner.id });
      await button("Save").click();
      const opens = context.waitForEvent("page");
      await page.getByRole("link", { name: "Sign in again in another tab" }).click();
      const tab = await opens;
      tab.setDefaultTimeout(6_000);
      await tab.getByLabel("Username").fill("owner");
      await tab.getByLabel("Password").fill("demo-secret");
      await tab.keyboard.press("Enter");
      await tab.getByRole("heading", { name: "You are signed in again" }).waitFor();
      await tab.close();
      await button("Save").click();
      await notice("Saved.");
      return (await stored()).body.description;
    });
    await step("another action on the page", async () => {
      await goToVideo();
      await description.fill("Typed before Hide");
      await button("Hide").click();
      await button("Show again").click();
      await button("Hide").waitFor();
      const kept = await description.inputValue();
      await button("Save").click();
      await notice("Saved.");
      return `${kept}, ${(await stored()).body.description}`;
    });
    await step("a slow save, then its undo", async () => {
      await goToVideo();
      let arrived;
      const sent = new Promise((resolve) => { arrived = resolve; });
      let answer;
      const typed = new Promise((resolve) => { answer = resolve; });
      await page.route("**/graphql", async (route) => {
        if (route.request().postData().includes("mutation UpdateVideo")) {
          arrived();
          await typed;
        }
        return route.continue();
      });
      await page.getByLabel("Title").fill("Saved slowly");
      await button("Save").click();
      await sent;
      await description.fill("Typed meanwhile");
      answer();
      await page.getByRole("heading", { level: 1, name: "Saved slowly" }).waitFor();
      await page.unroute("**/graphql");
      const after = await description.inputValue();
      await button("Undo").click();
      await notice("Undone.");
      await page.getByRole("heading", { level: 1, name: "Saved slowly" }).waitFor({ state: "detached" });
      return `${after}, ${await description.inputValue()}, ${await page.getByRole("alert").count()} alerts, ${await asked()}`;
    });
    await step("another form on the page", async () => {
      await go("#/customers/demo");
      await page.getByLabel("Billing address").fill("1 Main Street");
      await page.getByLabel("Requests per minute").fill("700");
      const refilled = page.waitForResponse((response) => response.request().postData()?.includes("query Account("));
      await button("Save", form("Limits")).click();
      await refilled;
      await button("Close").click();
      await button("Save", form("Terms")).click();
      await notice("Saved.");
      const { billingAddress, requestsPerMinute } = await account();
      return `${billingAddress}, ${requestsPerMinute}`;
    });
    await step("a price", async () => {
      await go("#/prices/new");
      await page.getByLabel("Monthly fee").fill("12345.67");
      return asked();
    });
    await step("a rule", async () => {
      await go("#/packages/demo-basic");
      await page.getByLabel("Add a rule").selectOption("ExcludedLanguages");
      return asked();
    });
  },

  async meanwhile() {
    await signInToConsole(page, address, "owner");
    const terms = form("Terms");
    await step("keep mine", async () => {
      await go("#/customers/demo");
      await terms.getByLabel("Name").fill("Mine");
      await setAccount({ name: "Theirs", billingEmail: "theirs@school.example" });
      let answer;
      const answered = new Promise((resolve) => { answer = resolve; });
      await page.route("**/graphql", async (route) => {
        if (route.request().postData().includes("query Account(")) await answered;
        await route.continue();
      });
      await button("Save", terms).click();
      const early = await alert("Somebody has changed this");
      answer();
      const said = `${early} ${await alert("Mine Theirs")}`;
      await page.unroute("**/graphql");
      await button("Keep mine").click();
      await notice("Saved.");
      const { name, billingEmail } = await account();
      return `${said.replace(/\s+/g, " ")} Then: ${name}, ${billingEmail}`;
    });
    await step("take the stored values", async () => {
      await terms.getByLabel("Name").fill("Mine again");
      await setAccount({ name: "Theirs again" });
      await button("Save", terms).click();
      await button("Take the stored values").click();
      await page.getByRole("heading", { level: 1, name: "Theirs again" }).waitFor();
      return `${await terms.getByLabel("Name").inputValue()}, ${await asked()}`;
    });
    await step("undo after somebody else", async () => {
      await go("#/customers/demo");
      await page.getByLabel("Requests per minute").fill("300");
      await button("Save", form("Limits")).click();
      await notice("Saved.");
      await setAccount({ requestsPerMinute: 500 });
      await button("Undo").click();
      await notice("Nothing was undone, because somebody has changed this since.");
      return (await account()).requestsPerMinute;
    });
    await step("undo of a role after somebody else", async () => {
      const member = async () => (await graphql("{ staff { id role username } }")).staff.find((one) => one.username === "viewer");
      const { id } = await member();
      for (const [mine, theirs] of [["EDITOR", "FINANCE"], ["", "SUPPORT"]]) {
        await go("#/staff");
        await page.getByLabel("Role of Vera Wolf").selectOption(mine);
        await button("Save the role of Vera Wolf").click();
        await notice(/Vera Wolf (is editor now|has no role any more)\./);
        await graphql("mutation($id: ID!, $role: StaffRole) { setStaffRole(user: $id, role: $role) { id } }", { id, role: theirs });
        await button("Undo").click();
        await notice("Nothing was undone, because somebody has changed this since.");
        if ((await member()).role !== theirs) return `undone: ${(await member()).role}`;
      }
      return (await member()).role;
    });
    await step("a tier, a package, a price plan and a subject", async () => {
      await graphql("mutation { putPricePlan(input: {id: \"school\", name: \"School\", currency: \"EUR\", monthlyFee: \"49.00\", minimum: \"0\", components: []}) { id } }");
      const { tiers, subjects } = await graphql("{ tiers(first: 200) { nodes { id name roles features { name enabled } } } subjects { id } }");
      const tier = tiers.nodes.find((one) => one.id === "basic"), subject = subjects[0].id;
      const records = [
        [`#/packages?of=tiers&tier=${tier.id}`, "mutation($input: TierInput!) { putTier(input: $input) { id } }", { input: { ...tier, name: "Theirs" } }],
        ["#/packages/demo-basic", "mutation { updateContentPackage(id: \"demo-basic\", input: {name: \"Theirs\"}) { id } }"],
        ["#/prices/school", "mutation { putPricePlan(input: {id: \"school\", name: \"Theirs\", currency: \"EUR\", monthlyFee: \"59.00\", minimum: \"0\", components: []}) { id } }"],
        [`#/taxonomy?kind=SUBJECT&item=${subject}`, "mutation($id: ID!) { updateSubject(id: $id, input: {name: \"Theirs\"}) { id } }", { id: subject }],
      ];
      for (const [place, change, variables] of records) {
        await go(place);
        await page.getByLabel("Name", { exact: true }).fill("Mine");
        await graphql(change, variables);
        await button("Save").click();
        await alert("Name: Mine Theirs");
        await button("Keep mine").click();
        await notice("Saved.");
      }
      const names = await graphql("query($id: ID!) { tiers(first: 200) { nodes { id name } } contentPackage(id: \"demo-basic\") { name } pricePlans(first: 9) { nodes { name monthlyFee } } catalogueItem(kind: SUBJECT, id: $id) { body } }", { id: subject });
      return JSON.stringify([names.tiers.nodes.find((one) => one.id === "basic").name, names.contentPackage.name, names.pricePlans.nodes.find((one) => one.name === "Mine")?.monthlyFee, names.catalogueItem.body.name]);
    });
  },
};

await topics[topic]();
await context.unrouteAll({ behavior: "ignoreErrors" }); // the page may renew its token at this moment
await browser.close();
console.log(JSON.stringify(outcomes));
