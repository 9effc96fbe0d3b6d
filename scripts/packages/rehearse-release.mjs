// `npm run release:rehearse`: publishes the packages as the release workflow does, but to a registry on this machine, and
// installs and tests them from there. Requires a build.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePorts } from "../free-ports.mjs";
import { stopProcess } from "../stop-process.mjs";
import { rootDirectory, run } from "../workspace.mjs";
import { checkConsumers } from "./check-consumers.mjs";
import { checkInstalled, createConsumer } from "./install.mjs";
import { listPublished, npm } from "./pack.mjs";

const REGISTRY = join(rootDirectory, "scripts", "packages", "registry");
const PUBLISH = join(rootDirectory, "scripts", "packages", "publish.mjs");
const TEST = join(rootDirectory, "scripts", "test-packages.mjs");

const directory = await mkdtemp(join(tmpdir(), "flags-rehearsal-"));
let registry;
try {
  registry = await startRegistry();
  await useRegistry(registry.url);
  // The second time, everything is on the registry already: a failed release can be repeated.
  for (const attempt of ["first", "second"]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await mustRun(process.execPath, [PUBLISH]);
    console.log(`The ${attempt} run of the release succeeded`);
  }
  const packages = await Promise.all((await listPublished()).map(toPublished));
  const project = join(directory, "project");
  await createConsumer(project, packages);
  const { count, problems } = await checkInstalled(project);
  problems.push(...(await checkConsumers(project, { compiles: true })));
  if (problems.length > 0) throw new Error(problems.join("\n"));
  console.log(`Installed ${packages.length} packages and ${count} dependencies from the registry`);
  await mustRun(process.execPath, [TEST, "--installed", directory]);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  if (registry !== undefined) await stopProcess(registry.program, { timeoutMs: 5000 });
  await rm(directory, { recursive: true, force: true });
}

/** Everything else comes from the registry that npm uses otherwise. */
async function startRegistry() {
  const [port] = await findFreePorts(1);
  const config = {
    storage: join(directory, "storage"),
    uplinks: { npm: { url: (await npm(["config", "get", "registry"])).trim() } },
    packages: {
      "flags-*": { access: "$all", publish: "$all" },
      "**": { access: "$all", proxy: "npm" },
    },
    log: { type: "stdout", level: "warn" },
  };
  // YAML contains JSON.
  const file = join(directory, "registry.yaml");
  await writeFile(file, JSON.stringify(config));
  const script = join(REGISTRY, "node_modules", "verdaccio", "bin", "verdaccio");
  const args = [script, "--config", file, "--listen", `127.0.0.1:${port}`];
  const program = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  await Promise.race([once(program, "message"), once(program, "close").then(failToStart)]);
  return { program, url: `http://127.0.0.1:${port}/` };
}

function failToStart([code]) {
  throw new Error(`The registry ended with exit code ${code}`);
}

/** All commands of npm from here on use it. NOTE: npm publishes only with a token, which the registry does not check. */
async function useRegistry(url) {
  const file = join(directory, "npmrc");
  await writeFile(file, `registry=${url}\n${url.replace("http:", "")}:_authToken=rehearsal\n`);
  process.env.npm_config_userconfig = file;
  process.env.npm_config_registry = url;
}

async function toPublished(workspace) {
  const text = await readFile(join(rootDirectory, workspace, "package.json"), "utf8");
  const { name, version } = JSON.parse(text);
  return { name, tarball: `${name}@${version}` };
}

async function mustRun(command, args) {
  const code = await run(command, args);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with exit code ${code}`);
}
