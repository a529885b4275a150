// Builds the page into dist/: one script, one style sheet, both with their hash in their name, the
// page that names them, and the licences of all that is in them. `npm ci` comes first. An argument names another folder.
import { build } from "esbuild";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

import { licencesOf } from "../build/licences.mjs";
import { pageOf } from "../build/page.mjs";

const out = process.argv[2] ?? "dist";

// The style sheet of GraphiQL carries its fonts inside. The reader's own fonts do: the sheet is an
// eighth of the size, and the page needs no permission for fonts.
const withoutFonts = {
  name: "without-fonts",
  setup(builder) {
    builder.onLoad({ filter: /node_modules\/.*\.css$/ }, async ({ path: file }) => ({
      contents: (await readFile(file, "utf8")).replace(/@font-face\s*\{[^}]*\}/g, ""),
      loader: "css",
    }));
  },
};

async function bundle() {
  return build({
    entryPoints: { app: "src/main.jsx" },
    bundle: true,
    minify: true,
    format: "esm",
    target: ["es2022"],
    jsx: "automatic",
    legalComments: "none",
    charset: "utf8",
    define: { "process.env.NODE_ENV": '"production"' },
    outdir: out,
    entryNames: "[name]-[hash]",
    metafile: true,
    plugins: [withoutFonts],
  });
}

await rm(out, { recursive: true, force: true });
await mkdir(out);
const { metafile } = await bundle();
const files = Object.keys(metafile.outputs).map((name) => path.basename(name));
const named = (extension) => files.find((name) => name.endsWith(extension));
await writeFile(path.join(out, "index.html"), pageOf({ name: "graphiql", title: "GraphiQL", script: named(".js"), style: { href: named(".css") } }));
await writeFile(path.join(out, "LICENSES"), await licencesOf(metafile));
