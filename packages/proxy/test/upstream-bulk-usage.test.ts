import type { FlagsClientOptions, MetricsBody } from "flags-sdk";
import type { UpstreamSource } from "../src/upstream/upstream-source.ts";
import type { ApplicationUsage } from "../src/upstream/usage/application-usage.ts";
import { describe, expect, it } from "vitest";
import { collectMessages, nextDrop, startSource, startUpstream } from "./_upstream-source.ts";
import { documentOf, flag, serve, status } from "../../sdk/test/_upstream.ts";
import type { Reply, SeenRequest, Upstream } from "../../sdk/test/_upstream.ts";

const BULK = "/api/client/metrics/bulk";
const SINGLE = "/api/client/metrics";
const TOKEN = "*:development.secret";

interface BulkBody {
  readonly applications: readonly unknown[];
  readonly metrics: readonly {
    readonly featureName: string;
    readonly appName: string;
    readonly environment: string;
    readonly timestamp: string;
    readonly yes: number;
    readonly no: number;
    readonly variants?: Readonly<Record<string, number>>;
  }[];
}

const usageOf = (appName: string, more: Partial<ApplicationUsage> = {}): ApplicationUsage => ({
  appName,
  startMs: Date.now(),
  features: { a: { yes: 1, no: 0 } },
  ...more,
});

const bulkOf = ({ body }: SeenRequest): BulkBody => JSON.parse(body) as BulkBody;
const singleOf = ({ body }: SeenRequest): MetricsBody => JSON.parse(body) as MetricsBody;

/** Counts the received `yes` of each application, in single and bulk reports. */
class Totals {
  readonly yes = new Map<string, number>();

  readonly bulk: Reply = (response, request) => {
    for (const { appName, yes } of bulkOf(request).metrics) this.#count(appName, yes);
    status(202)(response, request);
  };

  readonly single: Reply = (response, request) => {
    const { appName, bucket } = singleOf(request);
    for (const { yes } of Object.values(bucket.toggles)) this.#count(appName, yes);
    status(202)(response, request);
  };

  get sum(): number {
    return [...this.yes.values()].reduce((sum, yes) => sum + yes, 0);
  }

  #count(appName: string, yes: number): void {
    this.yes.set(appName, (this.yes.get(appName) ?? 0) + yes);
  }
}

interface Setup {
  readonly upstream: Upstream;
  readonly source: UpstreamSource;
  readonly totals: Totals;
}

async function startReporting(
  more: Partial<FlagsClientOptions> = {},
  { bulk }: { readonly bulk?: Reply } = {},
): Promise<Setup> {
  const upstream = await startUpstream();
  const totals = new Totals();
  upstream.features(serve(documentOf(flag("a"))));
  upstream.reply(BULK, bulk ?? totals.bulk);
  upstream.reply(SINGLE, totals.single);
  const source = await startSource(upstream, {
    metricsIntervalMs: 20,
    refreshIntervalMs: 10_000,
    disableRegistration: true,
    token: TOKEN,
    ...more,
  });
  return { upstream, source, totals };
}

const names = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `app-${index}`);

