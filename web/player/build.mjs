// Builds the player into dist/: the element, hls.js as a file of its own with its hash in its name, which the
// element fetches when it needs it, their type declarations, and the licence of hls.js. `npm ci` comes first.
// A word behind it names another folder than dist/.
import { execFileSync } from "node:child_process";
import { build } from "esbuild";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

const out = process.argv[2] ?? "dist";

async function bundle() {
  await build({
    entryPoints: { "filmstrip-player": "src/index.ts" },
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: ["es2022"],
    legalComments: "none",
    charset: "utf8",
    outdir: out,
    chunkNames: "[name]-[hash]",
  });
}

// The declarations are those of the one file that says what pages may rely on.
async function declare() {
  const folder = await mkdtemp(path.join(tmpdir(), "filmstrip-player-"));
  try {
    execFileSync("node_modules/.bin/tsc", ["--noEmit", "false", "--emitDeclarationOnly", "--declaration", "--outDir", folder]);
    await copyFile(path.join(folder, "api.d.ts"), path.join(out, "filmstrip-player.d.ts"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function licence() {
  const { version, license } = JSON.parse(await readFile("node_modules/hls.js/package.json", "utf8"));
  const text = await readFile("node_modules/hls.js/LICENSE", "utf8");
  await writeFile(path.join(out, "LICENSES"), `The file hls-… beside this one was built from hls.js ${version}: ${license}\n\n${text.trim()}\n`.replace(/\r\n?/g, "\n"));
}

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
await bundle();
await declare();
await licence();
