// The licences of the packages in a bundle, for the builds of all pages.
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";

// licencesOf returns the licences of the packages that went into a bundle of esbuild, by name.
export async function licencesOf(metafile) {
  const folders = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const found = input.match(/^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//);
    if (found) folders.add(found[1]);
  }
  const licences = await Promise.all([...folders].sort().map(licenceOf));
  return `The files beside this one were built from these packages.\n\n${licences.join("\n")}`.replace(/\r\n?/g, "\n");
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
