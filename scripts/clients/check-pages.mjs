// Checks that the guides show the files of examples/clients and examples/runtimes as they are: each block of code after
// `<!-- example: react/main.jsx -->`. With --write, replaces the blocks with the files.

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rootDirectory } from "../workspace.mjs";

/** The folders of docs/guides whose pages show the examples of a folder. */
const PAGES = { clients: ["clients"], runtimes: ["runtimes", "."] };
const BLOCK =
  /(<!-- example: (?<file>\S+) -->\n+```(?<language>[^\n]*)\n)(?<code>[\s\S]*?)(```\n)/g;
/** Files that are needed only to run an example. */
const HIDDEN =
  /(?:^|\/)(?:package(?:-lock)?\.json|go\.(?:mod|sum)|index\.html|(?:vite|next)\.config\.js|layout\.jsx|README\.md)$/;

const mustWrite = process.argv.includes("--write");
const problems = [];
for (const folder of Object.keys(PAGES)) await checkFolder(folder);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);

async function checkFolder(folder) {
  const shown = new Set();
  const examples = join(rootDirectory, "examples", folder);
  for (const pages of PAGES[folder]) {
    const directory = join("docs", "guides", pages);
    const names = await readdir(join(rootDirectory, directory));
    for (const name of names.filter((file) => file.endsWith(".md")))
      await checkPage(join(directory, name), { examples, shown });
  }
  for (const file of await listFiles(examples)) {
    if (!shown.has(file) && !HIDDEN.test(file))
      problems.push(`No page shows examples/${folder}/${file}`);
  }
  console.log(`The guides show ${shown.size} files of examples/${folder}`);
}

async function checkPage(page, { examples, shown }) {
  const path = join(rootDirectory, page);
  let text = await readFile(path, "utf8");
  for (const { 0: block, groups, 1: before, 5: after } of text.matchAll(BLOCK)) {
    const { file, code } = groups;
    shown.add(file);
    const source = await readFile(join(examples, file), "utf8").catch(() => undefined);
    if (source === undefined) problems.push(`${page} shows ${file}, which does not exist`);
    else if (mustWrite) text = text.replace(block, () => `${before}${source}${after}`);
    else if (code !== source) {
      problems.push(
        `${page} does not show the current ${file}: run node scripts/clients/check-pages.mjs --write`,
      );
    }
  }
  if (mustWrite) await writeFile(path, text);
}

async function listFiles(directory, prefix = "") {
  const entries = await readdir(directory, { withFileTypes: true });
  const lists = entries
    .filter(({ name }) => !["node_modules", "dist", ".next", ".wrangler", "target"].includes(name))
    .map((entry) =>
      entry.isDirectory()
        ? listFiles(join(directory, entry.name), `${prefix}${entry.name}/`)
        : [`${prefix}${entry.name}`],
    );
  return (await Promise.all(lists)).flat();
}
