// `npm run bench`: the speed of the engine and of the proxy, on this machine, now.
//
//   --long   more and longer rounds
//   --save   also writes the results to bench/RESULTS.md

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { prepareWorkspace, requireNode, rootDirectory, runNpm } from "../scripts/workspace.mjs";

const { values: flags } = parseArgs({
  options: { long: { type: "boolean", default: false }, save: { type: "boolean", default: false } },
});

requireNode();
await prepareWorkspace();
await installLoadGenerator();

// Imported late: both need what was installed and built just now.
const { runEngineBench } = await import("./engine/run.mjs");
const { runHttpBench } = await import("./http/run.mjs");

const report = [
  "# Results",
  describeRun(),
  "## Engine: time per evaluated flag",
  toTable(await runEngineBench({ long: flags.long })),
  "## HTTP: GET /proxy beside a bare node:http server that sends the same bytes",
  toTable(await runHttpBench({ long: flags.long })),
].join("\n\n");

console.log(report);
if (flags.save) await writeFile(new URL("RESULTS.md", import.meta.url), `${report}\n`);

async function installLoadGenerator() {
  if (existsSync(new URL("node_modules/autocannon", import.meta.url))) return;
  await runNpm("ci", "--prefix", fileURLToPath(new URL(".", import.meta.url)));
}

function describeRun() {
  const modified = git("status", "--porcelain") === "" ? "" : " with local changes";
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  return [
    `- Date: ${new Date().toISOString().slice(0, 10)}`,
    `- Commit: ${git("rev-parse", "--short", "HEAD")}${modified}`,
    `- Machine: ${cpus().length} × ${cpus()[0].model.trim()}, ${memoryGiB} GiB, ${process.platform}`,
    `- Node: ${process.version}`,
    `- Form: ${flags.long ? "long" : "short"}`,
  ].join("\n");
}

function git(...args) {
  return execFileSync("git", args, { cwd: rootDirectory, encoding: "utf8" }).trim();
}

function toTable(rows) {
  const columns = Object.keys(rows[0]);
  const body = rows.map((row) => toLine(columns.map((column) => row[column])));
  return [toLine(columns), toLine(columns.map(() => "---")), ...body].join("\n");
}

function toLine(cells) {
  return `| ${cells.join(" | ")} |`;
}