describe("usage of several applications", () => {
  it("usage of several applications is reported in one request, under the environment of the token", async () => {
    const { upstream, source } = await startReporting();
    const sent: string[] = [];
    source.on("sent", ({ appName }) => sent.push(appName));
    void source.reportUsage(
      usageOf("phone", { features: { a: { yes: 1, no: 2, variants: { x: 1 } } } }),
    );
    void source.reportUsage(usageOf("web", { quotaId: "another" }));
    const { metrics, applications } = bulkOf(await upstream.next(BULK));
    const hour = metrics[0]?.timestamp ?? "";
    expect(hour).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/);
    expect(Math.abs(Date.now() - Date.parse(hour))).toBeLessThanOrEqual(2 * 3_600_000);
    const shared = { featureName: "a", environment: "development", timestamp: hour };
    expect(metrics).toEqual([
      { ...shared, appName: "phone", yes: 1, no: 2, variants: { x: 1 } },
      { ...shared, appName: "web", yes: 1, no: 0 },
    ]);
    expect(applications).toEqual([]);
    await expect.poll(() => sent).toEqual(["phone", "web"]);
    expect(upstream.seen(SINGLE)).toEqual([]);
  });

  it("bulk reports have at most 90 KiB, and an application may be split over several", async () => {
    const { upstream, source, totals } = await startReporting({ metricsIntervalMs: 60_000 });
    const features = Object.fromEntries(
      Array.from({ length: 3000 }, (_, index) => [`${"é".repeat(200)}${index}`, { yes: 1, no: 0 }]),
    );
    void source.reportUsage(usageOf("large", { features }));
    void source.reportUsage(usageOf("small"));
    await source.close();
    expect(totals.yes).toEqual(
      new Map([
        ["large", 3000],
        ["small", 1],
      ]),
    );
    const sizes = upstream.seen(BULK).map(({ body }) => Buffer.byteLength(body));
    expect(Math.max(...sizes)).toBeLessThan(91 * 1024);
    expect(sizes.length).toBeGreaterThan(10);
  });

  it.each<readonly [string, Partial<FlagsClientOptions>]>([
    ["a token that does not name an environment", { token: "secret" }],
    ["a token whose environment is ambiguous", { token: "*:a.b.c" }],
    ["a header that replaces the token", { customHeaders: { Authorization: "secret" } }],
    ["a function that may replace the token", { customHeadersFunction: async () => ({}) }],
  ])("usage of several applications is reported separately with %s", async (_title, options) => {
    const more = { metricsIntervalMs: 60_000, ...options };
    const { upstream, source, totals } = await startReporting(more);
    for (const name of names(3)) void source.reportUsage(usageOf(name));
    await source.close();
    expect(totals.sum).toBe(3);
    expect(upstream.seen(BULK)).toEqual([]);
  });
});

describe("an upstream without bulk reports", () => {
  it.each([404, 405, 501, 403, 400, 422])(
    "an upstream without bulk reports receives one report for each application immediately after a %i, and no bulk report soon after",
    async (code) => {
      const { upstream, source, totals } = await startReporting({}, { bulk: status(code) });
      for (let round = 1; round <= 3; round += 1) {
        for (const name of names(3)) void source.reportUsage(usageOf(name));
        await expect.poll(() => totals.sum).toBe(3 * round);
      }
      await source.close();
      // After a rejection, the reports of fewer applications are tried.
      expect(upstream.seen(BULK)).toHaveLength(code === 400 || code === 422 ? 3 : 1);
    },
  );

  it("an upstream without bulk reports receives up to 20 reports at the same time", async () => {
    const { upstream, source, totals } = await startReporting({}, { bulk: status(404) });
    const pending: (() => void)[] = [];
    let highest = 0;
    upstream.reply(SINGLE, (response, request) => {
      pending.push(() => totals.single(response, request));
      highest = Math.max(highest, pending.length);
      // Respond only when no further request can arrive.
      if (pending.length === 20) for (const respond of pending.splice(0)) respond();
    });
    for (const name of names(100)) void source.reportUsage(usageOf(name));
    await expect.poll(() => totals.sum).toBe(100);
    expect(highest).toBe(20);
  });

  it("no usage is lost if the report of one application also fails", async () => {
    const { upstream, source, totals } = await startReporting({}, { bulk: status(403) });
    upstream.script(SINGLE, status(403), status(403), status(403), status(503));
    for (const name of names(3)) void source.reportUsage(usageOf(name));
    await expect.poll(() => totals.sum).toBe(3);
  });
});

