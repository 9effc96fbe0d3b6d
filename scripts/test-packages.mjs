// `npm run packages:test`: packs the packages, installs the tarballs in a new project, as users do, and
// checks that they work there. Requires a build; needs only Node and npm. Prints sizes and times.
//
// `--keep` DIRECTORY keeps the installed project there. `--installed` DIRECTORY repeats the tests that
// depend on the version of Node with such a project.

import { statSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkConsumers } from "./packages/check-consumers.mjs";
import { checkContents } from "./packages/check-contents.mjs";
import { measureFirstFlag } from "./packages/first-flag.mjs";
import { checkInstalled, createConsumer } from "./packages/install.mjs";
import { readCommand } from "./packages/installed-command.mjs";
import { npm, packPackages } from "./packages/pack.mjs";
import { requireNode, rootDirectory } from "./workspace.mjs";

const TOOLS = join(rootDirectory, "scripts", "packages", "tools");
const COMMANDS = ["flags-proxy", "flags-admin"];

requireNode();
const { values } = parseArgs({
  options: { keep: { type: "string" }, installed: { type: "string" } },
});

const begin = performance.now();
try {
  if (values.installed === undefined) await testPackages(values.keep);
  else await testInstalled(values.installed, { compiles: false });
  console.log(`The packages work with Node ${process.version}: ${since(begin)}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

async function testPackages(keep) {
  const temporary = await mkdtemp(join(tmpdir(), "flags-packages-"));
  const directory = keep ?? temporary;
  try {
    await mkdir(directory, { recursive: true });
    const packages = await packPackages(directory);
    for (const { name, size, unpackedSize, files } of packages) {
      console.log(
        `${name}: ${kb(size)} packed, ${kb(unpackedSize)} unpacked, ${files.length} files`,
      );
    }
    report(await checkContents(packages));
    await installTools();
    const [problems] = await Promise.all([lint(packages), install(directory, packages)]);
    report(problems);
    await testInstalled(directory, { compiles: true });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Installs the tools that are not part of the workspace, unless they are up to date. */
async function installTools() {
  const [wanted, present] = ["package-lock.json", "node_modules/.package-lock.json"].map(
    (file) => statSync(join(TOOLS, file), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  if (present > wanted) return;
  await npm(["ci", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: TOOLS });
}

async function lint(packages) {
  const { lintTarball } = await import("./packages/tools/lint-tarball.mjs");
  const problems = [];
  for (const { name, tarball } of packages) {
    // oxlint-disable-next-line no-await-in-loop -- it uses the processor, not the network
    for (const problem of await lintTarball(tarball)) problems.push(`${name}: ${problem}`);
  }
  return problems;
}

async function install(directory, packages) {
  const start = performance.now();
  const project = join(directory, "project");
  await createConsumer(project, packages);
  const { count, problems } = await checkInstalled(project);
  report(problems);
  console.log(`npm install --engine-strict: ${count} packages in ${since(start)}`);
}

async function testInstalled(directory, { compiles }) {
  const project = join(directory, "project");
  const start = performance.now();
  report(await checkConsumers(project, { compiles }));
  console.log(`ES modules and CommonJS${compiles ? ", with types" : ""}: ${since(start)}`);
  for (const command of COMMANDS) {
    // oxlint-disable-next-line no-await-in-loop -- two commands
    await testCommand(project, command);
  }
  const { totalMs, adminMs, proxyMs } = await measureFirstFlag(project);
  console.log(
    `time to first flag: ${ms(totalMs)} (flags-admin listens after ${ms(adminMs)}, flags-proxy after ${ms(proxyMs)})`,
  );
}

async function testCommand(project, command) {
  const version = await readCommand(project, command, ["--version"]);
  const help = await readCommand(project, command, ["--help"]);
  if (!/^\d+\.\d+\.\d+\S*\n$/.test(version) || !help.startsWith(`${command} ${version}`)) {
    report([`${command} --version or --help printed something unexpected: ${version}${help}`]);
  }
}

/** Throws if there are any problems. */
function report(problems) {
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

function since(start) {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}

function ms(duration) {
  return `${Math.round(duration)} ms`;
}

function kb(bytes) {
  return `${Math.round(bytes / 1000)} kB`;
}
