// Part of `npm run lint`: rejects import cycles between the folders of a package, by the rule in
// .dependency-cruiser.json; imports of types count. Its parser cannot read JSX, so the console is only checked for cycles
// between files, which oxlint finds in all packages.

import { readFile } from "node:fs/promises";
import { cruise, format } from "dependency-cruiser";

const configFile = new URL("../.dependency-cruiser.json", import.meta.url);
const { forbidden, options } = JSON.parse(await readFile(configFile, "utf8"));
const { output } = await cruise(["packages"], {
  ...options,
  ruleSet: { forbidden },
  validate: true,
});

// NOTE: without its parser, @swc/core, dependency-cruiser finds no modules and reports no error.
if (output.summary.totalCruised === 0) throw new Error("No modules found: run `npm ci`");
const report = await format(output, { outputType: "err" });
console.log(report.output.trim());
process.exitCode = output.summary.error > 0 ? 1 : 0;
