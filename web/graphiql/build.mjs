// Builds the page into dist/: one script, one style sheet, both with their hash in their name, the
// page that names them, and the licences of all that is in them. `npm ci` comes first.
import { build } from "esbuild";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";

const out = "dist";

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

// packagesOf lists the folders of the packages that went into the bundle, by name.
function packagesOf(metafile) {
  const folders = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const found = input.match(/^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//);
    if (found) folders.add(found[1]);
  }
  return [...folders].sort();
}

async function licenceOf(folder) {
  const about = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  const files = (await readdir(folder)).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name)).sort();
  const texts = await Promise.all(files.map((name) => readFile(path.join(folder, name), "utf8")));
  const author = typeof about.author === "object" ? about.author.name : about.author;
  const text = texts.map((one) => one.trim()).join("\n\n")
    || `The package has no file with its licence; it says: ${about.license}${author ? `, by ${author}` : ""}.`;
  return `${"=".repeat(80)}\n${about.name} ${about.version}: ${about.license}\n${"=".repeat(80)}\n\n${text}\n`;
}

function page(script, style) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GraphiQL - Filmstrip</title>
<!--design.Head-->
<link rel="stylesheet" href="graphiql/${style}">
</head>
<body>
<!--design.Header-->
<div id="app"><noscript>This page needs JavaScript.</noscript></div>
<script type="module" src="graphiql/${script}"></script>
</body>
</html>
`;
}

await rm(out, { recursive: true, force: true });
await mkdir(out);
const { metafile } = await bundle();
const files = Object.keys(metafile.outputs).map((name) => path.basename(name));
const named = (extension) => files.find((name) => name.endsWith(extension));
await writeFile(path.join(out, "index.html"), page(named(".js"), named(".css")));
const licences = await Promise.all(packagesOf(metafile).map(licenceOf));
await writeFile(
  path.join(out, "LICENSES"),
  `The files beside this one were built from these packages.\n\n${licences.join("\n")}`.replace(/\r\n?/g, "\n"),
);
