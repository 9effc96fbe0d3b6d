import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const BYTES_PER_MB = 1_048_576;

/** An in-memory file system, mounted for the duration of a test. */
export interface SmallDisk {
  readonly directory: string;
  freeBytes(): number;
  /** Fills the disk with a file until this many MB are free. */
  fillUpTo(freeMb: number): void;
  /** Deletes this file. */
  release(): void;
}

/** Only root may mount. For other users these tests are skipped. In CI they fail instead. */
export const skipsSmallDisks = process.env["CI"] !== "true" && !canMount();

export function mountSmallDisk(sizeMb: number): SmallDisk {
  const directory = mkdtempSync(join(tmpdir(), "flags-disk-"));
  mount(directory, `size=${sizeMb}m`);
  onTestFinished(() => unmount(directory));
  const file = join(directory, "filler");
  const freeBytes = (): number => {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  };
  const release = (): void => rmSync(file, { force: true });
  return {
    directory,
    freeBytes,
    fillUpTo: (freeMb) => {
      release();
      fill(file, freeBytes() - freeMb * BYTES_PER_MB);
    },
    release,
  };
}

function fill(path: string, bytes: number): void {
  const descriptor = openSync(path, "w");
  const block = Buffer.alloc(4096);
  try {
    for (let written = 0; written + block.length <= bytes;) {
      written += writeSync(descriptor, block);
    }
  } finally {
    closeSync(descriptor);
  }
}

function canMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const directory = mkdtempSync(join(tmpdir(), "flags-disk-"));
  try {
    mount(directory, "size=1m");
    unmount(directory);
    return true;
  } catch {
    rmSync(directory, { recursive: true, force: true });
    return false;
  }
}

function mount(directory: string, options: string): void {
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", directory], { stdio: "pipe" });
}

function unmount(directory: string): void {
  // Lazily, because a process that was just killed may still have open files.
  execFileSync("umount", ["--lazy", directory], { stdio: "pipe" });
  rmSync(directory, { recursive: true, force: true });
}
