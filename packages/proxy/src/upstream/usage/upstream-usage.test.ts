import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type FeatureUsage, type MetricsBody, UpstreamError } from "flags-sdk";
import { resolveOptions } from "flags-sdk/internal";
import { UpstreamUsage } from "./upstream-usage.ts";

type Options = ConstructorParameters<typeof UpstreamUsage>[0];

const INTERVAL_MS = 60_000;
const once = { yes: 1, no: 0 };

/** Adds usage of one flag. */
function count(usage: UpstreamUsage, appName: string, flag: string, counts: FeatureUsage): void {
  void usage.report({ appName, startMs: Infinity, features: { [flag]: counts } });
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

interface Setup extends Partial<Pick<Options, "api" | "isKnown" | "onDropped" | "onSent">> {
  readonly jitterMs?: number;
  /** That of the token. @default bulk reports are not possible */
  readonly environment?: string;
}

function createUsage({ api, environment, jitterMs = 0, ...options }: Setup = {}): UpstreamUsage {
  const token = environment === undefined ? "secret" : `*:${environment}.secret`;
  return new UpstreamUsage({
    api: { sendMetrics: accept, sendBulk: accept, register: accept, ...api },
    identity: { appName: "app", instanceId: "i", connectionId: "c" },
    settings: resolveOptions({
      appName: "app",
      url: "http://127.0.0.1/api",
      token,
      metricsIntervalMs: INTERVAL_MS,
      metricsJitterMs: jitterMs,
    }),
    events: {
      error: () => {},
      failure: () => {},
      warn: (message) => void warnings.push(message),
    },
    isKnown: () => true,
    onDropped: () => {},
    onSent: () => {},
    ...options,
  });
}

describe("UpstreamUsage", () => {
  it("sends after each interval plus a random part of the jitter", async () => {
    vi.mocked(Math.random).mockReturnValue(0.5);
    const sentAtMs: number[] = [];
    const usage = createUsage({
      jitterMs: 1000,
      onSent: () => sentAtMs.push(performance.now()),
    });
    const startMs = performance.now();
    usage.start();
    for (let round = 0; round < 2; round += 1) {
      count(usage, "app", "f", once);
      await vi.advanceTimersByTimeAsync(INTERVAL_MS + 500);
    }
    expect(sentAtMs.map((ms) => ms - startMs)).toEqual([60_500, 121_000]);
    await usage.close();
  });

  it("delivers known flags although the upstream rejects thousands of invented ones", async () => {
    const accepted: string[] = [];
    let requests = 0;
    let dropped = 0;
    const usage = createUsage({
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
    for (let index = 0; index < 4990; index += 1) count(usage, "app", `!${index}`, once);
    count(usage, "app", "known", once);
    usage.start();
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      const requestsBefore = requests;
      // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
      await vi.advanceTimersByTimeAsync(INTERVAL_MS);
      expect(accepted).toEqual(["known"]);
      // All of it in five parts, the known flag, the invented ones of its part, and two for each of a hundred divisions.
      expect(requests - requestsBefore).toBeLessThanOrEqual(207);
    }
    expect(dropped).toBe(4990);
    await usage.close();
    expect(warnings.join()).not.toContain("was not delivered");
  });

  it("sends at most 500 applications per interval separately, those of each quota in turn, and all at the end", async () => {
    let sent: string[] = [];
    const usage = createUsage({ onSent: ({ appName }) => sent.push(appName) });
    const add = (quotaId: string, appName: string): unknown =>
      usage.report({ quotaId, appName, startMs: 0, features: { f: once } });
    for (let index = 0; index < 2000; index += 1) add("public", `invented-${index}`);
    for (const appName of ["a", "b", "c"]) add("other", appName);
    usage.start();
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    expect(sent).toHaveLength(500);
    expect(sent).toEqual(expect.arrayContaining(["a", "b", "c"]));
    sent = [];
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    expect(sent).toHaveLength(500);
    expect(sent.at(-1)).toBe("invented-996");
    sent = [];
    await usage.close();
    expect(sent).toHaveLength(1003);
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
    const usage = createUsage({
      api: {
        sendMetrics: async (body) => check(JSON.stringify(body)),
        sendBulk: async (body) => check(body),
        register: accept,
      },
      environment: "development",
      onSent: () => (accepted += 1),
    });
    for (let index = 0; index < 400; index += 1) {
      for (const name of ["app", "poison"]) count(usage, `${name}-${index}`, "f", once);
    }
    usage.start();
    for (let attempt = 1; attempt <= 12; attempt += 1) {
      const requestsBefore = requests;
      // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
      await vi.advanceTimersByTimeAsync(INTERVAL_MS);
      // One report, two for each division, the applications found this way, and those found before.
      expect(requests - requestsBefore).toBeLessThanOrEqual(1 + 2 * 100 + 100 + 400);
    }
    expect(accepted).toBe(400);
    await usage.close();
  });

  it("sends at most 500 rejected applications per interval separately", async () => {
    let requests = 0;
    const reject = async (): Promise<void> => {
      requests += 1;
      throw new UpstreamError("rejected", { code: "STATUS", status: 400 });
    };
    const usage = createUsage({
      api: { sendMetrics: reject, sendBulk: reject, register: reject },
      environment: "development",
    });
    for (let index = 0; index < 2000; index += 1) count(usage, `app-${index}`, "f", once);
    usage.start();
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      const requestsBefore = requests;
      // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
      await vi.advanceTimersByTimeAsync(INTERVAL_MS);
      // In addition, two reports in bulk, two for each division, and the applications found this way.
      expect(requests - requestsBefore).toBeLessThanOrEqual(500 + 2 + 2 * 100 + 100);
    }
    await usage.close();
  });

  it("drops impact metrics and registrations that the upstream rejects as soon as they are found, and sends nothing more", async () => {
    let requests = 0;
    const reject = async (): Promise<void> => {
      requests += 1;
      throw new UpstreamError("rejected", { code: "STATUS", status: 400 });
    };
    const dropped = { impact_metric: 0, registration: 0 };
    const usage = createUsage({
      api: { sendMetrics: reject, sendBulk: reject, register: reject },
      environment: "development",
      onDropped: (kind, number) => {
        if (kind === "impact_metric" || kind === "registration") dropped[kind] += number;
      },
    });
    const samples = Array.from({ length: 200 }, (_, index) => ({
      labels: { label: String(index) },
      value: 1,
    }));
    const impactMetrics = [{ name: "m", help: "", type: "counter", samples } as const];
    void usage.report({ appName: "app", startMs: 0, features: {}, impactMetrics });
    for (let index = 0; index < 50; index += 1) {
      const started = "2026-01-01T00:00:00Z";
      const identity = { appName: `app-${index}`, instanceId: "i", sdkType: "frontend" } as const;
      void usage.register({ ...identity, strategies: [], started, interval: 1 });
    }
    usage.start();
    // At most a hundred divisions are made in an interval.
    await vi.advanceTimersByTimeAsync(6 * INTERVAL_MS);
    expect(dropped).toEqual({ impact_metric: 200, registration: 50 });
    const requestsBefore = requests;
    await vi.advanceTimersByTimeAsync(3 * INTERVAL_MS);
    expect(requests).toBe(requestsBefore);
    await usage.close();
  });

  it("close() gives up after two seconds if the upstream hangs", async () => {
    const usage = createUsage({
      api: {
        sendMetrics: (_body, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(new Error("aborted")));
          }),
        sendBulk: accept,
        register: accept,
      },
    });
    count(usage, "app", "f", once);
    let isClosed = false;
    const closed = usage.close().then(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(1999);
    expect(isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await closed;
    expect(warnings).toContain("Usage of 1 application was not delivered");
  });
});
