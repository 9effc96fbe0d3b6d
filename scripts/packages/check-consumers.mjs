import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { rootDirectory } from "../workspace.mjs";

const TYPESCRIPT = join(rootDirectory, "node_modules/typescript/bin/tsc");
const TYPESCRIPT_5 = join(rootDirectory, "scripts/packages/tools/node_modules/typescript/bin/tsc");

/** The projects in `consumer`, with the compiled files to run. Those for browsers are only compiled. */
const PROJECTS = [
  { name: "nodenext", compiler: TYPESCRIPT, programs: ["module.mjs", "common.cjs"] },
  { name: "bundler", compiler: TYPESCRIPT, programs: [] },
  { name: "admin", compiler: TYPESCRIPT, programs: ["admin.mjs"] },
  { name: "browser", compiler: TYPESCRIPT, programs: [] },
  { name: "legacy", compiler: TYPESCRIPT_5, programs: ["legacy.js"] },
];

/** Compiles and runs the programs that use the installed packages. Returns the problems. */
export async function checkConsumers(directory, { compiles }) {
  const problems = [];
  for (const { name, compiler, programs } of PROJECTS) {
    const files = programs.map((program) => join("out", name, program));
    const steps = [
      ...(compiles ? [[compiler, "-p", `tsconfig.${name}.json`]] : []),
      ...files.map((file) => [file]),
    ];
    // oxlint-disable-next-line no-await-in-loop -- a compiler uses all cores
    for (const step of steps) problems.push(...(await runNode(step, directory)));
  }
  return problems;
}

async function runNode(args, directory) {
  try {
    await promisify(execFile)(process.execPath, args, { cwd: directory });
    return [];
  } catch (error) {
    return [`${args.join(" ")} failed:\n${error.stdout}${error.stderr}`];
  }
}
