import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf } from "./errors.ts";

/** Another process uses the directory. */
export class DirectoryInUseError extends Error {
  override readonly name = "DirectoryInUseError";
  /** The process, for messages. */
  readonly holder: string;

  constructor(directory: string, { pid, hostname: host, since }: LockContent) {
    const holder = `process ${pid} on ${host}`;
    super(`${directory} has been in use by ${holder} since ${since}`);
    this.holder = holder;
  }
}

/** A directory that only this process uses. */
export interface DirectoryLock {
  /** Lets other processes use the directory. Never rejects. */
  release(): Promise<void>;
}

/** Identifies a process, even among later processes with the same pid. */
interface ProcessIdentity {
  readonly pid: number;
  readonly hostname: string;
  /** Where the pid is meaningful: equal for processes that can see each other. Empty if unknown. */
  readonly machine: string;
  /** In clock ticks since the machine has started. */
  readonly startTime: string;
}

interface LockContent extends ProcessIdentity {
  readonly since: string;
  /** Unique for each time that the directory is locked. */
  readonly token: string;
  readonly released?: boolean;
}

interface LockOptions {
  /** How often the holder updates its lock file. @default 2000 */
  readonly heartbeatMs?: number;
  /** A holder on another machine counts as gone after this time without an update. @default 10000 */
  readonly staleAfterMs?: number;
  /** Called when another process has taken over the directory, for instance while this one was suspended. */
  readonly onLost?: () => void;
}

/**
 * Ensures that only one process uses a directory. The lock of a process that has ended is replaced: at
 * once if it ran on this machine since its start, otherwise (or in another container) when its heartbeat has stopped.
 *
 * Locks are files `lock.1`, `lock.2`, …; the one with the highest number is valid. A process acquires
 * the lock by creating the next file exclusively.
 *
 * @throws {DirectoryInUseError} if the holder of the lock is alive
 */
export async function lockDirectory(
  directory: string,
  { heartbeatMs = 2000, staleAfterMs = 10_000, onLost = () => undefined }: LockOptions = {},
): Promise<DirectoryLock> {
  const since = new Date().toISOString();
  const content: LockContent = { ...describeSelf(), since, token: randomUUID() };
  const path = await acquire(directory, content, staleAfterMs);
  let isReleased = false;
  const beat = async (): Promise<void> => {
    if (isReleased || !(await isLost(directory, path, content)) || isReleased) return;
    clearInterval(heartbeat);
    onLost();
  };
  const heartbeat = setInterval(() => void beat(), heartbeatMs).unref();
  return {
    release: async () => {
      isReleased = true;
      clearInterval(heartbeat);
      const holder = await readLock(path);
      if (holder?.token !== content.token) return;
      // The file stays, so that the numbers never start at 1 again.
      await attempt(() => writeFile(path, JSON.stringify({ ...content, released: true })));
    },
  };
}

/** Creates a lock file; returns its path. */
async function acquire(
  directory: string,
  content: LockContent,
  staleAfterMs: number,
): Promise<string> {
  for (;;) {
    // oxlint-disable no-await-in-loop -- until no other process is faster
    const latest = Math.max(0, ...(await generationsOf(directory)));
    await refuseIfHeld(directory, latest, staleAfterMs);
    if (await claim(directory, latest + 1, content)) return lockPath(directory, latest + 1);
    // oxlint-enable no-await-in-loop
  }
}

/** Updates the lock file. Returns whether another process has replaced it. */
async function isLost(directory: string, path: string, content: LockContent): Promise<boolean> {
  const now = new Date();
  await attempt(() => utimes(path, now, now));
  // NOTE: undefined if the disk fails. What uses the directory notices that too.
  const generations = await attempt(() => generationsOf(directory));
  if (generations === undefined || generations.length === 0) return false;
  const valid = await readLock(lockPath(directory, Math.max(...generations)));
  return valid !== undefined && valid.token !== content.token;
}

const LOCK_NAME = /^lock\.(\d+)$/;

async function generationsOf(directory: string): Promise<readonly number[]> {
  return (await readdir(directory)).flatMap((name) => {
    const generation = LOCK_NAME.exec(name)?.[1];
    return generation === undefined ? [] : [Number(generation)];
  });
}

function lockPath(directory: string, generation: number): string {
  return join(directory, `lock.${generation}`);
}

async function refuseIfHeld(
  directory: string,
  generation: number,
  staleAfterMs: number,
): Promise<void> {
  if (generation === 0) return;
  const path = lockPath(directory, generation);
  const holder = await readLock(path);
  if (holder === undefined || holder.released === true) return;
  const { machine, startTime, pid } = holder;
  const isHeld =
    machine !== "" && machine === describeMachine()
      ? startTime === readStartTime(pid)
      : await hasHeartbeat(path, staleAfterMs);
  if (isHeld) throw new DirectoryInUseError(directory, holder);
}

/** Undefined if the lock file is gone or was never completely written. */
async function readLock(path: string): Promise<LockContent | undefined> {
  for (let attempts = 0; attempts < 10; attempts += 1) {
    // oxlint-disable no-await-in-loop -- it may be being written
    const content = await attempt(
      async () => JSON.parse(await readFile(path, "utf8")) as LockContent,
    );
    if (content !== undefined) return content;
    await delay(50);
    // oxlint-enable no-await-in-loop
  }
  return undefined;
}

async function hasHeartbeat(path: string, staleAfterMs: number): Promise<boolean> {
  const readTime = async (): Promise<number | undefined> =>
    (await attempt(() => stat(path)))?.mtimeMs;
  const before = await readTime();
  await delay(staleAfterMs);
  const now = await readTime();
  return now !== undefined && now !== before;
}

/** Creates a lock file; returns false if another process was faster. */
async function claim(
  directory: string,
  generation: number,
  content: LockContent,
): Promise<boolean> {
  const path = lockPath(directory, generation);
  try {
    await writeFile(path, JSON.stringify(content), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    // NOTE: on a full disk, the file exists without its content, and each attempt would leave another one.
    await rm(path, { force: true });
    throw error;
  }
  const generations = await generationsOf(directory);
  // If this process was slow, others may have created newer files and deleted this number already.
  if (generations.some((other) => other > generation)) {
    await rm(path, { force: true });
    return false;
  }
  const older = generations.filter((other) => other < generation);
  await Promise.all(older.map((other) => rm(lockPath(directory, other), { force: true })));
  return true;
}

export function describeSelf(): ProcessIdentity {
  return {
    pid: process.pid,
    hostname: hostname(),
    machine: describeMachine(),
    startTime: readStartTime(process.pid),
  };
}

/**
 * NOTE: the host name is not enough. Containers that use the network of their host also have its name, but cannot see
 * its processes. Copies of a virtual machine have the same name and pid namespace.
 */
function describeMachine(): string {
  const bootId = attemptSync(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const pidNamespace = attemptSync(() => readlinkSync("/proc/self/ns/pid"));
  return bootId === "" ? "" : [hostname(), bootId, pidNamespace].join(" ");
}

/** Empty if there is no such process, or the operating system does not report it. */
export function readStartTime(pid: number): string {
  const text = attemptSync(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  // The program name, in parentheses, may itself contain spaces and parentheses.
  const [, afterName = ""] = /^.*\)\s(.*)$/s.exec(text) ?? [];
  const fields = afterName.split(" ");
  // A zombie has exited; its parent has not collected its status yet.
  return fields[0] === "Z" ? "" : (fields[19] ?? "");
}

function attemptSync(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

async function attempt<T>(action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch {
    return undefined;
  }
}
