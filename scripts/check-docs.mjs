// `npm run docs:check`: checks that the generated parts of the documents match the programs, and that
// the documents refer only to files, headings, folders and tests that exist, that every block of commands is marked,
// and that the messages and the metrics of the programs are explained. Requires a build.
// `node scripts/check-docs.mjs --write` rewrites the tables.

import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { listLinks } from "../docs/.vitepress/sidebar.mjs";
import { PROGRAM as ADMIN } from "../packages/admin/dist/config/settings.js";
import { PROGRAM as PROXY } from "../packages/proxy/dist/config/program.js";
import { describeDefault } from "../packages/server-kit/dist/index.js";
import { withAlertSections } from "./docs/alert-sections.mjs";
import { withCommandTables } from "./docs/command-tables.mjs";
import { withEndpointTables } from "./docs/endpoint-tables.mjs";
import { withEventTables } from "./docs/event-tables.mjs";
import { isEqualText, withAliasTables } from "./docs/alias-tables.mjs";
import { toAnchor } from "./docs/anchors.mjs";
import { findBadMarks, readDocuments } from "./docs/blocks.mjs";
import { checkExplanations, withMessageTables } from "./docs/message-tables.mjs";
import { withFieldTables } from "./docs/field-tables.mjs";
import { withMetricTables } from "./docs/metrics.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Folders, and the template of decision records, whose links are placeholders. */
const IGNORED = new Set(["node_modules", "dist", "coverage", "template.md"]);

/** Folders whose start pages list their pages. */
const SELF_LISTED = new Set([join("docs", "decisions"), join("docs", "guides", "clients")]);

/** Documents that must contain every group of settings of a program. Others may contain any of the proxy. */
const REFERENCES = new Map([
  [join("docs", "reference", "configuration.md"), PROXY],
  [join("docs", "reference", "admin-configuration.md"), ADMIN],
]);

const TABLE =
  /(<!-- options:start(?: (?<group>[^>]+?))? -->\n)(?<body>[\s\S]*?)(<!-- options:end -->)/g;

/** Texts with the form of tokens, and the secrets that are placeholders. Client keys are public anyway. */
const TOKEN = /(?<![\w/.-])(?:\*|\[\]|[\w-]+):(?:\*|[a-z]+)\.([\w-]{4,})/g;
const PLACEHOLDER = /^(?:(?:other-)?secret|(?:backend|frontend)-token|.*key.*)$/;

const COLUMNS = ["Variable", "Option", "Default", "Meaning"];

const mustWrite = process.argv.includes("--write");
const problems = [];
const documents = new Map();
for (const path of await listDocuments(root)) documents.set(path, await readFile(path, "utf8"));

for (const [path, text] of documents) {
  if (mustWrite) await writeTables(path, text);
  else checkTables(path, text);
}
for (const [path, text] of documents) {
  const wanted = await withGeneratedParts(text);
  if (mustWrite) await writeDocument(path, text, wanted);
  else if (!isEqualText(text, wanted)) {
    problems.push(
      `${relative(root, path)} has an outdated generated part: run node scripts/check-docs.mjs --write`,
    );
  }
}
for (const [path, text] of documents) {
  await checkLinks(path, text);
  checkTokens(path, text);
}
for (const [file, program] of REFERENCES) {
  checkGroups(file, program, documents.get(join(root, file)) ?? "");
}

for (const document of await readDocuments(root)) problems.push(...findBadMarks(document));

const messages = documents.get(join(root, "docs", "reference", "troubleshooting.md")) ?? "";
problems.push(...(await checkExplanations(messages)));
await checkMetrics();
checkRecords(join("docs", "decisions"));
checkNavigation();
await checkNamedTests("SECURITY.md");
await checkNamedTests("ARCHITECTURE.md");
await checkFolders("ARCHITECTURE.md");

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
const count = [PROXY, ADMIN].flatMap(({ settings }) => Object.keys(settings)).length;
console.log(`${documents.size} documents match ${count} settings`);

async function withGeneratedParts(text) {
  const generators = [
    withAliasTables,
    withEventTables,
    withCommandTables,
    withFieldTables,
    withEndpointTables,
    withMetricTables,
    withMessageTables,
    withAlertSections,
  ];
  let written = text;
  for (const generate of generators) written = await generate(written);
  return written;
}

