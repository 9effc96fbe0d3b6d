import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  describeSelf,
  isSameMachine,
  isStillRunning,
  type ProcessIdentity,
} from "./process-identity.ts";

/** Another process has the directory open. */
export class DirectoryInUseError extends Error {
  override readonly name = "DirectoryInUseError";

  constructor(directory: string, holder: LockContent) {
    super(
      `${directory} is in use by process ${holder.pid} on ${holder.hostname} since ${holder.since}: ` +
        "stop that process, or set DATA_DIR to another directory",
    );
  }
}

export interface DirectoryLock {
  release(): void;
}

interface LockContent extends ProcessIdentity {
  readonly since: string;
  readonly released?: boolean;
}

interface LockTiming {
  /** How often the holder shows that it is alive. @default 2000 */
  readonly heartbeatMs?: number;
  /** How long a holder on another machine may be silent before it counts as gone. @default 10000 */
  readonly silenceMs?: number;
}

/**
 * Makes sure that only one process uses a directory. The lock of a process that is gone is taken
 * over: on this machine at once, on another one (or in another container) after a silence.
 *
 * Locks are files `lock.1`, `lock.2`, … of which the highest counts. Whoever makes the next one, which
 * only one process can, has the directory.
 *
 * @throws {DirectoryInUseError} when its holder is alive
 */
export async function lockDirectory(
  directory: string,
  { heartbeatMs = 2000, silenceMs = 10_000 }: LockTiming = {},
): Promise<DirectoryLock> {
  const content: LockContent = { ...describeSelf(), since: new Date().toISOString() };
  let path: string | undefined;
  while (path === undefined) {
    const latest = latestGeneration(directory);
    await refuseIfHeld(directory, latest, silenceMs);
    path = claim(directory, latest + 1, content);
  }
  return hold(path, content, heartbeatMs);
}

function hold(path: string, content: LockContent, heartbeatMs: number): DirectoryLock {
  const heartbeat = setInterval(() => {
    const now = new Date();
    // NOTE: a directory that was deleted under us is not worth ending the process.
    attempt(() => utimesSync(path, now, now));
  }, heartbeatMs);
  heartbeat.unref();
  return {
    release: () => {
      clearInterval(heartbeat);
      // The file stays, so that generations never start again from 1.
      attempt(() => writeFileSync(path, JSON.stringify({ ...content, released: true })));
    },
  };
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
  silenceMs: number,
): Promise<void> {
  if (generation === 0) return;
  const path = lockPath(directory, generation);
  const holder = await readLock(path);
  if (holder === undefined || holder.released === true) return;
  const isHeld = isSameMachine(holder) ? isStillRunning(holder) : await showsLife(path, silenceMs);
  if (isHeld) throw new DirectoryInUseError(directory, holder);
}

/** Undefined when the lock is gone or was never completely written. */
async function readLock(path: string): Promise<LockContent | undefined> {
  for (let attempts = 0; attempts < 10; attempts++) {
    const content = attempt(() => JSON.parse(readFileSync(path, "utf8")) as LockContent);
    if (content !== undefined) return content;
    await delay(50);
  }
  return undefined;
}

async function showsLife(path: string, silenceMs: number): Promise<boolean> {
  const before = attempt(() => statSync(path).mtimeMs);
  const deadline = performance.now() + silenceMs;
  while (performance.now() < deadline) {
    await delay(Math.min(250, silenceMs));
    const now = attempt(() => statSync(path).mtimeMs);
    if (now !== before) return now !== undefined;
  }
  return false;
}

/** The path of the lock, or undefined when another process was faster. */
function claim(directory: string, generation: number, content: LockContent): string | undefined {
  const path = lockPath(directory, generation);
  try {
    writeFileSync(path, JSON.stringify(content), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return undefined;
    throw error;
  }
  // Somebody may have come this far, been overtaken, and made an old generation again.
  if (latestGeneration(directory) > generation) {
    rmSync(path, { force: true });
    return undefined;
  }
  for (const older of generationsOf(directory)) {
    if (older < generation) rmSync(lockPath(directory, older), { force: true });
  }
  return path;
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
