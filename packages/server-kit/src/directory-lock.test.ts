import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { mountSmallDisk, skipsSmallDisks } from "../../admin/test/_small-disk.ts";
import {
  describeSelf,
  DirectoryInUseError,
  lockDirectory,
  readStartTime,
} from "./directory-lock.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "flags-lock-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const SINCE = "2026-01-01T00:00:00.000Z";
const writeLock = (content: object, generation = 1): void => {
  const path = join(directory, `lock.${generation}`);
  writeFileSync(path, JSON.stringify({ ...describeSelf(), since: SINCE, ...content }));
};

/** Locks a directory in which there is a lock already, which must not be valid. */
async function expectReplaced(): Promise<void> {
  const lock = await lockDirectory(directory);
  expect(readdirSync(directory)).toEqual(["lock.2"]);
  expect(JSON.parse(readFileSync(join(directory, "lock.2"), "utf8"))).toMatchObject(describeSelf());
  await lock.release();
}

/** Starts a process that does nothing until it is killed. */
async function spawnIdle(): Promise<{ readonly pid: number; kill(): Promise<void> }> {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  await new Promise((resolve) => {
    child.once("spawn", resolve);
  });
  return {
    pid: child.pid ?? 0,
    kill: async () => {
      const exited = new Promise((resolve) => {
        child.once("exit", resolve);
      });
      child.kill("SIGKILL");
      await exited;
    },
  };
}

test.skipIf(skipsSmallDisks)("lockDirectory() leaves nothing on a full disk", async () => {
  const disk = mountSmallDisk(1);
  disk.fillUpTo(0);
  const before = readdirSync(disk.directory);
  await expect(lockDirectory(disk.directory)).rejects.toThrow("ENOSPC");
  expect(readdirSync(disk.directory)).toEqual(before);
});

test("lockDirectory() refuses a directory in use and names the process that uses it", async () => {
  const lock = await lockDirectory(directory);
  const second = lockDirectory(directory);
  await expect(second).rejects.toThrow(DirectoryInUseError);
  await expect(second).rejects.toThrow(`process ${process.pid} on ${describeSelf().hostname}`);
  await lock.release();
});

test("lockDirectory() locks a released directory repeatedly", async () => {
  for (let round = 0; round < 3; round++) {
    const lock = await lockDirectory(directory);
    await lock.release();
  }
  expect(readdirSync(directory)).toEqual(["lock.3"]);
});

test("lockDirectory() succeeds for exactly one of many concurrent calls", async () => {
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, () => lockDirectory(directory)),
  );
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("lockDirectory() replaces the lock of a process that has ended", async () => {
  const holder = await spawnIdle();
  writeLock({ pid: holder.pid, startTime: readStartTime(holder.pid) });
  await expect(lockDirectory(directory)).rejects.toThrow(`process ${holder.pid}`);
  await holder.kill();
  await expectReplaced();
});

test.skipIf(process.platform !== "linux")(
  "lockDirectory() replaces the lock if the pid now belongs to another process",
  async () => {
    writeLock({ pid: process.pid, startTime: "1" });
    await expectReplaced();
  },
);

const ELSEWHERE = { hostname: "another", machine: "another", pid: 1 };

test("lockDirectory() replaces the lock of another machine without a heartbeat", async () => {
  writeLock(ELSEWHERE);
  const lock = await lockDirectory(directory, { staleAfterMs: 50 });
  expect(JSON.parse(readFileSync(join(directory, "lock.2"), "utf8"))).toMatchObject({
    pid: process.pid,
  });
  await lock.release();
});

test("lockDirectory() refuses a directory in use by another machine with a heartbeat", async () => {
  writeLock(ELSEWHERE);
  const beat = (): void => utimesSync(join(directory, "lock.1"), new Date(), new Date());
  const heartbeat = setInterval(beat, 20);
  onTestFinished(() => clearInterval(heartbeat));
  await expect(lockDirectory(directory, { staleAfterMs: 500 })).rejects.toThrow(
    "in use by process 1 on another",
  );
});

test("lockDirectory() reports that another process has taken over the directory", async () => {
  let isLost = false;
  const lock = await lockDirectory(directory, {
    heartbeatMs: 20,
    onLost: () => {
      isLost = true;
    },
  });
  writeLock({ hostname: "another" }, 2);
  await expect.poll(() => isLost).toBe(true);
  await lock.release();
});

test("the holder of a lock notices that it was deleted, and that another process uses the directory", async () => {
  let isLost = false;
  const onLost = (): void => {
    isLost = true;
  };
  const lock = await lockDirectory(directory, { heartbeatMs: 20, onLost });
  rmSync(join(directory, "lock.1"));
  writeLock({ ...ELSEWHERE, token: "another" });
  await expect.poll(() => isLost).toBe(true);
  await lock.release();
  expect(readFileSync(join(directory, "lock.1"), "utf8")).not.toContain("released");
});

test.skipIf(process.platform !== "linux")(
  "lockDirectory() replaces the lock of a process that has ended even if its parent does not collect its status",
  async () => {
    // `sleep` replaces the shell as the parent of `cat`, which ends with its input.
    const parent = spawn("sh", ["-c", "exec 3<&0; cat <&3 & echo $!; exec sleep 60"]);
    onTestFinished(() => {
      parent.kill("SIGKILL");
    });
    const [output] = (await once(parent.stdout, "data")) as [Buffer];
    const pid = Number(output.toString());
    writeLock({ pid, startTime: readStartTime(pid) });
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8")).toBe("sleep\n");
    parent.stdin.end();
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toContain(") Z ");
    await expectReplaced();
  },
);

test("lockDirectory() replaces a lock that was never completely written", async () => {
  writeFileSync(join(directory, "lock.1"), '{"pid":');
  await expectReplaced();
});
