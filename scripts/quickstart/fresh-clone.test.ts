import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  choosePorts,
  paste,
  type Ports,
  type Quickstart,
  startQuickstart,
  START_TIMEOUT_MS,
} from "./_quickstart.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Building takes most of the time. */
const TIMEOUT_MS = 4 * START_TIMEOUT_MS;

const MAX_BYTES = 100_000_000;

let clone: string;
let ports: Ports;
let last: Quickstart | undefined;

beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), "flags-fresh-clone-"));
  ports = await choosePorts();
  await copyWorkspace();
}, START_TIMEOUT_MS);

afterAll(async () => {
  await last?.stop("SIGTERM");
  await rm(clone, { recursive: true, force: true });
}, START_TIMEOUT_MS);

it(
  "a fresh clone with installed packages is built and serves flags; the second start only serves",
  async () => {
    const startedAt = performance.now();
    const first = await start();
    expect(namesOf(paste(first.commands().read))).toContain("new-header");
    const firstFlagSeconds = (performance.now() - startedAt) / 1000;
    expect(first.output()).toMatch(/^Building …\n(Building … .*\n)*Building: done in .* s\n/);
    expect(first.output()).not.toContain("tsc");
    await first.stop("SIGINT");

    const second = await start();
    const seconds = await second.ready();
    expect(second.output()).not.toContain("Building");
    expect(namesOf(paste(second.commands().read))).toContain("new-header");

    const build = /Building: done in (.*)/.exec(first.output())?.[1] ?? "";
    // CI shows these times. Other tests run at the same time.
    console.log(
      `Fresh clone, packages installed: build ${build}, first flag after ${firstFlagSeconds.toFixed(1)} s; second start ready in ${seconds} s`,
    );
  },
  TIMEOUT_MS,
);

async function start(): Promise<Quickstart> {
  const script = join(clone, "scripts", "start.mjs");
  last = startQuickstart({ ...ports, DATA_DIR: join(clone, ".data") }, [process.execPath, script]);
  await last.ready();
  return last;
}

/** Copies what a clone contains, and the installed packages as hard links. */
async function copyWorkspace(): Promise<void> {
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", list, { cwd: root, encoding: "utf8", maxBuffer: MAX_BYTES })
    .split("\0")
    .filter((file) => /^(packages|scripts)\/|^[^/]+$/.test(file) && existsSync(join(root, file)));
  const options = { cwd: root, maxBuffer: MAX_BYTES };
  execFileSync("tar", ["-x"], {
    cwd: clone,
    input: execFileSync("tar", ["-c", ...files], options),
  });
  const modules = [join(root, "node_modules"), join(clone, "node_modules")] as const;
  // Another file system cannot link.
  if (spawnSync("cp", ["-al", ...modules]).status !== 0) {
    await rm(modules[1], { recursive: true, force: true });
    execFileSync("cp", ["-a", ...modules]);
  }
  // NOTE: written in place by the build, so it must not be a link to the original.
  await rm(join(modules[1], ".flags-build"), { force: true });
}

function namesOf(body: string): readonly string[] {
  const { toggles } = JSON.parse(body) as { toggles: readonly { name: string }[] };
  return toggles.map(({ name }) => name);
}
