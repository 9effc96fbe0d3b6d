import { execFileSync } from "node:child_process";
import {
  appendFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { fuzzRuns } from "../../../../../../scripts/test-size.ts";
import type {
  ApplicationRegistration,
  ApplicationUsage,
  ImpactMetric,
} from "../application-usage.ts";
import type { IsKnown } from "../known-names.ts";
import { toSingleSamples } from "../impact-metrics.ts";
import type { ItemBuffer, TakenItem } from "../item-buffer.ts";
import type { RegistrationBuffer } from "../registrations.ts";
import {
  type FlagUsage,
  groupByApplication,
  joinFlags,
  type UsageBuffer,
} from "../usage-buffer.ts";
import { AcceptedUsage } from "../accepted-usage.ts";
import { toLine } from "./spool-record.ts";
import { UsageSpool } from "./usage-spool.ts";

let root = "";
let lastFolder = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "flags-spool-"));
});

afterAll(() => rm(root, { recursive: true }));

function newFolder(): string {
  lastFolder += 1;
  return join(root, String(lastFolder));
}

const usage = (appName: string, yes = 1, quotaId = "key"): ApplicationUsage => ({
  appName,
  quotaId,
  startMs: 1000,
  features: { on: { yes, no: 0 }, [`of-${appName}`]: { yes: 0, no: 1, variants: { red: 1 } } },
});

interface Opened {
  readonly buffer: UsageBuffer;
  readonly impactMetrics: ItemBuffer<ImpactMetric>;
  readonly registrations: RegistrationBuffer;
  readonly accepted: AcceptedUsage;
  readonly spool: UsageSpool;
  readonly directory: string;
  readonly warnings: string[];
}

/** Opens a spool with its buffer. The directory may contain the files of an earlier one. */
async function open(...options: Parameters<typeof beginToOpen>): Promise<Opened> {
  const opened = beginToOpen(...options);
  await expect.poll(() => opened.spool.state.isWritable || opened.warnings.length > 0).toBe(true);
  return opened;
}

function beginToOpen(
  directory: string,
  maxBytes = 8 * 1024 * 1024,
  memoryBytes = 32 * 1024 * 1024,
  isKnown: IsKnown = (_flag, variant) => variant === undefined,
): Opened {
  const warnings: string[] = [];
  const accepted: AcceptedUsage = new AcceptedUsage({
    maxBytes: memoryBytes,
    isKnown,
    onDropped: () => {},
    journal: (kind, content) => spool.record(kind, content),
  });
  const { usage: buffer, impactMetrics, registrations } = accepted;
  const spool = new UsageSpool({
    directory,
    maxBytes,
    accepted,
    warn: (message) => warnings.push(message.replaceAll(directory, "DIR")),
    onRestored: () => {},
    // However slow the disk of a busy machine is.
    maxWaitMs: 60_000,
    maxCloseMs: 60_000,
  });
  spool.start();
  onTestFinished(() => spool.close());
  return { buffer, impactMetrics, registrations, accepted, spool, directory, warnings };
}

/** Opens what a killed process would leave at this moment. */
async function reopenAfterKill(opened: Opened): Promise<Opened> {
  return open(await copyAfterKill(opened));
}

async function copyAfterKill({ directory }: Opened): Promise<string> {
  const copy = newFolder();
  // Files can be deleted while they are copied.
  await expect.poll(() => isCopied(directory, copy)).toBe(true);
  await Promise.all((await locksIn(copy)).map((name) => rm(join(copy, name))));
  return copy;
}

async function isCopied(directory: string, copy: string): Promise<boolean> {
  await rm(copy, { recursive: true, force: true });
  try {
    await cp(directory, copy, { recursive: true });
    return true;
  } catch {
    return false;
  }
}

const usagesIn = (buffer: UsageBuffer): readonly ApplicationUsage[] =>
  groupByApplication(buffer.values()).map(joinFlags);

/** Returns the sum of the `yes` counts of `on`, by application. */
function pendingIn({ buffer }: Opened): Readonly<Record<string, number>> {
  const counts = usagesIn(buffer).map(({ quotaId, appName, features }) => {
    return [`${quotaId}/${appName}`, features["on"]?.yes ?? 0] as const;
  });
  return Object.fromEntries(counts);
}

