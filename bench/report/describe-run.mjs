import { execFileSync } from "node:child_process";
import { cpus, totalmem } from "node:os";
import { rootDirectory } from "../../scripts/workspace.mjs";

/** Where and when a run took place, and of what. */
export function describeRun(form) {
  const modified = git("status", "--porcelain") === "" ? "" : " with local changes";
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  return [
    `- Date: ${new Date().toISOString().slice(0, 10)}`,
    `- Commit: ${git("rev-parse", "--short", "HEAD")}${modified}`,
    `- Machine: ${cpus().length} × ${cpus()[0].model.trim()}, ${memoryGiB} GiB, ${process.platform}`,
    `- Node: ${process.version}`,
    `- Form: ${form}`,
  ].join("\n");
}

function git(...args) {
  return execFileSync("git", args, { cwd: rootDirectory, encoding: "utf8" }).trim();
}
