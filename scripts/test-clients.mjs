// `node scripts/test-clients.mjs`: runs the examples of examples/clients, which docs/guides/clients shows, against
// the quickstart, and prints the time from the start of each client to its flags.
//
// `--all` includes examples whose tools CI does not have. Names run only these examples. Examples whose
// tools are missing are skipped, which is a failure with CI=true.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { chooseExamples, EXAMPLE_NAMES } from "./clients/examples.mjs";
import {
  copyExamples,
  installNpmPackages,
  installPythonPackages,
} from "./clients/prepare-examples.mjs";
import { BACKEND_TOKEN, startQuickstart, TOKEN_PLACEHOLDER } from "./clients/quickstart.mjs";
import { buildNext, runExample } from "./clients/run-example.mjs";
import { findFreePorts } from "./free-ports.mjs";
import { findProgram } from "./system-programs.mjs";
import { prepareWorkspace, requireNode } from "./workspace.mjs";

const ADMIN_ADDRESS = "127.0.0.1:4242";
const PROXY_ADDRESS = "127.0.0.1:3000";

requireNode();
const { examples, skipped, unknown } = chooseExamples(process.argv.slice(2));
if (unknown.length > 0) {
  console.error(
    `There is no example ${unknown.join(", ")}. Examples: ${EXAMPLE_NAMES.join(", ")}.`,
  );
  process.exit(1);
}
await prepareWorkspace();
const started = performance.now();
let passed = 0;
let failed = 0;
const directory = await mkdtemp(join(tmpdir(), "flags-clients-"));
const stops = [];
let interrupted = false;
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    interrupted = true;
    void cleanUp().finally(() => process.exit(1));
  });
}
try {
  await testExamples();
} catch (error) {
  failed += 1;
  if (!interrupted) console.error(error.message);
} finally {
  await cleanUp();
}
printTotals();

async function cleanUp() {
  for (const stop of stops.splice(0).toReversed()) await stop();
  await rm(directory, { recursive: true, force: true });
}

async function testExamples() {
  const [adminPort, proxyPort] = await findFreePorts(2);
  const admin = `127.0.0.1:${adminPort}`;
  const proxy = `127.0.0.1:${proxyPort}`;
  const work = join(directory, "examples");
  const ofInstallation = { [PROXY_ADDRESS]: proxy, [TOKEN_PLACEHOLDER]: BACKEND_TOKEN };
  await copyExamples(work, { ...ofInstallation, [ADMIN_ADDRESS]: admin });
  const quickstart = startQuickstart(directory, { adminPort, proxyPort });
  stops.push(quickstart.stop);
  const [interpreters, variant] = await Promise.all([install(work), quickstart.readVariant()]);
  console.log(`prepared in ${seconds(performance.now() - started)} s`);

  const browser = await startBrowser();
  // NOTE: not before the installation, during which another program can take the port.
  const [pagePort] = await findFreePorts(1);
  // The caches and backup files of SDKs from earlier runs must not supply the flags.
  const env = { ...process.env, TMPDIR: directory, XDG_CACHE_HOME: join(directory, "cache") };
  const options = { work, env, variant, interpreters, pagePort, browser };
  for (const example of examples) {
    await test(example.name, () => runExample(example, options));
  }
  // The same server SDKs, with the definitions of the proxy.
  const throughProxy = join(work, "through-proxy");
  await copyExamples(throughProxy, { ...ofInstallation, [ADMIN_ADDRESS]: proxy });
  for (const example of examples.filter(({ isServerSdk }) => isServerSdk)) {
    await test(`${example.name}, through the proxy`, () =>
      runExample(example, { ...options, work: throughProxy }));
  }
}

/** Installs the packages of the examples, and builds those that take a long time. */
async function install(work) {
  const python = examples
    .filter(({ run }) => run?.[0] === "python")
    .map(({ name, directory = name }) => directory);
  const usesNpm = examples.some(({ kind, run }) => kind !== "program" || run[0] === "node");
  const [interpreter] = await Promise.all([
    python.length > 0 ? installPythonPackages(work, python) : undefined,
    usesNpm ? installNpmPackages(work) : undefined,
  ]);
  if (examples.some(({ kind }) => kind === "next")) await buildNext(join(work, "nextjs"));
  return { node: process.execPath, python: interpreter };
}

async function startBrowser() {
  if (examples.every(({ kind }) => kind === "program")) return undefined;
  const executablePath = findProgram("chromium");
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  stops.push(() => browser.close());
  return browser;
}

async function test(name, run) {
  try {
    const readyMs = await run();
    passed += 1;
    console.log(`${name}: ready after ${Math.round(readyMs)} ms`);
  } catch (error) {
    failed += 1;
    console.error(`${name}: FAILED\n${error.message}`);
  }
}

function printTotals() {
  for (const { name, tool } of skipped) console.log(`skipped: ${name}: no ${tool.command}`);
  const isSkipFailure = process.env.CI === "true" && skipped.length > 0;
  if (isSkipFailure) console.error("Examples were skipped, which is a failure with CI=true.");
  const total = seconds(performance.now() - started);
  console.log(
    `clients: ${passed} passed, ${failed} failed, ${skipped.length} skipped in ${total} s`,
  );
  process.exitCode = failed > 0 || passed === 0 || isSkipFailure ? 1 : 0;
}

function seconds(milliseconds) {
  return (milliseconds / 1000).toFixed(1);
}
