import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type FeatureUsage, type MetricsBody, UpstreamError } from "flags-sdk";
import { UsageReporter, type UsageReporterOptions } from "./usage-reporter.ts";
import { UsageSender, type UsageSenderOptions } from "./usage-sender.ts";
import { AcceptedUsage } from "./accepted-usage.ts";
import type { IsKnown } from "./known-names.ts";

const INTERVAL_MS = 60_000;
const once = { yes: 1, no: 0 };

/** Adds usage of one flag. */
function count(buffer: AcceptedUsage, appName: string, flag: string, counts: FeatureUsage): void {
  buffer.add({ appName, startMs: Infinity, features: { [flag]: counts } });
}

let warnings: string[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(0);
  warnings = [];
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const accept = async (): Promise<void> => {};

interface Setup
  extends
    Partial<Pick<UsageReporterOptions, "jitterMs">>,
    Partial<Pick<UsageSenderOptions, "api" | "onSent">> {
  readonly isKnown?: IsKnown;
  readonly onDropped?: (kind: unknown, count: number) => void;
  /** That of the token. @default bulk reports are not possible */
  readonly environment?: string;
}

function createReporter({
  api,
  environment,
  isKnown = () => true,
  onDropped = () => {},
  onSent = () => {},
  jitterMs = 0,
}: Setup = {}) {
  const accepted = new AcceptedUsage({ maxBytes: 32 * 1024 * 1024, isKnown, onDropped });
  const events = {
    error: () => {},
    failure: () => {},
    warn: (message: string) => void warnings.push(message),
  };
  const token = environment === undefined ? undefined : `*:${environment}.secret`;
  const sender = new UsageSender({
    api: { sendMetrics: accept, sendBulk: accept, register: accept, ...api },
    identity: { appName: "app", instanceId: "i", connectionId: "c" },
    credentials: { token, customHeaders: {}, customHeadersFunction: undefined },
    accepted,
    events,
    onSent,
  });
  const schedule = { isDurable: () => false, intervalMs: INTERVAL_MS, jitterMs };
  const reporter = new UsageReporter({ sender, accepted, events, ...schedule });
  return { buffer: accepted, reporter };
}

describe("UsageReporter", () => {
  it("sends after each interval plus a random part of the jitter", async () => {
    vi.mocked(Math.random).mockReturnValue(0.5);
    const sentAtMs: number[] = [];
    const { buffer, reporter } = createReporter({
      jitterMs: 1000,
      onSent: () => sentAtMs.push(performance.now()),
    });
    const startMs = performance.now();
    reporter.start();
    for (let round = 0; round < 2; round += 1) {
      count(buffer, "app", "f", once);
      await vi.advanceTimersByTimeAsync(INTERVAL_MS + 500);
    }
    expect(sentAtMs.map((ms) => ms - startMs)).toEqual([60_500, 121_000]);
    await reporter.close();
  });

  it("delivers known flags although the upstream rejects thousands of invented ones", async () => {
    const accepted: string[] = [];
    let requests = 0;
    let dropped = 0;
    const { buffer, reporter } = createReporter({
      api: {
        sendMetrics: async (body) => {
          const { bucket } = body as MetricsBody;
          requests += 1;
          const names = Object.keys(bucket.toggles);
          if (names.some((name) => name.startsWith("!"))) {
            throw new UpstreamError("rejected", { code: "STATUS", status: 400 });
          }
          accepted.push(...names);
        },
        sendBulk: accept,
        register: accept,
      },
      isKnown: (name) => name === "known",
      onDropped: (_kind, count) => (dropped += count),
    });
    for (let index = 0; index < 4990; index += 1) count(buffer, "app", `!${index}`, once);
    count(buffer, "app", "known", once);
    reporter.start();
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      const requestsBefore = requests;
      // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
      await vi.advanceTimersByTimeAsync(INTERVAL_MS);
      expect(accepted).toEqual(["known"]);
      // All of it in five parts, the known flag, the invented ones of its part, and two for each of a hundred divisions.
      expect(requests - requestsBefore).toBeLessThanOrEqual(207);
    }
    expect(dropped).toBe(4990);
    expect(buffer.isEmpty).toBe(true);
    await reporter.close();
  });

  it("sends at most 500 applications per interval separately, those of each quota in turn, and all at the end", async () => {
    let sent: string[] = [];
    const { buffer, reporter } = createReporter({ onSent: ({ appName }) => sent.push(appName) });
    const add = (quotaId: string, appName: string): boolean =>
      buffer.add({ quotaId, appName, startMs: 0, features: { f: once } });
    for (let index = 0; index < 2000; index += 1) add("public", `invented-${index}`);
    for (const appName of ["a", "b", "c"]) add("other", appName);
    reporter.start();
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    expect(sent).toHaveLength(500);
    expect(sent).toEqual(expect.arrayContaining(["a", "b", "c"]));
    sent = [];
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    expect(sent).toHaveLength(500);
    expect(sent.at(-1)).toBe("invented-996");
    sent = [];
    await reporter.close();
    expect(sent).toHaveLength(1003);
    expect(buffer.isEmpty).toBe(true);
  });

  it("divides rejected bulk reports at most 100 times per interval, and delivers all other applications", async () => {
    let requests = 0;
    let accepted = 0;
    const check = (body: string): void => {
      requests += 1;
      if (body.includes("poison")) {
        throw new UpstreamError("rejected", { code: "STATUS", status: 400 });
      }
    };
    const { buffer, reporter } = createReporter({
      api: {
        sendMetrics: async (body) => check(JSON.stringify(body)),
        sendBulk: async (body) => check(body),
        register: accept,
      },
      environment: "development",
      onSent: () => (accepted += 1),
    });
    for (let index = 0; index < 400; index += 1) {
      for (const name of ["app", "poison"]) count(buffer, `${name}-${index}`, "f", once);
    }
    reporter.start();
    for (let attempt = 1; attempt <= 12; attempt += 1) {
      const requestsBefore = requests;
      // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
      await vi.advanceTimersByTimeAsync(INTERVAL_MS);
      // One report, two for each division, the applications found this way, and those found before.
      expect(requests - requestsBefore).toBeLessThanOrEqual(1 + 2 * 100 + 100 + 400);
    }
    expect(accepted).toBe(400);
    await reporter.close();
  });

  it("sends at most 500 rejected applications per interval separately", async () => {
    let requests = 0;
    const reject = async (): Promise<void> => {
      requests += 1;
      throw new UpstreamError("rejected", { code: "STATUS", status: 400 });
    };
    const { buffer, reporter } = createReporter({
      api: { sendMetrics: reject, sendBulk: reject, register: reject },
      environment: "development",
    });
    for (let index = 0; index < 2000; index += 1) count(buffer, `app-${index}`, "f", once);
    reporter.start();
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      const requestsBefore = requests;
      // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
      await vi.advanceTimersByTimeAsync(INTERVAL_MS);
      // In addition, two reports in bulk, two for each division, and the applications found this way.
      expect(requests - requestsBefore).toBeLessThanOrEqual(500 + 2 + 2 * 100 + 100);
    }
    await reporter.close();
  });

  it("close() gives up after two seconds if the upstream hangs", async () => {
    const { buffer, reporter } = createReporter({
      api: {
        sendMetrics: (_body, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(new Error("aborted")));
          }),
        sendBulk: accept,
        register: accept,
      },
    });
    count(buffer, "app", "f", once);
    let isClosed = false;
    const closed = reporter.close().then(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(1999);
    expect(isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await closed;
    expect(warnings).toContain("Usage of 1 application was not delivered");
  });
});
