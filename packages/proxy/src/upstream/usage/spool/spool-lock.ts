import { randomUUID } from "node:crypto";
import { link, readFile, readlink, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isRecord } from "flags-engine";
import { hasCode, OWNER_ONLY } from "flags-sdk/internal";

interface Owner {
  /** Host name, process namespace and boot, in which the process id is valid. */
  readonly machine: string;
  readonly pid: number;
  /** When the process started, in a unit of the system; empty if the system does not say. */
  readonly started: string;
  /** Unique for every time that the lock is acquired. */
  readonly token: string;
}

/** How often the owner shows that it is running. */
const HEARTBEAT_MS = 3000;
/** How long an owner on another machine may be silent before its lock is stale. */
const STALE_MS = 15_000;

/**
 * Ensures that only one process uses a directory. The lock of a process that has ended is taken over: at once
 * if it ran on this machine; otherwise after 15 seconds of silence, measured with the clock of this process,
 * so clocks need not agree.
 */
export class SpoolLock {
  readonly #path: string;
  readonly #now: () => number;
  #owned: Owner | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #observed: { readonly sign: string; readonly sinceMs: number } | undefined;

  /** @param now returns milliseconds since any point in time */
  constructor(directory: string, now: () => number = () => performance.now()) {
    this.#path = join(directory, "lock.json");
    this.#now = now;
  }

  /** Returns undefined if this process owns the lock now; otherwise the reason why not. */
  async acquire(onLost: () => void): Promise<string | undefined> {
    const own = await describeOwnProcess();
    const other = await this.#readOwner();
    if (other !== undefined) {
      const isStale = (await hasEnded(other, own)) ?? (await this.#isSilent(other));
      if (!isStale || !(await this.#remove(other))) return describe(other);
    }
    if (!(await this.#create(own))) return "another process, which has just started";
    this.#owned = own;
    this.#heartbeat = setInterval(() => void this.#beat(own, onLost), HEARTBEAT_MS).unref();
    return undefined;
  }

  /** Lets other processes use the directory. */
  async release(): Promise<void> {
    clearInterval(this.#heartbeat);
    const owner = this.#owned;
    this.#owned = undefined;
    if (owner !== undefined && (await this.#isOwner(owner))) await rm(this.#path, { force: true });
  }

  /** Shows that this process is running. */
  async #beat(own: Owner, onLost: () => void): Promise<void> {
    try {
      const isOwner = await this.#isOwner(own);
      if (this.#owned !== own) return;
      if (isOwner) {
        const now = new Date();
        await utimes(this.#path, now, now);
        return;
      }
      // Something other than another owner has removed it, such as a cleanup.
      if ((await this.#readOwner()) === undefined && (await this.#create(own))) return;
    } catch {
      // The disk fails. Writes to the spool fail too, and report it.
      return;
    }
    clearInterval(this.#heartbeat);
    this.#owned = undefined;
    onLost();
  }

  async #isOwner({ token }: Owner): Promise<boolean> {
    return (await this.#readOwner())?.token === token;
  }

  /** Creates the lock with its content in one step; returns false if it exists. */
  async #create(own: Owner): Promise<boolean> {
    const draft = `${this.#path}.${own.token}`;
    const options = { mode: OWNER_ONLY, flag: "wx" };
    await writeFile(draft, JSON.stringify(own), options);
    try {
      await link(draft, this.#path).catch((error: unknown) => {
        if (hasCode(error, "EEXIST")) throw error;
        // A file system without links, for instance SMB.
        return writeFile(this.#path, JSON.stringify(own), options);
      });
      return true;
    } catch (error) {
      if (hasCode(error, "EEXIST")) return false;
      throw error;
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** Removes the lock of a process that has ended; returns false if another process was faster. */
  async #remove({ token }: Owner): Promise<boolean> {
    const moved = `${this.#path}.${randomUUID()}`;
    try {
      await rename(this.#path, moved);
    } catch (error) {
      if (hasCode(error, "ENOENT")) return true;
      throw error;
    }
    const isExpected = (await readOwner(moved))?.token === token;
    // Another process has acquired the lock in the meantime: give it back.
    if (!isExpected) await link(moved, this.#path).catch(() => undefined);
    await rm(moved, { force: true });
    return isExpected;
  }

  /** Whether the owner has been silent for long enough, as far as earlier calls have observed. */
  async #isSilent({ token }: Owner): Promise<boolean> {
    const { mtimeMs } = await stat(this.#path);
    const sign = `${token} ${mtimeMs}`;
    if (this.#observed?.sign !== sign) this.#observed = { sign, sinceMs: this.#now() };
    return this.#now() - this.#observed.sinceMs >= STALE_MS;
  }

  #readOwner(): Promise<Owner | undefined> {
    return readOwner(this.#path);
  }
}

/** Returns undefined if there is no lock. */
async function readOwner(path: string): Promise<Owner | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
  return toOwner(text);
}

function toOwner(text: string): Owner {
  const unknown = { machine: "an unknown machine", pid: 0, started: "", token: text };
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) && typeof parsed["pid"] === "number"
      ? { ...unknown, ...(parsed as Partial<Owner>) }
      : unknown;
  } catch {
    return unknown;
  }
}

/**
 * NOTE: the host name and the namespace do not identify a machine. Copies of a virtual machine have the same
 * ones, and so do all containers that use the network and the processes of their hosts.
 */
async function describeOwnProcess(): Promise<Owner> {
  const namespace = await readlink("/proc/self/ns/pid").catch(() => "");
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
  return {
    machine: `${hostname()} ${namespace} ${boot}`.trim(),
    pid: process.pid,
    started: (await readStat(process.pid)).started,
    token: randomUUID(),
  };
}

/** Reads the state and the start of a process. They are empty if the system does not say. */
async function readStat(
  pid: number,
): Promise<{ readonly state: string; readonly started: string }> {
  const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The second field, the name of the program, may contain spaces and parentheses.
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "", started: fields[19] ?? "" };
}

/** Returns undefined if it is unknown. */
async function hasEnded(other: Owner, own: Owner): Promise<boolean | undefined> {
  if (other.machine !== own.machine) return undefined;
  if (!isRunning(other.pid)) return true;
  const { state, started } = await readStat(other.pid);
  // A zombie has ended; its parent has not collected its status yet.
  if (state === "Z" || state === "X") return true;
  // The system reuses process ids.
  return other.started === "" || started === "" ? undefined : started !== other.started;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}

function describe({ pid, machine }: Owner): string {
  return `process ${pid} on ${machine.replace(/ .*/s, "")}`;
}
