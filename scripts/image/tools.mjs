import { spawnSync } from "node:child_process";
import { findProgram, installWithApt } from "../system-programs.mjs";

/** Programs that the tests of the image need, and their Debian packages. */
const TOOLS = {
  buildah: "buildah",
  runc: "runc",
  mmdebstrap: "mmdebstrap",
  ip: "iproute2",
  unshare: "util-linux",
  setpriv: "util-linux",
  "docker-compose": "docker-compose",
  pg_ctlcluster: "postgresql",
  "systemd-analyze": "systemd",
};

/** Installs with apt what is missing. */
export function installTools() {
  const missing = Object.keys(TOOLS).filter((name) => findProgram(name) === undefined);
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((name) => TOOLS[name]))];
  if (!installWithApt(...packages)) throw new Error(`Cannot install ${packages.join(", ")}`);
}

/** Runs a program to its end and returns its output. Throws an error with the output if it fails. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  });
  if (result.status === 0) return result.stdout?.trim() ?? "";
  const output = result.error?.message ?? `${result.stdout ?? ""}${result.stderr ?? ""}`.trim();
  throw new Error(`${command} ${args.join(" ")} failed with ${result.status}:\n${output}`);
}
