// `npm run docs:run`: runs every `sh run` block of README.md and docs/, as a reader would who pastes one
// after the other into a shell, and compares the output. Requires a build.
// Arguments select pages: `npm run docs:run -- docs/reference/admin.md`.
//
// A page whose background block is `npm start`, or that has none, shares one quickstart with others. The ports in the
// text are replaced by free ones, and all data is in a temporary directory.

import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { rootDirectory } from "../workspace.mjs";
import { compareOutput, readBlocks, readDocuments } from "./blocks.mjs";
import { choosePorts, portsOf, startServer } from "./server.mjs";
import { openShell } from "./shell.mjs";

/** The ports in the documents. */
const DOCUMENTED = { admin: "4242", proxy: "3000" };
const QUICKSTART = "npm start\n";
const startTime = performance.now();
const selected = process.argv.slice(2);
const directory = await mkdtemp(join(tmpdir(), "flags-docs-"));
const servers = [];
let quickstart;
let count = 0;
try {
  const pages = await readPages();
  const [shared, own] = [
    pages.filter(usesQuickstart),
    pages.filter((page) => !usesQuickstart(page)),
  ];
  await Promise.all([runInOrder(shared), runInOrder(own)]);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  for (const server of servers.toReversed()) await server.stop();
  await rm(directory, { recursive: true, force: true });
}
const seconds = ((performance.now() - startTime) / 1000).toFixed(1);
if (process.exitCode === undefined) console.log(`${count} blocks of commands work (${seconds} s)`);

async function readPages() {
  const documents = await readDocuments(rootDirectory);
  const pages = documents
    .filter(({ name }) => selected.length === 0 || selected.includes(name))
    .map((document) => ({ name: document.name, blocks: readBlocks(document) }))
    .filter(({ blocks }) => blocks.some(({ mark }) => mark.startsWith("run")));
  if (pages.length > 0) return pages;
  throw new Error(`No page has commands to run: ${selected.join(", ") || "README.md, docs/"}`);
}

async function runInOrder(pages) {
  for (const page of pages) await runPage(page);
}

async function runPage({ name, blocks }) {
  const ports = usesQuickstart({ blocks }) ? (await useQuickstart()).ports : await choosePorts();
  const folder = await createFolder();
  if (usesQuickstart({ blocks })) await linkQuickstartData(folder);
  const environment = { DATA_DIR: join(folder, ".flags"), NO_PROXY: "127.0.0.1" };
  const shell = openShell(folder, environment);
  let own = [];
  let blockCount = 0;
  try {
    for (const [index, block] of blocks.entries()) {
      const text = replacePorts(block.body, ports);
      if (isOwnServer(block)) {
        // A server replaces the one on the same port.
        const previous = own.filter(({ used }) =>
          used.some((port) => portsOf(text).includes(port)),
        );
        for (const server of previous) await server.stop();
        own = own.filter((server) => !previous.includes(server));
        own.push(await startServer({ place: block.place, text, ports, folder, environment }));
      }
      if (block.mark === "run") {
        const output = await shell.run(waitLonger(text), block.place);
        const next = blocks[index + 1];
        if (next?.mark === "output") {
          compareOutput(output, replacePorts(next.body, ports), next.place);
        }
      }
      if (block.mark.startsWith("run")) blockCount += 1;
    }
  } finally {
    shell.close();
    for (const server of own.toReversed()) await server.stop();
  }
  count += blockCount;
  console.log(`${name}: ${blockCount} blocks`);
}

/** Pages that use the quickstart run one after the other, because they change its flags. */
function usesQuickstart({ blocks }) {
  return !blocks.some(isOwnServer);
}

function isOwnServer({ mark, body }) {
  return mark === "run background" && body !== QUICKSTART;
}

async function useQuickstart() {
  quickstart ??= await startQuickstart();
  return quickstart;
}

async function startQuickstart() {
  const ports = await choosePorts();
  const server = await startServer({
    place: "the quickstart",
    text: QUICKSTART,
    ports,
    folder: rootDirectory,
    environment: { DATA_DIR: join(directory, "quickstart"), NO_PROXY: "127.0.0.1" },
  });
  servers.push(server);
  return { ports };
}

/** Each page has its own working directory that looks like a clone. */
async function createFolder() {
  const folder = await mkdtemp(join(directory, "page-"));
  for (const name of await readdir(rootDirectory)) {
    // Data of the programs stays in the folder of the page.
    if (!name.startsWith(".")) await symlink(join(rootDirectory, name), join(folder, name));
  }
  return folder;
}

/** The page reads the tokens of the quickstart, whose data is elsewhere. */
async function linkQuickstartData(folder) {
  await mkdir(join(folder, ".flags"));
  await symlink(join(directory, "quickstart"), join(folder, ".flags", "quickstart"));
}

/** The documents wait as long as a change takes on an idle machine. Here, other tests run at the same time. */
function waitLonger(text) {
  return text.replaceAll(/\bsleep (\d+)/g, (_, seconds) => `sleep ${3 * Number(seconds)}`);
}

function replacePorts(text, ports) {
  return text.replaceAll(/\b(?:4242|3000)\b/g, (port) =>
    port === DOCUMENTED.admin ? ports.admin : ports.proxy,
  );
}
