// `npm run bench`: measures speed and memory of the engine and the services on this machine.
// bench/README.md describes the parts; `--help` lists the options.

import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { prepareWorkspace, requireNode, runNpm } from "../scripts/workspace.mjs";
import { describeRun, toTable } from "./lib/report.mjs";
import { HELP, parsePlan } from "./plan.mjs";

const plan = parsePlan(process.argv.slice(2));
if (plan.help) {
  console.log(HELP);
  process.exit();
}

requireNode();
if (plan.build) await prepareWorkspace();
if (!existsSync(new URL("node_modules/@unleash/proxy", import.meta.url))) {
  await runNpm("ci", "--ignore-scripts", "--prefix", fileURLToPath(new URL(".", import.meta.url)));
}

// NOTE: imported late, because the parts import packages that have just been installed and built.
const { PARTS } = await import("./parts/parts.mjs");

const sections = [];
/** Prints each section when it is measured, so that an error in a later part loses nothing. */
const addSection = (section) => {
  sections.push(section);
  console.log(`${section}\n`);
};

addSection("# Results");
addSection(describeRun(plan.long ? "long" : "short"));
const targets = [];
for (const name of plan.parts) {
  console.error(`Measuring: ${name}`);
  const part = PARTS[name];
  const result = await part.run(plan[name]);
  addSection(part.report(result));
  targets.push(...part.targets(result));
}
addSection(`## Targets\n\n${toTable(targets)}`);
const omitted = Object.keys(PARTS).filter((name) => !plan.parts.includes(name));
if (omitted.length > 0) addSection(`Not measured: ${omitted.join(", ")}.`);

if (plan.save)
  await writeFile(new URL("RESULTS.md", import.meta.url), `${sections.join("\n\n")}\n`);
