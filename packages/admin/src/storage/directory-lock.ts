import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf } from "flags-server-kit";
import {
  describeSelf,
  isSameMachine,
  isStillRunning,
  type ProcessIdentity,
} from "./process-identity.ts";

/** Another process uses the directory. */
export class DirectoryInUseError extends Error {
  override readonly name = "DirectoryInUseError";

  /** The message without the hint. */
  readonly fact: string;

  constructor(directory: string, holder: LockContent) {
    const fact = `${directory} has been in use by process ${holder.pid} on ${holder.hostname} since ${holder.since}`;
    super(`${fact}: stop that process, or set DATA_DIR to another directory`);
    this.fact = fact;
  }
}

interface DirectoryLock {
  release(): void;
}

interface LockContent extends ProcessIdentity {
  readonly since: string;
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
  const content: LockContent = { ...describeSelf(), since: new Date().toISOString() };
  let generation: number;
  do {
    const latest = latestGeneration(directory);
    await refuseIfHeld(directory, latest, staleAfterMs);
    generation = latest + 1;
  } while (!claim(directory, generation, content));

  const path = lockPath(directory, generation);
  const stop = startHeartbeat(path, heartbeatMs, () => {
    if (latestGeneration(directory) <= generation) return;
    stop();
    onLost();
  });
  return {
    release: () => {
      stop();
      // The file stays, so that the numbers never start at 1 again.
      attempt(() => writeFileSync(path, JSON.stringify({ ...content, released: true })));
    },
  };
}

function startHeartbeat(path: string, heartbeatMs: number, check: () => void): () => void {
  const heartbeat = setInterval(() => {
    const now = new Date();
    // NOTE: the directory may have been deleted, and an error in a timer would end the process.
    attempt(() => utimesSync(path, now, now));
    attempt(check);
  }, heartbeatMs);
  heartbeat.unref();
  return () => clearInterval(heartbeat);
}

const LOCK_NAME = /^lock\.(\d+)$/;

function generationsOf(directory: string): number[] {
  return readdirSync(directory).flatMap((name) => {
    const generation = LOCK_NAME.exec(name)?.[1];
    return generation === undefined ? [] : [Number(generation)];
  });
}

function latestGeneration(directory: string): number {
  return Math.max(0, ...generationsOf(directory));
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
  const isHeld = isSameMachine(holder)
    ? isStillRunning(holder)
    : await hasHeartbeat(path, staleAfterMs);
  if (isHeld) throw new DirectoryInUseError(directory, holder);
}

/** Undefined if the lock file is gone or was never completely written. */
async function readLock(path: string): Promise<LockContent | undefined> {
  for (let attempts = 0; attempts < 10; attempts++) {
    const content = attempt(() => JSON.parse(readFileSync(path, "utf8")) as LockContent);
    if (content !== undefined) return content;
    await delay(50);
  }
  return undefined;
}

async function hasHeartbeat(path: string, staleAfterMs: number): Promise<boolean> {
  const before = attempt(() => statSync(path).mtimeMs);
  const deadline = performance.now() + staleAfterMs;
  while (performance.now() < deadline) {
    await delay(Math.min(250, staleAfterMs));
    const now = attempt(() => statSync(path).mtimeMs);
    if (now !== before) return now !== undefined;
  }
  return false;
}

/** Creates a lock file; returns false if another process was faster. */
function claim(directory: string, generation: number, content: LockContent): boolean {
  const path = lockPath(directory, generation);
  try {
    writeFileSync(path, JSON.stringify(content), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
  // If this process was slow, others may have created newer files and deleted this number already.
  if (latestGeneration(directory) > generation) {
    rmSync(path, { force: true });
    return false;
  }
  for (const older of generationsOf(directory)) {
    if (older < generation) rmSync(lockPath(directory, older), { force: true });
  }
  return true;
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
