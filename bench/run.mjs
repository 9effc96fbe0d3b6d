// `npm run bench`: how fast and how frugal the engine and the proxy are, on this machine, now.
// bench/README.md tells what is measured and how; `--help` tells the options.

import { writeFile } from "node:fs/promises";
import { prepareWorkspace, requireNode } from "../scripts/workspace.mjs";
import { HELP, parsePlan } from "./plan.mjs";
import { installPeers } from "./peers/install.mjs";
import { describeRun } from "./report/describe-run.mjs";
import { reportTargets } from "./report/targets.mjs";

const plan = parsePlan(process.argv.slice(2));
if (plan.help) {
  console.log(HELP);
  process.exit();
}

requireNode();
if (plan.build) await prepareWorkspace();
await installPeers();

// Imported late: the parts need what was installed and built just now.
const { PARTS } = await import("./parts.mjs");

const sections = ["# Results", describeRun(plan.long ? "long" : "short")];
const targets = [];
for (const name of plan.parts) {
  console.error(`Measuring: ${name}`);
  const part = PARTS[name];
  const result = await part.run(plan[name]);
  sections.push(part.report(result));
  targets.push(...part.targets(result));
}
sections.push(reportTargets(targets));
const others = Object.keys(PARTS).filter((name) => !plan.parts.includes(name));
if (others.length > 0) {
  sections.push(`Not measured: ${others.join(", ")}. Name them, or take all with --all.`);
}

const report = sections.join("\n\n");
console.log(report);
if (plan.save) await writeFile(new URL("RESULTS.md", import.meta.url), `${report}\n`);