/** The metrics of the proxy are defined by their names without a prefix. */
async function checkMetrics() {
  const folder = join(root, "packages/proxy/src/metrics");
  const definition =
    /(?<!unprefixed\.)\b(?:gauge|counter|readCounter|gaugePerSource)\(\s*"([a-z_]+)"/g;
  for (const file of await readdir(folder)) {
    const source = await readFile(join(folder, file), "utf8");
    for (const [, name] of source.matchAll(definition)) {
      const isDocumented = [...documents.values()].some((text) =>
        text.includes(`flags_proxy_${name}\``),
      );
      if (!isDocumented) problems.push(`No document describes the metric flags_proxy_${name}`);
    }
  }
}

function programOf(path) {
  return REFERENCES.get(relative(root, path)) ?? PROXY;
}

async function listDocuments(directory) {
  const entries = await readdir(directory, { withFileTypes: true });
  const lists = entries.map((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      return IGNORED.has(entry.name) || entry.name.startsWith(".") ? [] : listDocuments(path);
    }
    return entry.name.endsWith(".md") && !IGNORED.has(entry.name) ? [path] : [];
  });
  return (await Promise.all(lists)).flat();
}

function checkTables(path, text) {
  for (const { groups } of text.matchAll(TABLE)) {
    const wanted = toRows(formatTables(programOf(path), groups.group));
    const found = toRows(groups.body);
    const missing = wanted.filter((row) => !found.includes(row));
    const surplus = found.filter((row) => !wanted.includes(row));
    report(path, "lacks a row", missing);
    report(path, "has a row that is wrong or outdated", surplus);
    if (missing.length + surplus.length === 0 && wanted.join() !== found.join()) {
      report(path, "has rows in the wrong order", [groups.group ?? "all groups"]);
    }
  }
}

function report(path, problem, rows) {
  for (const row of rows) problems.push(`${relative(root, path)} ${problem}: ${row}`);
}

/** Splits a table into rows, without the spaces that only align them. */
function toRows(body) {
  return body
    .split("\n")
    .map((line) => line.replaceAll(/\s+/g, " ").replaceAll(/-{2,}/g, "-").trim())
    .filter((line) => line !== "");
}

async function writeTables(path, text) {
  const written = text.replaceAll(TABLE, (...match) => {
    const { group } = match.at(-1);
    return `${match[1]}\n${formatTables(programOf(path), group)}\n\n${match[4]}`;
  });
  await writeDocument(path, text, written);
}

async function writeDocument(path, text, written) {
  documents.set(path, written);
  if (written !== text) await writeFile(path, written);
}

function checkGroups(file, program, text) {
  const shown = [...text.matchAll(TABLE)].map(({ groups }) => groups.group);
  if (shown.includes(undefined)) return;
  for (const group of groupsOf(program)) {
    if (!shown.includes(group)) problems.push(`${file} lacks the table of ${group}`);
  }
}

function formatTables(program, group) {
  if (group !== undefined) return formatTable(program, group);
  return groupsOf(program)
    .map((name) => `### ${name}\n\n${formatTable(program, name)}`)
    .join("\n\n");
}

/** Lists the headings of the settings, in order. */
function groupsOf({ settings }) {
  return [...new Set(Object.values(settings).map(({ group }) => group))];
}

function formatTable({ settings }, group) {
  const all = Object.values(settings);
  const members = all.filter((setting) => setting.group === group);
  if (members.length === 0) throw new Error(`There is no group ${group}`);
  // Some programs can be configured only by the environment.
  const columns = all.some(({ option }) => option !== undefined)
    ? COLUMNS
    : COLUMNS.toSpliced(1, 1);
  const rows = [columns, ...members.map((setting) => toCells(setting, columns))];
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map((row) => toLine(row.map((cell, column) => cell.padEnd(widths[column]))));
  const rule = toLine(widths.map((width) => "-".repeat(width)));
  return [lines[0], rule, ...lines.slice(1)].join("\n");
}

function toLine(cells) {
  return `| ${cells.join(" | ")} |`;
}

function toCells(setting, columns) {
  const { option, variables, required, description, secret } = setting;
  // A variable in lower case is only another spelling.
  const names = variables
    .filter((name) => name === name.toUpperCase())
    .flatMap((name) => (secret === true ? [name, `${name}_FILE`] : [name]));
  const cells = {
    Variable: names.map((name) => `\`${name}\``).join(" or ") || "none",
    Option: option === undefined ? "none" : `\`${option}\``,
    Default: required === true ? "**required**" : toDefault(setting),
    Meaning: description.replaceAll("*", "\\*"),
  };
  return columns.map((column) => cells[column]);
}

function toDefault(setting) {
  const text = describeDefault(setting);
  const isNone = text === "none" && setting.default !== text;
  const isValue = setting.defaultText === undefined && !isNone;
  return isValue ? `\`${text}\`` : text;
}

