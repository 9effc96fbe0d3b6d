import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runNpm } from "../../scripts/workspace.mjs";

/** Installs what the benchmarks compare with into this folder, unless it is there. */
export async function installPeers() {
  if (existsSync(new URL("../node_modules/@unleash/proxy", import.meta.url))) return;
  await runNpm("ci", "--ignore-scripts", "--prefix", fileURLToPath(new URL("..", import.meta.url)));
}
