// Resource usage of a program and its descendants, from /proc. NaN on systems other than Linux.

import { readdirSync, readFileSync } from "node:fs";

const UNKNOWN = { cpuMs: Number.NaN, memoryMiB: Number.NaN };

/** CPU time of all threads since they started, and current resident memory. */
export function readUsage(pid) {
  if (process.platform !== "linux") return UNKNOWN;
  const processes = [pid, ...descendantsOf(pid)];
  return {
    cpuMs: sum(processes.flatMap(threadsOf).map(readThreadCpuMs)),
    memoryMiB: sum(processes.map((process) => readStatusMiB(process, "VmRSS"))),
  };
}

/** The most memory of a program, without its descendants, that was resident since it started. */
export function readPeakMiB(pid) {
  return process.platform === "linux" ? readStatusMiB(pid, "VmHWM") : Number.NaN;
}

function descendantsOf(pid) {
  const children = threadsOf(pid).flatMap((thread) =>
    readFileSync(`${thread}/children`, "utf8").split(" ").filter(Boolean),
  );
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

function threadsOf(pid) {
  const directory = `/proc/${pid}/task`;
  return readdirSync(directory).map((thread) => `${directory}/${thread}`);
}

function readThreadCpuMs(thread) {
  const [nanoseconds] = readFileSync(`${thread}/schedstat`, "utf8").split(" ");
  return Number(nanoseconds) / 1e6;
}

function readStatusMiB(pid, field) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [, kibibytes] = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status);
  return Number(kibibytes) / 1024;
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
