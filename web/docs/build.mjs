// Builds the API reference into dist/: the viewer, our own script and style sheet, each with a hash in its name, the page
// that names them, and the licences of the packages in the viewer. `npm ci` comes first. An argument names another
// folder than dist/.
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";

const out = process.argv[2] ?? "dist";
const viewer = "node_modules/@scalar/api-reference";

// keep writes a file with a hash of its content in its name, and returns that name.
async function keep(name, content) {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 8);
  const named = name.replace(".", `-${hash}.`);
  await writeFile(path.join(out, named), content);
  return named;
}

function page(viewerScript, script, style) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference - Filmstrip</title>
<link rel="icon" href="../design/logo.svg" type="image/svg+xml">
<link rel="stylesheet" href="${style}">
</head>
<body>
<!--design.Header-->
<div id="app"><noscript>This page needs JavaScript. What it shows is at <a href="../openapi.json">openapi.json</a>.</noscript></div>
<script src="${viewerScript}"></script>
<script type="module" src="${script}"></script>
</body>
</html>
`;
}

// licences returns the licences of the viewer and of the packages that its build names.
async function licences() {
  const { version, license } = JSON.parse(await readFile(path.join(viewer, "package.json"), "utf8"));
  const stats = await readFile(path.join(viewer, "dist/browser/webpack-stats.json"), "utf8");
  const names = new Set([...stats.matchAll(/node_modules\/((?:@[^/"]+\/)?[^/"@.][^/"]*)\//g)].map(([, name]) => name));
  const parts = [];
  for (const name of [...names].sort()) {
    const folder = path.join("node_modules", name);
    const files = await readdir(folder).catch(() => []);
    if (!files.includes("package.json")) continue; // a part of another package
    const about = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
    const text = files.find((file) => /^licen[cs]e/i.test(file));
    parts.push(`${about.name} ${about.version}: ${about.license}\n\n${text ? (await readFile(path.join(folder, text), "utf8")).trim() : ""}`.trim());
  }
  return [`The files beside this one contain @scalar/api-reference ${version}: ${license}, with these packages.`, ...parts]
    .join(`\n\n${"=".repeat(80)}\n\n`).replace(/\r\n?/g, "\n") + "\n";
}

await rm(out, { recursive: true, force: true });
await mkdir(out);
// The viewer knows services of its maker. The page never asks them, and the names here make sure of that (RFC 6761).
const services = /https:\/\/(?:api|client|dashboard|editor|fonts|galaxy|proxy|registry)\.scalar\.com/g;
const viewerText = (await readFile(path.join(viewer, "dist/browser/standalone.js"), "utf8")).replace(services, "https://scalar.invalid");
const viewerScript = await keep("scalar.js", viewerText);
const script = await keep("reference.js", await readFile("src/main.js"));
const style = await keep("reference.css", await readFile("src/page.css"));
await writeFile(path.join(out, "index.html"), page(viewerScript, script, style));
await writeFile(path.join(out, "LICENSES"), await licences());