function totalOf(
  { buffer }: Opened,
  quotaId: string,
  appName: string,
): ApplicationUsage | undefined {
  return usagesIn(buffer).find((one) => one.quotaId === quotaId && one.appName === appName);
}

const impact = (value: number): readonly ImpactMetric[] => impactOf(value).flatMap(toSingleSamples);

const impactOf = (value: number): readonly ImpactMetric[] => [
  { name: "sales", help: "", type: "counter", samples: [{ labels: {}, value }] },
  { name: "load", help: "", type: "gauge", samples: [{ labels: {}, value }] },
  {
    name: "latency",
    help: "",
    type: "histogram",
    samples: [
      { labels: { é: "1" }, count: 1, sum: value, buckets: [{ le: "+Inf", count: 1 }] },
      { labels: { é: "1" }, count: 1, sum: value, buckets: [{ le: "+Inf", count: 1 }] },
    ],
  },
];

const registration = (appName: string): ApplicationRegistration => ({
  appName,
  instanceId: "one",
  sdkType: "backend",
  strategies: [],
  started: "2026-01-01T00:00:00.000Z",
  interval: 1000,
  quotaId: "key",
});

/** Returns everything that is pending or being sent, in any order. */
function contentsOf({ accepted }: Opened): ReadonlySet<unknown> {
  return new Set(accepted.values());
}

const LOCK = /^lock\./;

async function locksIn(directory: string): Promise<readonly string[]> {
  return (await readdir(directory)).filter((name) => LOCK.test(name));
}

async function filesIn({ directory }: Opened): Promise<readonly string[]> {
  return (await readdir(directory)).filter((name) => !LOCK.test(name)).toSorted();
}

