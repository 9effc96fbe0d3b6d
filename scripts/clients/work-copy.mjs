import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rootDirectory } from "../workspace.mjs";

const SOURCE = join(rootDirectory, "examples", "clients");
const IGNORED = new Set(["node_modules", ".next", "dist", "target", "__pycache__"]);

/** Copies the examples, with other addresses than those in the text. */
export async function copyExamples(target, replacements) {
  await copyFolder(SOURCE, target, replacements);
}

async function copyFolder(source, target, replacements) {
  await mkdir(target, { recursive: true });
  for (const entry of await readdir(source, { withFileTypes: true })) {
    if (IGNORED.has(entry.name)) continue;
    const paths = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory()) await copyFolder(...paths, replacements);
    else if (entry.name === "package-lock.json") await cp(...paths);
    else await copyText(...paths, replacements);
  }
}

async function copyText(source, target, replacements) {
  let text = await readFile(source, "utf8");
  for (const [before, after] of Object.entries(replacements)) text = text.replaceAll(before, after);
  await writeFile(target, text);
}
