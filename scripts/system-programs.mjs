// Programs that tests require and npm does not install. As root on Debian, apt installs them.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

/** On Debian, the programs of the PostgreSQL server are not in the PATH. */
const POSTGRES_DIRECTORY = "/usr/lib/postgresql";

const APT_LOCK_FILE = "/tmp/flags-apt.lock";

/** Returns the path of a program, or undefined if it is not installed. */
export function findProgram(command) {
  const file = process.platform === "win32" ? `${command}.exe` : command;
  return programDirectories()
    .map((directory) => join(directory, file))
    .find((path) => existsSync(path));
}

/** The directories of the PATH, then those of PostgreSQL, the latest version first. */
function programDirectories() {
  const versions = existsSync(POSTGRES_DIRECTORY) ? readdirSync(POSTGRES_DIRECTORY) : [];
  versions.sort((a, b) => Number(b) - Number(a));
  const packaged = versions.map((version) => join(POSTGRES_DIRECTORY, version, "bin"));
  return [...(process.env.PATH ?? "").split(delimiter), ...packaged];
}

/** Returns whether the packages could be installed. */
export function installWithApt(...debianPackages) {
  if (process.getuid?.() !== 0 || findProgram("apt-get") === undefined) return false;
  const install = ["install", "-y", "-qq", "--no-install-recommends", ...debianPackages];
  return runAptGet("update", "-qq") && runAptGet(...install);
}

function runAptGet(...args) {
  // NOTE: several suites may install at the same time, and apt fails if it is already running.
  const command = ["--exclusive", APT_LOCK_FILE, "apt-get", ...args];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync("flock", command, { env, stdio: "inherit" }).status === 0;
}