describe("UsageSpool restores the data of a killed process", () => {
  it("all written usage is restored, by application and quota", async () => {
    const killed = await open(newFolder());
    killed.buffer.report(usage("a", 3));
    killed.buffer.report(usage("a", 4));
    killed.buffer.report(usage("a", 5, "other"));
    killed.buffer.report(usage("b", 6));
    await killed.spool.flushed();
    const next = await reopenAfterKill(killed);
    expect(pendingIn(next)).toEqual({ "key/a": 7, "other/a": 5, "key/b": 6 });
    expect(totalOf(next, "key", "a")?.features["of-a"]).toEqual({
      yes: 0,
      no: 2,
      variants: { red: 2 },
    });
    expect(next.warnings).toEqual([
      "Restored undelivered usage of an earlier process: 3 applications, 0 impact metrics, 0 registrations",
    ]);
  });

  it("usage that was being sent is restored, but not delivered usage", async () => {
    const killed = await open(newFolder());
    for (const name of ["delivered", "sending", "failed"]) killed.buffer.report(usage(name));
    const [delivered = []] = groupByApplication(killed.buffer.take());
    killed.buffer.release(delivered);
    await killed.spool.flushed();
    const next = await reopenAfterKill(killed);
    expect(pendingIn(next)).toEqual({ "key/sending": 1, "key/failed": 1 });
  });

  it("usage that was added during a delivery is restored, however little of its record reached the disk", async () => {
    const killed = await open(newFolder());
    killed.buffer.report(usage("a", 3));
    const taken = killed.buffer.take();
    killed.buffer.report(usage("a", 4));
    await killed.spool.flushed();
    const [name = ""] = (await filesIn(killed)).slice(-1);
    const path = join(killed.directory, name);
    const { size } = await stat(path);
    killed.buffer.release(taken);
    await killed.spool.flushed();
    const content = await readFile(path);
    const lineEnds = [...content.entries()].flatMap(([index, byte]) =>
      byte === 0x0a && index >= size - 1 ? [index + 1] : [],
    );
    expect(lineEnds.length).toBeGreaterThan(1);
    const restored: unknown[] = [];
    for (const length of lineEnds) {
      const directory = newFolder();
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await mkdir(directory);
      // oxlint-disable-next-line no-await-in-loop -- as above
      await writeFile(join(directory, name), content.subarray(0, length));
      // oxlint-disable-next-line no-await-in-loop -- as above
      restored.push(pendingIn(await open(directory))["key/a"]);
    }
    expect(restored[0]).toBe(7);
    expect(restored.slice(1)).toEqual(restored.slice(1).map(() => 4));
  });

  it("usage is restored once, however often the process is killed", async () => {
    let opened = await open(newFolder());
    opened.buffer.report(usage("a", 2));
    await opened.spool.flushed();
    for (let round = 1; round <= 3; round += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      opened = await reopenAfterKill(opened);
      expect(pendingIn(opened)).toEqual({ "key/a": 2 });
    }
  });

  it("everything but a torn last line is restored, without a warning", async () => {
    const killed = await open(newFolder());
    killed.buffer.report(usage("a"));
    await killed.spool.flushed();
    const [name = ""] = (await filesIn(killed)).slice(-1);
    await appendFile(join(killed.directory, name), "1234abcd {");
    const next = await reopenAfterKill(killed);
    expect(pendingIn(next)).toEqual({ "key/a": 1 });
    expect(next.warnings).toHaveLength(1);
  });

  it("everything but a damaged line is restored, with a warning", async () => {
    const killed = await open(newFolder());
    killed.buffer.report(usage("a"));
    await killed.spool.flushed();
    const [name = ""] = (await filesIn(killed)).slice(-1);
    await appendFile(join(killed.directory, name), "damaged\n");
    const next = await reopenAfterKill(killed);
    expect(pendingIn(next)).toEqual({ "key/a": 1 });
    expect(next.warnings[0]).toBe(`Skipped 1 damaged line of DIR/${name}`);
    expect(next.spool.state.damagedLines).toBe(1);
  });

  it("nothing is restored from a file in another format, which is kept", async () => {
    const directory = newFolder();
    const first = await open(directory);
    await first.spool.close();
    const path = join(directory, "usage-00000042.log");
    await writeFile(path, "flags-usage-spool 4\nsomething\n");
    const next = await open(directory);
    next.buffer.report(usage("a"));
    await next.spool.flushed();
    expect(next.warnings).toEqual([
      "DIR/usage-00000042.log has an unknown format: it stays until the version that wrote it delivers it",
    ]);
    expect(await filesIn(next)).toEqual(["usage-00000042.log", "usage-00000043.log"]);
  });

  it("impact metrics and registrations that were being sent are restored, but not delivered ones", async () => {
    const killed = await open(newFolder());
    const { impactMetrics, registrations } = killed;
    impactMetrics.add("key", impact(1));
    for (const name of ["delivered", "sending", "failed"])
      registrations.add("key", [registration(name)]);
    const delivered = impactMetrics.take();
    impactMetrics.add("key", impact(2).slice(0, 2));
    impactMetrics.release(delivered);
    impactMetrics.add("other", impact(4).slice(0, 2));
    expect(impactMetrics.take()).toHaveLength(4);
    const [first] = registrations.take(3);
    if (first !== undefined) registrations.release([first]);
    await killed.spool.flushed();
    const next = await reopenAfterKill(killed);
    const ofQuota = (quotaId: string, value: number) =>
      impact(value)
        .slice(0, 2)
        .map((metric) => ({ quotaId, impactMetrics: [metric] }));
    expect(contentsOf(next)).toEqual(
      new Set([
        ...ofQuota("key", 2),
        ...ofQuota("other", 4),
        { registration: registration("sending") },
        { registration: registration("failed") },
      ]),
    );
    expect(next.warnings).toEqual([
      "Restored undelivered usage of an earlier process: 0 applications, 4 impact metrics, 2 registrations",
    ]);
  });

  it("exactly the pending data is restored, for any sequence of reports and deliveries", async () => {
    const step = fc.record({
      app: fc.constantFrom("a", "b", "__proto__"),
      value: fc.nat(1000),
      about: fc.constantFrom("usage", "impact", "registration"),
      action: fc.constantFrom("add", "send", "deliver", "fail", "flush", "kill"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        let opened = await open(newFolder());
        let sending = new Sending(opened);
        for (const { app, value, about, action } of steps) {
          if (action === "add") addTo(opened, about, app, value);
          else if (action === "send") sending.take(about);
          else if (action === "deliver" || action === "fail") sending.end(about, action);
          // oxlint-disable-next-line no-await-in-loop -- one after the other
          else if (action === "flush") await opened.spool.flushed();
          else {
            const expected = contentsOf(opened);
            // oxlint-disable-next-line no-await-in-loop -- one after the other
            await opened.spool.flushed();
            // oxlint-disable-next-line no-await-in-loop -- one after the other
            opened = await reopenAfterKill(opened);
            expect(contentsOf(opened)).toEqual(expected);
            sending = new Sending(opened);
          }
        }
      }),
      { numRuns: fuzzRuns(6, 20), endOnFailure: true },
    );
  });
});