describe("no usage of a bulk report is lost", () => {
  it.each([401, 429, 500, 502, 503])(
    "no usage of a bulk report is lost if the upstream responds with %i for a while",
    async (code) => {
      const { upstream, source, totals } = await startReporting();
      upstream.script(BULK, status(code), status(code));
      if (code === 500) upstream.script(SINGLE, status(500));
      for (const name of names(3)) void source.reportUsage(usageOf(name));
      await upstream.next(BULK);
      for (const name of names(3)) void source.reportUsage(usageOf(name));
      await expect.poll(() => totals.sum).toBe(6);
    },
  );

  it("a bulk report that is too large for the upstream is sent in halves", async () => {
    const { upstream, source, totals } = await startReporting({ metricsIntervalMs: 60_000 });
    upstream.reply(BULK, (response, request) => {
      const isTooLarge = bulkOf(request).metrics.length > 2;
      (isTooLarge ? status(413) : totals.bulk)(response, request);
    });
    const features = { a: { yes: 1, no: 0 }, b: { yes: 1, no: 0 }, c: { yes: 1, no: 0 } };
    for (const name of names(5)) void source.reportUsage(usageOf(name, { features }));
    await source.close();
    expect(totals.sum).toBe(15);
  });

  it("no usage of a bulk report is lost if the upstream fails between two halves", async () => {
    const { upstream, source, totals } = await startReporting();
    upstream.script(BULK, status(413), status(503));
    for (const name of names(4)) void source.reportUsage(usageOf(name));
    await expect.poll(() => totals.sum).toBe(4);
    await source.close();
    expect(totals.sum).toBe(4);
  });

  it("Retry-After is honoured for bulk reports", async () => {
    const { upstream, source } = await startReporting();
    upstream.script(BULK, status(429, { "retry-after": "1" }));
    for (const name of names(2)) void source.reportUsage(usageOf(name));
    await upstream.next(BULK);
    const startMs = performance.now();
    await upstream.next(BULK);
    expect(performance.now() - startMs).toBeGreaterThan(950);
  });
});

