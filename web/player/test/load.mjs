// Loads a module of the sources, as the build would bundle it.
import { build } from "esbuild";

/** load bundles a file below src and imports it. */
export async function load(name) {
  const { outputFiles } = await build({
    entryPoints: [new URL(`../src/${name}`, import.meta.url).pathname], bundle: true, write: false, format: "esm", target: "es2022",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
