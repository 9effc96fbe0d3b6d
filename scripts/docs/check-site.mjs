// Part of `npm run docs:build`: checks the built site. Every link leads to a page and a heading that exist, no page loads
// anything from another server, and the search finds guides first.

import { readdir, readFile } from "node:fs/promises";
import { join, posix, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { checkSearch } from "./check-search.mjs";

const dist = fileURLToPath(new URL("../../docs/.vitepress/dist", import.meta.url));
const base = process.env.DOCS_BASE ?? "/";

const paths = (await readdir(dist, { recursive: true })).map((path) => path.split(sep).join("/"));
const files = new Set(paths);
const pages = new Map();
for (const path of paths.filter((name) => name.endsWith(".html"))) {
  pages.set(path, await readFile(join(dist, path), "utf8"));
}

const problems = [];
for (const [path, html] of pages) {
  checkLinks(path, html);
  checkResources(path, html);
}
problems.push(...(await checkSearch(dist)));

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`The site has ${pages.size} pages; all links lead to existing headings`);

function checkLinks(path, html) {
  for (const [, target] of html.matchAll(/<a\b[^>]*?\bhref="([^"]*)"/g)) {
    if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(target)) continue;
    const [address, anchor] = decodeURI(target).split("#");
    const linked = toFile(path, address);
    if (!files.has(linked)) problems.push(`${path} links to a missing page: ${target}`);
    else if (anchor && !pages.get(linked)?.includes(`id="${anchor}"`)) {
      problems.push(`${path} links to a missing heading: ${target}`);
    }
  }
}

function toFile(page, address) {
  if (address === "") return page;
  const path = address.startsWith("/")
    ? posix.normalize(address.slice(base.length - 1)).slice(1)
    : posix.join(posix.dirname(page), address);
  if (path === "" || path.endsWith("/")) return `${path}index.html`;
  return posix.extname(path) === "" ? `${path}.html` : path;
}

/** Resources are the files that the browser loads by itself. */
function checkResources(path, html) {
  const tags = html.matchAll(
    /<(?:script|img|link|source|iframe)\b[^>]*?\b(?:src|href|srcset)="([^"]*)"/g,
  );
  for (const [, target] of tags) {
    if (/^(?:https?:)?\/\//i.test(target)) problems.push(`${path} loads ${target}`);
  }
}