async function checkLinks(path, text) {
  const prose = text.replaceAll(/```[\s\S]*?```/g, "").replaceAll(/`[^`\n]*`/g, "");
  for (const [, target] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z][a-z0-9+.-]*:/i.test(target)) continue;
    const [file, anchor] = target.split("#");
    const linked = file === "" ? path : resolve(dirname(path), decodeURIComponent(file));
    if (!(await exists(linked)))
      problems.push(`${relative(root, path)} links to a missing file: ${target}`);
    else if (anchor && documents.has(linked) && !toAnchors(linked).has(anchor)) {
      problems.push(`${relative(root, path)} links to a missing heading: ${target}`);
    }
  }
}

/** A token in a document would be known to everyone. */
function checkTokens(path, text) {
  for (const [token, secret] of text.matchAll(TOKEN)) {
    if (PLACEHOLDER.test(secret)) continue;
    problems.push(
      `${relative(root, path)} publishes the token ${token}: generate it with openssl rand`,
    );
  }
}

/** Checks that the site's navigation lists every page, apart from the start page and decision records. */
function checkNavigation() {
  const listed = new Set(
    listLinks().map((link) => join("docs", `${link.replace(/\/$/, "/index")}.md`)),
  );
  const pages = [...documents.keys()].map((path) => relative(root, path));
  for (const path of pages.filter((page) => /^docs[/\\].*[/\\]/.test(page))) {
    if (!listed.has(path) && !SELF_LISTED.has(dirname(path)))
      problems.push(`docs/.vitepress/sidebar.mjs does not list ${path}`);
  }
  for (const path of listed) {
    if (!pages.includes(path))
      problems.push(`docs/.vitepress/sidebar.mjs lists ${path}, which is missing`);
  }
}

/** Checks that the start page of the decision records lists every record, and that each has a number of its own. */
function checkRecords(folder) {
  const index = documents.get(join(root, folder, "index.md")) ?? "";
  const numbers = new Set();
  for (const path of documents.keys()) {
    const name = relative(join(root, folder), path);
    const [number] = /^\d{4}(?=-)/.exec(name) ?? [];
    if (number === undefined) continue;
    if (!index.includes(`(${name})`)) {
      problems.push(`${join(folder, "index.md")} does not list ${name}`);
    }
    if (numbers.has(number)) problems.push(`${folder} has two records with the number ${number}`);
    numbers.add(number);
  }
}

async function exists(path) {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}

/** Returns the anchors that GitHub creates for headings. */
function toAnchors(path) {
  const headings = documents.get(path).matchAll(/^#{1,6} +(.+)$/gm);
  return new Set([...headings].map(([, title]) => toAnchor(title)));
}

/** Checks that the tests named in a document exist: files below packages/, and titles in quotes. */
async function checkNamedTests(file) {
  const text = documents.get(join(root, file)) ?? "";
  for (const row of text.split("\n").filter((line) => line.includes(".test.ts`"))) {
    const paths = [...row.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, path]) => path);
    const sources = await Promise.all(
      paths.map((path) =>
        readFile(join(root, "packages", path), "utf8").catch(() => {
          problems.push(`${file} names ${path}, which does not exist`);
          return "";
        }),
      ),
    );
    for (const [, title] of row.matchAll(/"([^"]+)"/g)) {
      if (!sources.some((source) => source.includes(title))) {
        problems.push(`${file} names a test "${title}", which is not in ${paths.join(", ")}`);
      }
    }
  }
}

/** Checks that the folder tree lists every folder directly below `src`, and only folders that exist. */
async function checkFolders(file) {
  const text = documents.get(join(root, file)) ?? "";
  const [, tree = ""] = /^## Folders\n+```\n([\s\S]*?)```/m.exec(text) ?? [];
  const listed = new Set();
  let ancestors = [];
  for (const [, indent, name] of tree.matchAll(/^( *)([\w/-]+?)\/?(?: |$)/gm)) {
    const depth = indent.length / 2;
    ancestors = [...ancestors.slice(0, depth), name];
    listed.add(ancestors.join("/"));
  }
  for (const path of listed) {
    if (!(await exists(join(root, path))))
      problems.push(`${file} lists ${path}, which does not exist`);
  }
  for (const name of await readdir(join(root, "packages"))) {
    const source = `packages/${name}/src`;
    const entries = await readdir(join(root, source), { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory());
    for (const path of [source, ...folders.map((folder) => `${source}/${folder.name}`)]) {
      if (!listed.has(path)) problems.push(`${file} does not list ${path}`);
    }
  }
}
