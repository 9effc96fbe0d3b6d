// `npm run release:version`: prepares a release from the files in .changeset, in the current directory.
// Changesets sets the versions of the packages and of their dependencies on each other. This program adds
// what it does not do in this repository: the root package, the lock file and the common changelog.

import { readChangesets } from "@changesets/read";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const CHANGESETS = fileURLToPath(import.meta.resolve("@changesets/cli/bin.js"));
const OLDEST_NODE_MAJOR = 22;

/** The sections of a release in CHANGELOG.md. A changeset belongs to that of the first package it names. */
const SECTIONS = new Map([
  ["flags-proxy", "Proxy"],
  ["flags-sdk", "SDK"],
  ["flags-engine", "Engine"],
  ["flags-admin", "Flag-management service"],
  ["flags-stream-client", "Stream client"],
  ["flags-server-kit", "All packages"],
]);

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE_MAJOR) {
  fail(`Changesets needs Node ${OLDEST_NODE_MAJOR} or later, but this is ${process.version}`);
}
const changesets = await readChangesets(process.cwd());
if (changesets.length === 0) fail("There is nothing to release: .changeset contains no changesets");

execFileSync(process.execPath, [CHANGESETS, "version"], { stdio: "inherit" });
const { version } = readJson("packages/proxy/package.json");
writeFileSync(
  "package.json",
  `${JSON.stringify({ ...readJson("package.json"), version }, null, 2)}\n`,
);
updateLockFile();
writeFileSync("CHANGELOG.md", addRelease(readFileSync("CHANGELOG.md", "utf8")));
console.log(`Prepared version ${version}: review CHANGELOG.md`);

function updateLockFile() {
  const windows = process.platform === "win32";
  const args = ["install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync(windows ? "npm.cmd" : "npm", args, { stdio: "inherit", shell: windows });
}

/** Inserts the release before the previous one. */
function addRelease(changelog) {
  const previous = changelog.indexOf("\n## ") + 1;
  if (previous === 0) fail("CHANGELOG.md contains no release");
  return `${changelog.slice(0, previous)}${formatRelease()}\n${changelog.slice(previous)}`;
}

function formatRelease() {
  const sections = [...SECTIONS].flatMap(([name, title]) => {
    const own = changesets.filter(({ releases }) => releases[0]?.name === name);
    return own.length === 0 ? [] : [`### ${title}\n\n${own.map(formatChange).join("\n")}\n`];
  });
  return [`## ${version}\n`, ...sections].join("\n");
}

function formatChange({ summary }) {
  return `- ${summary.trim().replaceAll("\n", "\n  ")}`;
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}

function fail(reason) {
  console.error(reason);
  process.exit(1);
}
