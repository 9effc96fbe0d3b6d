import assert from "node:assert/strict";
import { chown, copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { rootDirectory } from "../workspace.mjs";
import { createFlag, waitForFlag } from "./flags.mjs";
import { run } from "./tools.mjs";

const UNITS = ["flags-admin", "flags-proxy"];
const COMMANDS = "/opt/flags/node_modules/.bin";
/** In tenths: systemd rates units from 0, the best, to 10. */
const MAX_EXPOSURE = 15;

const FLAG = "systemd-flag";
const ADMIN_TOKEN = "*:*.admin-token-of-the-systemd-test";
const CLIENT_TOKEN = "*:production.client-token-of-the-systemd-test";
const CLIENT_KEY = "client-key-of-the-systemd-test";
/** By the name of the credential in the units. */
const CREDENTIALS = {
  "admin-tokens": ADMIN_TOKEN,
  "backend-tokens": CLIENT_TOKEN,
  "api-token": CLIENT_TOKEN,
  "client-keys": CLIENT_KEY,
};
/** What docs/guides/deployment/systemd.md writes to /etc/flags, with addresses of this test. */
const SETTINGS = {
  "flags-admin": { HOST: "127.0.0.1" },
  "flags-proxy": {
    HOST: "127.0.0.1",
    FLAGS_URL: "http://127.0.0.1:4242/api",
    FLAGS_PROXY_WORKERS: "2",
  },
};

/**
 * Checks the units with systemd, then runs both commands with the variables, credentials, system calls and
 * view of /proc that the units give them. systemd itself does not run in CI.
 */
export async function testSystemd({ runtime, directory, report }) {
  const exposures = await analyse(join(directory, "systemd-root"));
  const options = await Promise.all(UNITS.map((name) => readUnit(name, directory)));

  const containers = [];
  for (const [index, name] of UNITS.entries()) {
    const container = await runtime.start(`systemd-${name}`, options[index]);
    await container.waitFor(name, "health");
    containers.push(container);
  }
  await createFlag("http://127.0.0.1:4242", ADMIN_TOKEN, FLAG);
  await waitForFlag("http://127.0.0.1:3000/proxy", CLIENT_KEY, FLAG);
  for (const container of containers.toReversed()) {
    assert.equal((await container.stop()).code, 0);
  }
  report(
    `systemd: exposure ${exposures.join(", ")}; both commands work under the system call filter`,
  );
}

/** Returns the level of exposure of each unit. */
async function analyse(root) {
  const units = join(root, "etc/systemd/system");
  await mkdir(units, { recursive: true });
  await mkdir(join(root, COMMANDS), { recursive: true });
  for (const name of UNITS) {
    await copyFile(unitFile(name), join(units, `${name}.service`));
    await copyFile("/bin/true", join(root, COMMANDS, name));
  }
  const names = UNITS.map((name) => `${name}.service`);
  const verify = ["verify", "--man=no", "--recursive-errors=no", `--root=${root}`, ...names];
  const { status, stderr } = spawnSync("systemd-analyze", verify, { encoding: "utf8" });
  // Unknown settings only cause a warning.
  assert.equal(`${status} ${stderr}`, "0 ");

  const security = ["security", "--no-pager", "--offline=true", `--threshold=${MAX_EXPOSURE}`];
  return names.map((name) => {
    const output = run("systemd-analyze", [...security, `--root=${root}`, name]);
    return /Overall exposure level for (.*)$/m
      .exec(output)[1]
      .replace(/[^\w.: -]+$/u, "")
      .trim();
  });
}

function unitFile(name) {
  return join(rootDirectory, "deploy/systemd", `${name}.service`);
}

/** Returns the options of a container that give the command what its unit does. */
async function readUnit(name, directory) {
  const values = readSettings(await readFile(unitFile(name), "utf8"));
  assert.deepEqual(values("ExecStart"), [`${COMMANDS}/${name}`]);
  const credentials = values("LoadCredential").map((value) => value.split(":")[0]);
  const mounts = [];
  for (const credential of credentials) {
    const source = join(directory, `credential-${credential}`);
    await writeFile(source, `${CREDENTIALS[credential]}\n`);
    mounts.push({ source, destination: `/run/credentials/${credential}` });
  }
  for (const state of values("StateDirectory")) {
    const source = join(directory, state);
    await mkdir(source);
    await chown(source, 65532, 65532);
    mounts.push({ source, destination: `/data/${state}`, writable: true });
  }
  const environment = values("Environment").map((value) => value.split("="));
  const variables = environment.map(([key, value]) => [
    key,
    value.replace("%d", "/run/credentials").replace("%S", "/data"),
  ]);
  return {
    command: [name],
    env: { ...Object.fromEntries(variables), ...SETTINGS[name] },
    mounts,
    seccomp: createFilter(values("SystemCallFilter")),
    ...(values("ProcSubset")[0] === "pid" && { procOptions: ["subset=pid", "hidepid=invisible"] }),
  };
}

function readSettings(text) {
  const lines = text.split("\n").filter((line) => /^\w+=/.test(line));
  const entries = lines.map((line) => [
    line.slice(0, line.indexOf("=")),
    line.slice(line.indexOf("=") + 1),
  ]);
  return (key) => entries.filter(([name]) => name === key).map(([, value]) => value);
}

/** Returns a filter that allows what the unit allows; other system calls fail with EPERM. */
function createFilter(lists) {
  const sets = readSystemCallSets();
  const expand = (name) => (name.startsWith("@") ? sets.get(name).flatMap(expand) : [name]);
  const allowed = new Set(expand("@default"));
  for (const list of lists) {
    const names = list.replace(/^~/, "").split(" ").flatMap(expand);
    for (const name of names) allowed[list.startsWith("~") ? "delete" : "add"](name);
  }
  return {
    defaultAction: "SCMP_ACT_ERRNO",
    defaultErrnoRet: 1,
    syscalls: [{ names: [...allowed], action: "SCMP_ACT_ALLOW" }],
  };
}

function readSystemCallSets() {
  const sets = new Map();
  let current = [];
  for (const line of run("systemd-analyze", ["syscall-filter", "--no-pager"]).split("\n")) {
    const name = line.trim();
    if (line.startsWith("@")) sets.set(name, (current = []));
    else if (name !== "" && !name.startsWith("#")) current.push(name);
  }
  return sets;
}
