// Results as Markdown.

import { execFileSync } from "node:child_process";
import { cpus, totalmem } from "node:os";
import { rootDirectory } from "../../scripts/workspace.mjs";

/** Formats objects that have the same fields as a table. */
export function toTable(rows) {
  if (rows.length === 0) return "No results";
  const columns = Object.keys(rows[0]);
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column])))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index].length)));
  const [head, ...body] = cells.map((line) => toLine(line, widths));
  return [head, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...body].join("\n");
}

function toLine(cells, widths) {
  return `| ${cells.map((cell, index) => cell.padEnd(widths[index])).join(" | ")} |`;
}

/** A target: `measured` must not exceed `limit`. */
export function atMost(what, measured, limit) {
  return toTarget(what, { wanted: `≤ ${limit}`, isReached: measured <= limit }, measured);
}

/** A target: `measured` must reach `limit`. */
export function atLeast(what, measured, limit) {
  return toTarget(what, { wanted: `≥ ${limit}`, isReached: measured >= limit }, measured);
}

function toTarget(what, { wanted, isReached }, measured) {
  const digits = Math.abs(measured) < 10 ? 2 : 0;
  return { what, wanted, measured: measured.toFixed(digits), reached: isReached ? "yes" : "NO" };
}

/** Describes when, where and at which commit a run took place. */
export function describeRun(form) {
  const modified = git("status", "--porcelain") === "" ? "" : " with local changes";
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  return [
    `- Date: ${new Date().toISOString().slice(0, 10)}`,
    `- Commit: ${git("rev-parse", "--short", "HEAD")}${modified}`,
    `- Machine: ${cpus().length} × ${cpus()[0].model.trim()}, ${memoryGiB} GiB, ${process.platform}`,
    `- Node: ${process.version}`,
    `- Form: ${form}`,
    "",
    "Ratios compare servers measured in turns in this run. All other numbers are absolute, and hold for this run and machine only.",
  ].join("\n");
}

function git(...args) {
  return execFileSync("git", args, { cwd: rootDirectory, encoding: "utf8" }).trim();
}
