// Builds the page into dist/: the viewer with our own beginning behind it, one style sheet, both with their
// hash in their name, the page that names them, and the licences of what is in them. `npm ci` comes first.
// A word behind it names another folder than dist/.
import { build } from "esbuild";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

const out = process.argv[2] ?? "dist";
const viewer = "node_modules/swagger-ui-dist";

async function bundle() {
  return build({
    entryPoints: { app: "src/main.js" },
    bundle: true,
    minify: true,
    format: "esm",
    target: ["es2022"],
    legalComments: "none",
    charset: "utf8",
    outdir: out,
    entryNames: "[name]-[hash]",
    metafile: true,
  });
}

function page(script, style) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API - Filmstrip</title>
<!--design.Head-->
<link rel="stylesheet" href="docs/${style}">
</head>
<body>
<!--design.Header-->
<div id="app"><noscript>This page needs JavaScript. What it shows is at <a href="openapi.json">openapi.json</a>.</noscript></div>
<script type="module" src="docs/${script}"></script>
</body>
</html>
`;
}

async function licences() {
  const { version, license } = JSON.parse(await readFile(path.join(viewer, "package.json"), "utf8"));
  const files = ["LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"];
  const texts = await Promise.all(files.map((name) => readFile(path.join(viewer, name), "utf8")));
  return `The files beside this one were built from swagger-ui-dist ${version}: ${license}, which holds other packages in turn.\n\n`
    + texts.map((text) => text.trim()).join(`\n\n${"=".repeat(80)}\n\n`) + "\n";
}

await rm(out, { recursive: true, force: true });
await mkdir(out);
const { metafile } = await bundle();
const files = Object.keys(metafile.outputs).map((name) => path.basename(name));
const named = (extension) => files.find((name) => name.endsWith(extension));
await writeFile(path.join(out, "index.html"), page(named(".js"), named(".css")));
await writeFile(path.join(out, "LICENSES"), (await licences()).replace(/\r\n?/g, "\n"));
