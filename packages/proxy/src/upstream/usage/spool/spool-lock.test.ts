import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { SpoolLock } from "./spool-lock.ts";

const ignore = (): void => {};

async function createFolder(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "flags-lock-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

function createLock(directory: string, now?: () => number): SpoolLock {
  const lock = new SpoolLock(directory, now);
  onTestFinished(() => lock.release());
  return lock;
}

const write = (directory: string, owner: object | string): Promise<void> =>
  writeFile(
    join(directory, "lock.json"),
    typeof owner === "string" ? owner : JSON.stringify(owner),
  );

const OTHER_MACHINE = { machine: "another pid:[1]", pid: process.pid, started: "1", token: "x" };

it("a lock has one owner at a time", async () => {
  const directory = await createFolder();
  const [first, second] = [createLock(directory), createLock(directory)];
  expect(await first.acquire(ignore)).toBeUndefined();
  expect(await second.acquire(ignore)).toBe(`process ${process.pid} on ${hostname()}`);
  await first.release();
  expect(await second.acquire(ignore)).toBeUndefined();
  expect(await readdir(directory)).toEqual(["lock.json"]);
});

it("exactly one of several concurrent attempts acquires the lock", async () => {
  const directory = await createFolder();
  await write(directory, { ...JSON.parse(await ownerOf(directory)), pid: await findUnusedPid() });
  const locks = Array.from({ length: 10 }, () => createLock(directory));
  const results = await Promise.all(locks.map((lock) => lock.acquire(ignore)));
  expect(results.filter((problem) => problem === undefined)).toHaveLength(1);
});

it("the lock of a process of this machine that has ended is taken over at once", async () => {
  const directory = await createFolder();
  const owner = JSON.parse(await ownerOf(directory)) as object;
  await write(directory, { ...owner, pid: await findUnusedPid() });
  expect(await createLock(directory).acquire(ignore)).toBeUndefined();
  // Another process has the id of the one that has ended.
  await write(directory, { ...owner, started: "1" });
  expect(await createLock(directory).acquire(ignore)).toBeUndefined();
});

it.skipIf(process.platform !== "linux")(
  "the lock of a process that has ended is taken over even if its parent does not collect its status",
  async () => {
    const directory = await createFolder();
    // `sleep` replaces the shell as the parent of `cat`, which ends with its input.
    const parent = spawn("sh", ["-c", "exec 3<&0; cat <&3 & echo $!; exec sleep 60"]);
    onTestFinished(() => {
      parent.kill("SIGKILL");
    });
    const [output] = (await once(parent.stdout, "data")) as [Buffer];
    const pid = Number(output.toString());
    const readName = (): Promise<string> => readFile(`/proc/${parent.pid}/comm`, "utf8");
    await expect.poll(readName).toBe("sleep\n");
    parent.stdin.end();
    const readStat = (): Promise<string> => readFile(`/proc/${pid}/stat`, "utf8");
    await expect.poll(readStat).toContain(") Z ");
    const owner = JSON.parse(await ownerOf(directory)) as object;
    await write(directory, { ...owner, pid, started: (await readStat()).split(" ")[21] });
    expect(await createLock(directory).acquire(ignore)).toBeUndefined();
  },
);

it("the lock of a running process of this machine is not taken over, however long it is silent", async () => {
  const directory = await createFolder();
  const owner = await ownerOf(directory);
  await write(directory, owner);
  let nowMs = 0;
  const lock = createLock(directory, () => nowMs);
  expect(await lock.acquire(ignore)).toBeDefined();
  nowMs = 1_000_000;
  expect(await lock.acquire(ignore)).toBeDefined();
});

it.skipIf(process.platform !== "linux")(
  "the lock of a machine with the same host name and process namespace is not taken over at once",
  async () => {
    const directory = await createFolder();
    const owner = JSON.parse(await ownerOf(directory)) as { readonly machine: string };
    const [host, namespace] = owner.machine.split(" ");
    const machine = `${host} ${namespace}`;
    await write(directory, { ...owner, machine, pid: await findUnusedPid() });
    expect(await createLock(directory).acquire(ignore)).toBeDefined();
  },
);

it.each([
  ["of another machine", OTHER_MACHINE],
  ["that is not readable", "{"],
])("a lock %s is taken over after 15 seconds of silence", async (_title, content) => {
  const directory = await createFolder();
  await write(directory, content);
  let nowMs = 5;
  const lock = createLock(directory, () => nowMs);
  expect(await lock.acquire(ignore)).toBeDefined();
  nowMs += 14_999;
  expect(await lock.acquire(ignore)).toBeDefined();
  nowMs += 1;
  expect(await lock.acquire(ignore)).toBeUndefined();
});

it("the lock of another machine that renews it is not taken over", async () => {
  const directory = await createFolder();
  let nowMs = 0;
  const lock = createLock(directory, () => nowMs);
  for (let sign = 0; sign < 4; sign += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await write(directory, { ...OTHER_MACHINE, token: String(sign) });
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await lock.acquire(ignore)).toBe(`process ${process.pid} on another`);
    nowMs += 10_000;
  }
});

it("a deleted lock is created again by its owner", async () => {
  const directory = await createFolder();
  const onLost = vi.fn();
  expect(await createLock(directory).acquire(onLost)).toBeUndefined();
  const owner = await ownerOf(directory);
  await rm(join(directory, "lock.json"));
  const read = (): Promise<string> =>
    readFile(join(directory, "lock.json"), "utf8").catch(() => "");
  await expect.poll(read, { timeout: 20_000 }).toBe(owner);
  expect(onLost).not.toHaveBeenCalled();
});

it("a lock that another process has taken over is not removed by its previous owner", async () => {
  const directory = await createFolder();
  const lock = createLock(directory);
  await lock.acquire(ignore);
  await write(directory, OTHER_MACHINE);
  await lock.release();
  expect(JSON.parse(await readFile(join(directory, "lock.json"), "utf8"))).toEqual(OTHER_MACHINE);
});

/** Returns what this process writes. */
async function ownerOf(directory: string): Promise<string> {
  const lock = createLock(directory);
  await lock.acquire(ignore);
  const content = await readFile(join(directory, "lock.json"), "utf8");
  await lock.release();
  return content;
}

async function findUnusedPid(): Promise<number> {
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(child, "exit");
  return child.pid ?? 0;
}
