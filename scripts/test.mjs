// `npm test`: installs and builds what is missing, runs the tests and prints the totals.
// Arguments are passed to vitest: `npm test -- packages/sdk` runs the tests of one folder.
//
// Without arguments, the tests run at their standard size, unless TEST_SIZE names another one: see test-size.ts.

import { chmod, mkdtemp, readFile, rm, statfs } from "node:fs/promises";
import { freemem, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { showPhase } from "./progress.mjs";
import { installRuntimes } from "./runtimes/install.mjs";
import { findProgram, installWithApt } from "./system-programs.mjs";
import { prepareWorkspace, requireNode, rootDirectory, run } from "./workspace.mjs";

/**
 * Programs that tests require and npm does not install. If one cannot be installed, its tests are
 * skipped, which is a failure with CI=true.
 */
const SYSTEM_PROGRAMS = [
  { command: "openssl", debianPackage: "openssl", usedFor: "TLS" },
  { command: "initdb", debianPackage: "postgresql", usedFor: "PostgreSQL" },
  { command: "redis-server", debianPackage: "redis-server", usedFor: "Redis" },
  { command: "chromium", debianPackage: "chromium", usedFor: "pages in a browser" },
];

/** A file system in memory, on Linux. */
const MEMORY_DIRECTORY = "/dev/shm";
/** Databases take 0.4 GB at a time, and the processes of the tests about 2 GB. */
const MIN_MEMORY_BYTES = 4 * 2 ** 30;

/** The arguments of vitest that can include the tests of other runtimes. */
const RUNTIME_TESTS = /runtimes|^packages(?:\/proxy(?:\/test)?)?\/?$/;

const FURTHER_TESTS = "TEST_SIZE=complete npm test runs everything (scripts/test-size.ts).";

requireNode();
installSystemPrograms();
await prepareWorkspace();
await prepareRuntimes(process.argv.slice(2));
process.exitCode = await runTests(process.argv.slice(2));

function installSystemPrograms() {
  for (const program of SYSTEM_PROGRAMS) {
    if (findProgram(program.command) || installWithApt(program.debianPackage)) continue;
    console.warn(`${program.command} is missing: the tests of ${program.usedFor} will be skipped.`);
  }
}

/** Installs other runtimes, if their tests can be among those that run. Fails if it cannot. */
async function prepareRuntimes(vitestArguments) {
  const paths = vitestArguments.filter((argument) => !argument.startsWith("-"));
  const isNeeded = paths.length === 0 || paths.some((path) => RUNTIME_TESTS.test(path));
  if (!isNeeded) return;
  // Its tests do not run at the standard size.
  const next = sizeOf(vitestArguments) !== "standard";
  await showPhase("Installing other runtimes", () => installRuntimes({ next }));
}

async function runTests(vitestArguments) {
  const directory = await mkdtemp(join(await temporaryDirectory(), "flags-test-"));
  // The PostgreSQL server of the tests runs as a different user.
  await chmod(directory, 0o711);
  try {
    const resultFile = join(directory, "result.json");
    const vitest = join(rootDirectory, "node_modules", "vitest", "vitest.mjs");
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${resultFile}`];
    const size = sizeOf(vitestArguments);
    const code = await run(process.execPath, [vitest, "run", ...reporters, ...vitestArguments], {
      env: { ...process.env, TEST_SIZE: size, TMPDIR: directory },
    });
    if (size !== "complete") console.log(`Test size: ${size}. ${FURTHER_TESTS}`);
    return printTotals(code, await readResult(resultFile));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function sizeOf(vitestArguments) {
  return process.env.TEST_SIZE ?? (vitestArguments.length === 0 ? "standard" : "extended");
}

/**
 * Tests create hundreds of databases with a thousand files each, which is twice as fast in memory. Docker
 * limits this file system to 64 MB by default; then the tests use the disk.
 */
async function temporaryDirectory() {
  try {
    const { bavail, bsize } = await statfs(MEMORY_DIRECTORY);
    const available = Math.min(bavail * bsize, process.availableMemory?.() ?? freemem());
    return available >= MIN_MEMORY_BYTES ? MEMORY_DIRECTORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

async function readResult(file) {
  const text = await readFile(file, "utf8").catch(() => '{"testResults":[]}');
  return JSON.parse(text);
}

/** Prints the skipped and failed tests, any problem and the totals. Returns the exit code. */
function printTotals(vitestCode, { testResults }) {
  const tests = testResults.flatMap((file) => file.assertionResults);
  const passed = tests.filter((test) => test.status === "passed").length;
  const skipped = tests.filter((test) => !["passed", "failed"].includes(test.status));
  for (const test of skipped) console.log(`skipped: ${test.fullName}`);
  const failed = testResults.flatMap(listFailures);
  // `.ci/run` repeats these lines at its end.
  for (const name of failed) console.log(`failed: ${name}`);
  const counts = { passed, failed: failed.length, skipped: skipped.length };
  const problem = findProblem({ vitestCode, ...counts });
  if (problem) console.error(problem);
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return problem ? 1 : 0;
}

/** Names the failed tests of a file; only the file if it could not be loaded, or something other than a test failed. */
function listFailures({ name, status, assertionResults }) {
  const file = relative(rootDirectory, name);
  const tests = assertionResults.filter((test) => test.status === "failed");
  if (tests.length === 0) return status === "failed" ? [file] : [];
  return tests.map(({ fullName }) => `${file}: ${fullName}`);
}

function findProblem({ vitestCode, passed, failed, skipped }) {
  if (failed > 0) return "Tests failed: see above.";
  if (passed === 0) return "No test ran: check the arguments.";
  if (skipped > 0 && process.env.CI === "true")
    return "Tests were skipped, which is a failure with CI=true: install the missing programs.";
  if (vitestCode !== 0) return `vitest exited with code ${vitestCode}: see above.`;
  return undefined;
}