type About = "usage" | "impact" | "registration";

function addTo(opened: Opened, about: About, app: string, value: number): void {
  if (about === "usage") opened.buffer.report(usage(app, value));
  else if (about === "impact") opened.impactMetrics.add(app, impact(value));
  else opened.registrations.add("key", [registration(`${app}-${value % 5}`)]);
}

/** What was taken from a client's buffers for sending. */
class Sending {
  readonly #opened: Opened;
  readonly #usage: TakenItem<FlagUsage>[] = [];
  readonly #impact: TakenItem<ImpactMetric>[] = [];
  readonly #registrations: TakenItem<ApplicationRegistration>[] = [];

  constructor(opened: Opened) {
    this.#opened = opened;
  }

  /** Takes everything, but never before what was taken earlier has been delivered, or not. */
  take(about: About): void {
    const { buffer, impactMetrics, registrations } = this.#opened;
    if (about === "usage" && this.#usage.length === 0) this.#usage.push(...buffer.take());
    else if (about === "impact" && this.#impact.length === 0)
      this.#impact.push(...impactMetrics.take());
    else if (about === "registration" && this.#registrations.length === 0)
      this.#registrations.push(...registrations.take(2));
  }

  end(about: About, action: "deliver" | "fail"): void {
    const { buffer, impactMetrics, registrations } = this.#opened;
    const isDelivered = action === "deliver";
    if (about === "usage")
      this.#usage.splice(0, 1).forEach((one) => isDelivered && buffer.release([one]));
    else if (about === "impact")
      this.#impact.splice(0, 1).forEach((one) => isDelivered && impactMetrics.release([one]));
    else if (isDelivered) registrations.release(this.#registrations.splice(0, 1));
    else this.#registrations.splice(0, 1);
  }
}

describe("UsageSpool limits its size", () => {
  it("the files of delivered usage are deleted", async () => {
    const opened = await open(newFolder());
    for (let round = 1; round <= 3; round += 1) {
      opened.buffer.report(usage("a"));
      opened.buffer.release(opened.buffer.take());
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await opened.spool.flushed();
      // Only the first line of a new file.
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await expect.poll(() => opened.spool.state.bytes).toBe(20);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await expect.poll(() => filesIn(opened)).toHaveLength(1);
    }
  });

  it("files are deleted even if their usage arrived and was delivered while the spool was being opened", async () => {
    const opened = beginToOpen(newFolder());
    opened.buffer.report(usage("a"));
    opened.buffer.release(opened.buffer.take());
    await opened.spool.flushed();
    await expect.poll(() => opened.spool.state.bytes).toBe(20);
  });

  it("the spool does not grow with many reports of the same names", async () => {
    const opened = await open(newFolder());
    const features = Object.fromEntries(
      Array.from({ length: 1000 }, (_, flag) => [`flag-${flag}`, { yes: 1, no: 0 }]),
    );
    const reports = 500;
    for (let report = 0; report < reports; report += 1) {
      opened.buffer.report({ ...usage("a"), features });
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      if (report % 10 === 0) await opened.spool.flushed();
    }
    await opened.spool.flushed();
    // All reports together have 15 MB.
    await expect.poll(() => opened.spool.state.bytes).toBeLessThan(2 * 1024 * 1024);
    expect(opened.spool.state).toMatchObject({ written: reports, unwritten: 0 });
    const next = await reopenAfterKill(opened);
    expect(totalOf(next, "key", "a")?.features["flag-0"]?.yes).toBe(reports);
  });

  it.each([
    ["ASCII", "x"],
    ["other", "語"],
    ["control", "\u0001"],
    ["unpaired", "\ud800"],
  ])(
    "all keys together cannot fill the spool, whatever their names (%s characters)",
    async (_title, character) => {
      const maxBytes = 8 * 1024 * 1024;
      const opened = await open(newFolder(), maxBytes, maxBytes / 4, () => false);
      for (let key = 0; key < 6; key += 1) {
        let added = 0;
        // Returns whether this is counted under its own name.
        const invent = (): boolean => {
          added += 1;
          const name = `${added}`.padEnd(255, character);
          const features = { [name]: { yes: 1, no: 0, variants: { [name]: 1 } } };
          const quotaId = `key-${key}`;
          opened.buffer.report({ ...usage(name, 1, quotaId), features });
          return totalOf(opened, quotaId, name) !== undefined;
        };
        while (invent()) {
          // oxlint-disable-next-line no-await-in-loop -- one after the other
          if (added % 100 === 0) await opened.spool.flushed();
          expect(opened.spool.state.bytes).toBeLessThan(maxBytes);
        }
        expect(added).toBeGreaterThan(5);
      }
      await opened.spool.flushed();
      expect(opened.warnings).toEqual([]);
      expect(opened.spool.state).toMatchObject({ isWritable: true, unwritten: 0 });
    },
  );

  it.each([
    ["ASCII", "x"],
    ["other", "語"],
    ["control", "\u0001"],
  ])(
    "impact metrics and registrations cannot fill the spool (%s characters)",
    async (_title, character) => {
      const maxBytes = 8 * 1024 * 1024;
      const opened = await open(newFolder(), maxBytes, maxBytes / 4);
      const { impactMetrics, registrations, spool } = opened;
      for (let added = 1; ; added += 1) {
        const name = `${added}`.padEnd(255, character);
        const quotaId = `key-${added % 7}`;
        const labels = Object.fromEntries([...Array(20).keys()].map((key) => [`${key}`, name]));
        const metric: ImpactMetric = {
          name,
          help: name,
          type: "counter",
          samples: [{ labels, value: 1e15 }],
        };
        const dropped = impactMetrics.add(quotaId, [metric]);
        const isFull = registrations.add(quotaId, [{ ...registration(name), quotaId }]) > 0;
        if (isFull && dropped > 0) break;
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        if (added % 100 === 0) await spool.flushed();
        expect(spool.state.bytes).toBeLessThan(maxBytes);
      }
      await spool.flushed();
      expect(opened.warnings).toEqual([]);
      expect(spool.state).toMatchObject({ isWritable: true, unwritten: 0 });
    },
  );

  it("usage that arrives before that of an earlier process is restored does not add up over restarts", async () => {
    const maxBytes = 1024 * 1024;
    const reportAll = (opened: Opened, round: number): void => {
      for (let i = 0; i < 1000; i += 1) {
        opened.buffer.report(usage(`${round}-${i}-${"x".repeat(200)}`));
      }
    };
    let opened = beginToOpen(newFolder(), maxBytes, maxBytes / 4);
    reportAll(opened, 0);
    for (let round = 1; round <= 20; round += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one process after the other
      await opened.spool.flushed();
      // oxlint-disable-next-line no-await-in-loop -- as above
      const directory = await copyAfterKill(opened);
      opened = beginToOpen(directory, maxBytes, maxBytes / 4);
      reportAll(opened, round);
      const { spool, warnings } = opened;
      // oxlint-disable-next-line no-await-in-loop -- as above
      await expect.poll(() => spool.state.isWritable || warnings.length > 1).toBe(true);
      expect(warnings).toEqual([expect.stringMatching(/^Restored /)]);
    }
  });

  it("usage beyond the limit is kept only in memory until enough has been delivered", async () => {
    const maxBytes = 100_000;
    const opened = await open(newFolder(), maxBytes);
    const names = Array.from({ length: 400 }, (_, index) => `app-${index}-${"x".repeat(200)}`);
    for (const name of names) opened.buffer.report(usage(name));
    await opened.spool.flushed();
    expect(opened.spool.state.isWritable).toBe(false);
    expect(opened.spool.state.unwritten).toBe(400);
    expect(opened.warnings).toEqual([
      `Usage is only in memory, because the spool DIR cannot be used: it would exceed its limit of ${maxBytes} bytes`,
    ]);
    opened.buffer.release(opened.buffer.take());
    opened.buffer.report(usage("later"));
    await expect.poll(() => opened.spool.state.isWritable).toBe(true);
    await expect
      .poll(() => opened.warnings[1])
      .toBe("The spool is working again; 401 reports were kept only in memory");
    opened.buffer.report(usage("last"));
    await opened.spool.flushed();
    expect(pendingIn(await reopenAfterKill(opened))).toEqual({ "key/later": 1, "key/last": 1 });
    const sizes = await Promise.all(
      (await filesIn(opened)).map(async (name) => (await stat(join(opened.directory, name))).size),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(opened.spool.state.bytes);
  });
});

describe("a directory", () => {
  it("a directory is used by one process at a time, then by the next", async () => {
    const first = await open(newFolder());
    first.buffer.report(usage("a"));
    const second = await open(first.directory);
    expect(second.warnings).toEqual([
      expect.stringMatching(
        /^Usage is only in memory, because the spool DIR cannot be used: process \d+ on \S+ is using it\. Each process needs its own directory$/,
      ),
    ]);
    second.buffer.report(usage("b"));
    await second.spool.flushed();
    expect(second.spool.state).toMatchObject({ isWritable: false, unwritten: 1 });
    await first.spool.close();
    await expect.poll(() => second.spool.state.isWritable).toBe(true);
    expect(pendingIn(second)).toEqual({ "key/a": 1, "key/b": 1 });
    await expect.poll(() => second.warnings.at(-1)).toMatch(/^The spool is working again/);
    expect(pendingIn(await reopenAfterKill(second))).toEqual({ "key/a": 1, "key/b": 1 });
  });

  it("the recovery is reported without a count if no report was kept only in memory", async () => {
    const first = await open(newFolder());
    const second = await open(first.directory);
    await first.spool.close();
    await expect.poll(() => second.warnings.at(-1)).toBe("The spool is working again");
  });

  it("a directory that another process takes over during a slow restore is not written until it can be restored", async () => {
    const directory = newFolder();
    await mkdir(directory);
    const [pipe, lock] = [join(directory, "usage-00000001.log"), join(directory, "lock.2")];
    const header = "flags-usage-spool 3\n";
    const restored = (appName: string): string => header + toLine("add", { usage: usage(appName) });
    execFileSync("mkfifo", [pipe]);
    const opened = beginToOpen(directory);
    await expect.poll(() => readdir(directory)).toContain("lock.1");
    const own = await readFile(join(directory, "lock.1"), "utf8");
    await writeFile(lock, JSON.stringify({ ...(JSON.parse(own) as object), token: "another" }));
    await expect.poll(() => opened.warnings.at(-1), { timeout: 10_000 }).toMatch(/taken it over$/);
    await writeFile(pipe, restored("a"));
    await rm(pipe);
    await writeFile(join(directory, "usage-00000002.log"), restored("b"));
    await expect.poll(() => opened.warnings.at(-1), { timeout: 10_000 }).toMatch(/is using it/);
    expect(pendingIn(opened)).toEqual({});
    await Promise.all((await locksIn(directory)).map((name) => rm(join(directory, name))));
    await expect.poll(() => opened.spool.state.isWritable, { timeout: 10_000 }).toBe(true);
    expect(pendingIn(opened)).toEqual({ "key/b": 1 });
  });

  it("a directory is empty after everything was delivered and the spool was closed", async () => {
    const opened = await open(newFolder());
    opened.buffer.report(usage("a"));
    opened.buffer.release(opened.buffer.take());
    await opened.spool.close();
    expect(await filesIn(opened)).toEqual([]);
  });

  it("a directory keeps undelivered usage when the spool is closed", async () => {
    const opened = await open(newFolder());
    opened.buffer.report(usage("a"));
    await opened.spool.close();
    expect(pendingIn(await open(opened.directory))).toEqual({ "key/a": 1 });
  });

  it("reports succeed even if the directory cannot be created", async () => {
    const file = newFolder();
    await writeFile(file, "");
    const opened = await open(join(file, "spool"));
    expect(opened.buffer.report(usage("a"))).toBe(true);
    await opened.spool.flushed();
    expect(opened.warnings).toEqual([
      expect.stringContaining(
        "Usage is only in memory, because the spool DIR cannot be used: a part of the path is a file, not a directory (ENOTDIR)",
      ),
    ]);
  });
});