describe("an application whose usage the upstream does not accept", () => {
  it.each([400, 500])(
    "an application whose usage causes a %i does not delay others",
    async (code) => {
      const { upstream, source, totals } = await startReporting();
      const isPoisoned = (appNames: readonly string[]): boolean => appNames.includes("poison");
      upstream.reply(BULK, (response, request) => {
        const isBad = isPoisoned(bulkOf(request).metrics.map(({ appName }) => appName));
        (isBad ? status(code) : totals.bulk)(response, request);
      });
      upstream.reply(SINGLE, (response, request) => {
        const isBad = isPoisoned([singleOf(request).appName]);
        (isBad ? status(code) : totals.single)(response, request);
      });
      void source.reportUsage(usageOf("poison"));
      for (let round = 1; round <= 3; round += 1) {
        for (const name of names(3)) void source.reportUsage(usageOf(name));
        await expect.poll(() => totals.sum).toBe(3 * round);
      }
      upstream.reply(BULK, totals.bulk);
      upstream.reply(SINGLE, totals.single);
      await source.close();
      // What is rejected while other usage is accepted is dropped; what causes an internal error is not.
      expect(totals.sum).toBe(code === 400 ? 9 : 10);
    },
  );

  it("an application among 300 causes few requests, and one warning", async () => {
    const { upstream, source, totals } = await startReporting({ metricsIntervalMs: 60_000 });
    const messages = collectMessages(source);
    const isBad = (appName: string): boolean => appName.startsWith("poison");
    upstream.reply(BULK, (response, request) => {
      const isRejected = bulkOf(request).metrics.some(({ appName }) => isBad(appName));
      (isRejected ? status(400) : totals.bulk)(response, request);
    });
    upstream.reply(SINGLE, (response, request) => {
      (isBad(singleOf(request).appName) ? status(400) : totals.single)(response, request);
    });
    const [first = "", ...rest] = names(300);
    for (const name of [first, "poison", ...rest]) void source.reportUsage(usageOf(name));
    await source.close();
    expect(totals.sum).toBe(300);
    expect(upstream.seen(BULK).length).toBeLessThan(25);
    expect(upstream.seen(SINGLE).map((request) => singleOf(request).appName)).toEqual(["poison"]);
    expect(messages).toEqual([
      expect.stringMatching(
        /^warn: Dropped 1 .* The first: application "poison", flag "a": .* 400/,
      ),
    ]);
  });

  it("flags that clients have invented are dropped after ten attempts, also if they are too many to be found one by one", async () => {
    const { upstream, source, totals } = await startReporting();
    let dropped = 0;
    source.events.on("usageDropped", (_kind, count) => (dropped += count));
    const isBad = (name: string): boolean => name.startsWith("bad");
    upstream.reply(BULK, (response, request) => {
      const isRejected = bulkOf(request).metrics.some(({ featureName }) => isBad(featureName));
      (isRejected ? status(400) : totals.bulk)(response, request);
    });
    upstream.reply(SINGLE, (response, request) => {
      const isRejected = Object.keys(singleOf(request).bucket.toggles).some(isBad);
      (isRejected ? status(400) : totals.single)(response, request);
    });
    const invented = Array.from({ length: 3000 }, (_, index) => [
      `bad-${index}`,
      { yes: 1, no: 0 },
    ]);
    const features = { ...usageOf("").features, ...Object.fromEntries(invented) };
    for (const name of names(2)) void source.reportUsage(usageOf(name, { features }));
    await expect.poll(() => dropped).toBe(6000);
    expect(totals.sum).toBe(2);
    // About half of the divisions of an attempt end at a single flag.
    expect(upstream.seen(BULK).length + upstream.seen(SINGLE).length).toBeLessThan(10 * 600);
  });

  it("usage of an application is dropped if that of others is accepted, with a warning, and the others are still sent in bulk", async () => {
    const { upstream, source, totals } = await startReporting();
    const messages = collectMessages(source);
    const dropped = nextDrop(source);
    upstream.reply(BULK, (response, request) => {
      const isBad = bulkOf(request).metrics.some(({ appName }) => appName === "poison");
      (isBad ? status(400) : totals.bulk)(response, request);
    });
    upstream.reply(SINGLE, (response, request) => {
      const isBad = singleOf(request).appName === "poison";
      (isBad ? status(400) : totals.single)(response, request);
    });
    let reported = 0;
    const report = (): void => {
      for (const name of names(2)) void source.reportUsage(usageOf(name));
      reported += 2;
    };
    // Together with others, since a single application is not reported in bulk.
    void source.reportUsage(usageOf("poison"));
    report();
    const reporting = setInterval(report, 10);
    expect(await dropped).toEqual(["rejected", 1]);
    clearInterval(reporting);
    await source.close();
    expect(totals.sum).toBe(reported);
    expect(messages).toContainEqual(
      expect.stringMatching(
        /^warn: Dropped 1 .* The first: application "poison", flag "a": .* 400/,
      ),
    );
    const poisoned = upstream
      .seen(BULK)
      .filter((request) => bulkOf(request).metrics.some(({ appName }) => appName === "poison"));
    // Once with each of the others that it was divided from, then alone.
    expect(poisoned.length).toBeLessThanOrEqual(3);
  });
});

describe("close()", () => {
  it("retries transient failures within four seconds", async () => {
    const { upstream, source, totals } = await startReporting({ metricsIntervalMs: 60_000 });
    upstream.script(BULK, status(503), status(503, { "retry-after": "1" }));
    for (const name of names(3)) void source.reportUsage(usageOf(name));
    await source.close();
    expect(totals.sum).toBe(3);
  });

  it("close() logs how much was not delivered if Retry-After is too long", async () => {
    const { upstream, source } = await startReporting({ metricsIntervalMs: 60_000 });
    const messages = collectMessages(source);
    upstream.reply(BULK, status(503, { "retry-after": "60" }));
    for (const name of names(3)) void source.reportUsage(usageOf(name));
    await source.close();
    expect(messages.at(-1)).toBe("warn: Usage of 3 applications was not delivered");
    expect(upstream.seen(BULK)).toHaveLength(1);
  });
});
