import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { codeOf } from "./errors.ts";

/** Identifies a process, even among later processes with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly hostname: string;
  /** Namespace of the pid, since containers have their own; empty if unknown. */
  readonly pidNamespace: string;
  /** Changes with every boot of the machine; empty if unknown. */
  readonly bootId: string;
  /** When the process started, in clock ticks since boot; empty if unknown. */
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
 * Whether the process is on this machine and in the same pid namespace, so that its pid is meaningful. False after
 * the machine was restarted, and if it is unknown.
 *
 * NOTE: the host name is not enough. Containers that use the network of their host also have its name,
 * but cannot see its processes. Copies of a virtual machine have the same name and pid namespace.
 */
export function isSameMachine(identity: ProcessIdentity): boolean {
  return (
    identity.hostname === hostname() &&
    identity.pidNamespace === readPidNamespace() &&
    identity.bootId !== "" &&
    identity.bootId === readBootId()
  );
}

/** Whether a process of this machine is still running. */
export function isStillRunning({ pid, startTime }: ProcessIdentity): boolean {
  return exists(pid) && startTime === readStartTime(pid);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return codeOf(error) === "EPERM";
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

/** Empty if there is no such process, or the operating system does not report it. */
export function readStartTime(pid: number): string {
  // The program name, in parentheses, may itself contain spaces and parentheses.
  const [, afterName = ""] = /^.*\)\s(.*)$/s.exec(readText(`/proc/${pid}/stat`)) ?? [];
  const fields = afterName.split(" ");
  // A zombie has exited; its parent has not collected its status yet.
  return fields[0] === "Z" ? "" : (fields[19] ?? "");
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
