import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** What tells one process from all others, also from later ones with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly hostname: string;
  /** What numbers of processes count in: containers have their own; empty where it is not known. */
  readonly pidNamespace: string;
  /** Changes with every start of the machine; empty where it is not known. */
  readonly bootId: string;
  /** When the process started, in the machine's own measure; empty where it is not known. */
  readonly startTime: string;
}

export function describeSelf(): ProcessIdentity {
  return {
    pid: process.pid,
    hostname: hostname(),
    pidNamespace: readPidNamespace(),
    bootId: readBootId(),
    startTime: readStartTime(process.pid),
  };
}

/**
 * Whether the numbers of processes mean the same here and there.
 *
 * NOTE: containers on the network of their host have its name, and cannot see its processes.
 */
export function isSameMachine(identity: ProcessIdentity): boolean {
  return identity.hostname === hostname() && identity.pidNamespace === readPidNamespace();
}

/** Whether the process runs on this machine. */
export function isStillRunning({ pid, bootId, startTime }: ProcessIdentity): boolean {
  if (bootId !== readBootId()) return false;
  return exists(pid) && startTime === readStartTime(pid);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, and belongs to somebody else.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function readPidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

function readBootId(): string {
  return readText("/proc/sys/kernel/random/boot_id").trim();
}

/** Empty when there is no such process, or the system does not tell. */
export function readStartTime(pid: number): string {
  // The name of the program, in brackets, may itself hold spaces and brackets.
  const [, afterName = ""] = /^.*\)\s(.*)$/s.exec(readText(`/proc/${pid}/stat`)) ?? [];
  const fields = afterName.split(" ");
  // A zombie only waits for its parent to notice its end.
  return fields[0] === "Z" ? "" : (fields[19] ?? "");
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
