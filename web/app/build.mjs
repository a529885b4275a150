// Builds the pages of this folder into dist/, each in a folder of its name. Pages with components have one script, one style
// sheet, both with their hash in their name, the page that names them, and the licences of the packages in them. The
// landing page and the guides are templates of the server; the one has a style sheet alone, the others a script. The types of the console's operations come from the
// schema. `npm ci` comes first. An argument names another folder than dist/, for a build that changes no sources.
import { build } from "esbuild";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

import { licencesOf } from "../build/licences.mjs";
import { pageOf } from "../build/page.mjs";
import { operationsOf } from "./operations.mjs";

const out = process.argv[2] ?? "dist";
const pages = { explorer: "Explorer", console: "Console" }; // titles, by the name of the page's folder in src

// The rule that react-aria-components, which the explorer has, adds by a script, unless an element has this id, is in the
// style sheet.
const pressable = "react-aria-pressable-style";

const typed = "src/console/operations.ts";
const types = await operationsOf("../../schema.graphqls", "src/console/operations.graphql");
if (process.argv[2]) {
  if (types !== await readFile(typed, "utf8")) throw new Error(`${typed} is not what the schema and the operations make (make pages)`);
} else {
  await writeFile(typed, types);
}

const common = { bundle: true, minify: true, target: ["es2022"], charset: "utf8", legalComments: "none" };

await rm(out, { recursive: true, force: true });
await build({ ...common, entryPoints: ["src/landing/landing.css"], outdir: path.join(out, "landing") });
{
  const folder = path.join(out, "guides");
  const { metafile } = await build({ ...common, entryPoints: ["src/guides/guides.ts"], format: "esm", outdir: folder, metafile: true });
  await writeFile(path.join(folder, "LICENSES"), await licencesOf(metafile));
}
for (const name of Object.keys(pages)) {
  const folder = path.join(out, name);
  await mkdir(folder, { recursive: true });
  const { metafile } = await build({
    ...common,
    entryPoints: { [name]: `src/${name}/main.tsx` },
    format: "esm",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    outdir: folder,
    entryNames: "[name]-[hash]",
    metafile: true,
  });
  const files = Object.keys(metafile.outputs).map((file) => path.basename(file));
  const named = (extension) => files.find((file) => file.endsWith(extension));
  await writeFile(path.join(folder, "index.html"), pageOf({ name, title: pages[name], script: named(".js"), style: { ...(name === "explorer" && { id: pressable }), href: named(".css") } }));
  await writeFile(path.join(folder, "LICENSES"), await licencesOf(metafile));
}
