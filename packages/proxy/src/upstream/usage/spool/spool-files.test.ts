import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fuzzRuns } from "../../../../../../scripts/test-size.ts";
import type {
  ApplicationRegistration,
  ApplicationUsage,
  ImpactMetric,
} from "../application-usage.ts";
import { readSpoolFile, SpoolFiles } from "./spool-files.ts";
import type { SpoolFileReport } from "./spool-files.ts";
import { MAX_LINE_BYTES, readLine, toLine } from "./spool-record.ts";
import type { SpoolRecord } from "./spool-record.ts";

let directory = "";
let files: SpoolFiles;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "flags-spool-file-"));
  files = new SpoolFiles(directory);
});

afterAll(() => rm(directory, { recursive: true }));

const usage = (appName: string, yes = 1): ApplicationUsage => ({
  appName,
  quotaId: "key",
  startMs: 7,
  features: { 'flag\n"é\u0001\ud800': { yes, no: 0, variants: { red: 2 } } },
});

const REGISTRATION: ApplicationRegistration = {
  appName: "shop",
  instanceId: "one",
  sdkType: "backend",
  strategies: ["default"],
  started: "2026-01-01T00:00:00.000Z",
  interval: 1000,
  quotaId: "key",
};

/** Writes lines to a new file and returns its path. */
async function write(lines: readonly string[]): Promise<string> {
  await files.begin();
  await files.append(lines.join(""));
  await files.end();
  return join(directory, `usage-${String(files.lastNumber).padStart(8, "0")}.log`);
}

async function read(path: string): Promise<SpoolFileReport & { records: SpoolRecord[] }> {
  const records: SpoolRecord[] = [];
  const report = await readSpoolFile(path, (record) => records.push(record));
  return { ...report, records };
}

const INTACT = { isKnownFormat: true, damagedLines: 0 };

describe("a file of the spool", () => {
  it("a file contains the written records in order, and only its owner can read it", async () => {
    const path = await write([
      toLine("add", { usage: usage("a") }),
      toLine("remove", { usage: usage("b") }),
      toLine("set", { usage: usage("c") }),
    ]);
    expect(await read(path)).toEqual({
      ...INTACT,
      records: [
        { kind: "add", usage: usage("a") },
        { kind: "remove", usage: usage("b") },
        { kind: "set", usage: usage("c") },
      ],
    });
    const { mode, size } = await stat(path);
    expect(mode & 0o777).toBe(0o600);
    const others = new SpoolFiles(directory);
    const found: string[] = [];
    await others.load(async (each) => (found.push(each), each === path));
    expect(found.at(-1)).toBe(path);
    expect([others.lastNumber, others.bytes]).toEqual([files.lastNumber, size]);
  });

  it("a file contains a report of the maximum size", async () => {
    const features = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, flag) => [`${"é".repeat(250)}${flag}`, { yes: 1, no: 0 }]),
    );
    const { records } = await read(
      await write([toLine("set", { usage: { ...usage("a"), features } })]),
    );
    const restored = records.map((record) => "usage" in record && record.usage.features);
    expect(restored).toEqual([features]);
  });

  it("a file contains impact metrics and registrations", async () => {
    const samples = Array.from({ length: 500 }, (_, index) => ({
      labels: { path: `/${index}\n${"é".repeat(200)}` },
      value: index,
    }));
    const impactMetrics = ["a", "b", "c", "d"].map((name): ImpactMetric => ({
      name,
      help: "",
      type: "counter",
      samples,
    }));
    const lines = [
      toLine("add", { quotaId: "key", impactMetrics }),
      toLine("remove", { registration: REGISTRATION }),
    ];
    const { records, ...report } = await read(await write(lines));
    expect(report).toEqual(INTACT);
    expect(records.pop()).toEqual({ kind: "remove", registration: REGISTRATION });
    expect(records.flatMap((one) => ("impactMetrics" in one ? one.impactMetrics : []))).toEqual(
      impactMetrics,
    );
  });

  it("a file loses only the damaged line if a part in the middle is overwritten", async () => {
    const lines = ["a", "b", "c"].map((name) => toLine("add", { usage: usage(name) }));
    const path = await write(lines);
    const text = await readFile(path, "latin1");
    await writeFile(path, text.replace('"appName":"b"', '"appName":"x"'), "latin1");
    const { damagedLines, records } = await read(path);
    expect(damagedLines).toBe(1);
    expect(records).toEqual(["a", "c"].map((name) => ({ kind: "add", usage: usage(name) })));
  });

  it("a file loses no complete line if its last line is torn or filled with zeros", async () => {
    for (const end of ["1234abcd {", "\0".repeat(5000)]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const path = await write([toLine("add", { usage: usage("a") })]);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await appendFile(path, end);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await read(path)).toEqual({
        ...INTACT,
        records: [{ kind: "add", usage: usage("a") }],
      });
    }
  });

  it("a line that is too long is skipped without storing it", async () => {
    const path = await write([
      `${"x".repeat(MAX_LINE_BYTES + 1)}\n`,
      toLine("add", { usage: usage("a") }),
    ]);
    const { damagedLines, records } = await read(path);
    expect([damagedLines, records.length]).toEqual([1, 1]);
  });

  it("a file of another format is not read", async () => {
    const path = join(directory, "usage-90000000.log");
    await writeFile(path, `flags-usage-spool 4\n${toLine("add", { usage: usage("a") })}`);
    expect(await read(path)).toEqual({ isKnownFormat: false, damagedLines: 0, records: [] });
  });

  it("a file that is cut anywhere contains exactly the records before the cut", async () => {
    const written = Array.from({ length: 5 }, (_, index) => usage(`app-${index}`, index + 1));
    const lines = written.map((one) => toLine("add", { usage: one }));
    const complete = await readFile(await write(lines));
    const ends: number[] = [];
    let end = complete.length - Buffer.byteLength(lines.join(""));
    for (const line of lines) ends.push((end += Buffer.byteLength(line)));
    const path = join(directory, "usage-80000000.log");
    await fc.assert(
      fc.asyncProperty(fc.nat(complete.length), async (cut) => {
        await writeFile(path, complete.subarray(0, cut));
        const { records, ...report } = await read(path);
        expect(report).toEqual(INTACT);
        expect(records).toEqual(
          written
            .filter((_, index) => (ends[index] ?? 0) <= cut)
            .map((one) => ({ kind: "add", usage: one })),
        );
      }),
      { numRuns: fuzzRuns(20, 50) },
    );
  });
});

describe("a line", () => {
  const line = toLine("add", { usage: usage("a") });
  const intact = Buffer.from(line.slice(0, -1));

  it("a line is not read if any of its bits is flipped", () => {
    fc.assert(
      fc.property(fc.nat(intact.length - 1), fc.nat(7), (position, bit) => {
        const damaged = Buffer.from(intact);
        damaged[position] = (damaged[position] ?? 0) ^ (1 << bit);
        expect(readLine(damaged)).toBeUndefined();
      }),
    );
  });

  it("a line of arbitrary bytes is not read, and does not throw", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(readLine(Buffer.from(bytes))).toBeUndefined();
      }),
    );
  });
});
