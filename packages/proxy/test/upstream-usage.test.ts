import type { FlagsClientOptions, MetricsBody } from "flags-sdk";
import type { ApplicationUsage } from "../src/upstream/usage/application-usage.ts";
import type { UpstreamSource } from "../src/upstream/upstream-source.ts";
import { describe, expect, it } from "vitest";
import {
  collectMessages,
  createSource,
  nextDrop,
  nextEvent,
  startSource,
  startUpstream,
} from "./_upstream-source.ts";
import {
  documentOf,
  flag,
  hang,
  raw,
  reset,
  serve,
  status,
  truncate,
} from "../../sdk/test/_upstream.ts";
import type { Reply, SeenRequest, Upstream } from "../../sdk/test/_upstream.ts";

const PATH = "/api/client/metrics";

const options: Partial<FlagsClientOptions> = {
  metricsIntervalMs: 20,
  refreshIntervalMs: 10_000,
  disableRegistration: true,
};

const usageOf = (appName: string, yes: number): ApplicationUsage => ({
  appName,
  startMs: Date.now(),
  features: { a: { yes, no: 0 } },
});

const bodyOf = ({ body }: SeenRequest): MetricsBody => JSON.parse(body) as MetricsBody;

/** Accepts reports and collects them. */
function acceptInto(accepted: MetricsBody[]): Reply {
  return (response, request) => {
    accepted.push(bodyOf(request));
    status(202)(response, request);
  };
}

const totalYes = (bodies: readonly MetricsBody[]): number =>
  bodies
    .flatMap(({ bucket }) => Object.values(bucket.toggles))
    .reduce((total, { yes }) => total + yes, 0);

async function startReporting(
  more: Partial<FlagsClientOptions> = {},
): Promise<{ upstream: Upstream; source: UpstreamSource }> {
  const upstream = await startUpstream();
  const variants = [{ name: "red", weight: 1000 }];
  upstream.features(serve(documentOf(flag("a"), flag("v", { variants }))));
  return { upstream, source: await startSource(upstream, { ...options, ...more }) };
}

describe("usage", () => {
  it("nothing is reported if nothing was used", async () => {
    const { upstream } = await startReporting({ refreshIntervalMs: 20 });
    await upstream.nextOf(5);
    expect(upstream.seen(PATH)).toEqual([]);
  });

  it("usage of other applications is reported separately under their names", async () => {
    const { upstream, source } = await startReporting();
    void source.reportUsage(usageOf("web", 1));
    void source.reportUsage(usageOf("phone", 3));
    void source.reportUsage(usageOf("browser", 4));
    void source.reportUsage(usageOf("phone", 5));
    const bodies = (await upstream.nextOf(3, PATH)).map(bodyOf);
    expect(bodies.map(({ appName, bucket }) => [appName, bucket.toggles["a"]?.yes])).toEqual([
      ["web", 1],
      ["phone", 8],
      ["browser", 4],
    ]);
  });

  it("a count of 5e9 is accepted", async () => {
    const { upstream, source } = await startReporting();
    void source.reportUsage(usageOf("phone", 5e9));
    const { bucket } = bodyOf(await upstream.next(PATH));
    expect(bucket.toggles["a"]?.yes).toBe(5e9);
  });

  it("usage of names like __proto__ is reported without side effects", async () => {
    const { upstream, source } = await startReporting();
    const features = JSON.parse(
      '{"__proto__":{"yes":0,"no":1},"constructor":{"yes":0,"no":1,"variants":{"__proto__":1}}}',
    ) as typeof usage.features;
    const usage = usageOf("phone", 1);
    void source.reportUsage({ ...usage, features });
    const { body } = await upstream.next(PATH);
    expect(body).toContain('"__proto__":{"yes":0,"no":1,"variants":{}}');
    expect(body).toContain('"constructor":{"yes":0,"no":1,"variants":{"__proto__":1}}');
    expect("no" in {}).toBe(false);
  });

  it("reportUsage() returns false after close()", async () => {
    const { upstream, source } = await startReporting({ metricsIntervalMs: 60_000 });
    expect(source.reportUsage(usageOf("phone", 1))).toBe(true);
    await source.close();
    expect(source.reportUsage(usageOf("phone", 1))).toBe(false);
    expect(upstream.seen(PATH).map((request) => totalYes([bodyOf(request)]))).toEqual([1]);
  });

  it.each([{ metricsIntervalMs: 0 }, { disableMetrics: true }])(
    "usage is not reported with %j, not even on close",
    async (disabling) => {
      const { upstream, source } = await startReporting(disabling);
      expect(source.reportUsage(usageOf("phone", 1))).toBe(true);
      await source.close();
      expect(upstream.seen(PATH)).toEqual([]);
    },
  );
});

describe("no usage is lost", () => {
  const failures: readonly (readonly [string, Reply])[] = [
    ["401", status(401)],
    ["403", status(403)],
    ["404", status(404)],
    ["429", status(429)],
    ["500", status(500)],
    ["503", status(503)],
    ["400", status(400)],
    ["422", status(422)],
    ["413", status(413)],
    ["a redirect", status(302, { location: "/elsewhere" })],
    ["a hang", hang],
    ["a reset", reset],
    ["a web page", raw("<html>", { "content-type": "text/html" })],
  ];

  it.each(failures)(
    "no usage is lost if the upstream responds with %s for a while",
    async (_name, failure) => {
      // Only if it is needed: a report is counted twice if the upstream accepts it later than that.
      const { upstream, source } = await startReporting(
        failure === hang ? { timeoutMs: 1000 } : {},
      );
      const accepted: MetricsBody[] = [];
      upstream.reply(PATH, acceptInto(accepted));
      upstream.script(PATH, failure, failure, failure);
      void source.reportUsage(usageOf("phone", 1));
      const { body } = await upstream.next(PATH);
      void source.reportUsage(usageOf("phone", 1));
      await expect.poll(() => totalYes(accepted)).toBe(2);
      expect(accepted[0]?.bucket.start).toBe((JSON.parse(body) as MetricsBody).bucket.start);
    },
  );

  it("no usage is lost if the upstream is down while usage is counted", async () => {
    const { upstream, source } = await startReporting();
    const { port } = upstream;
    await upstream.close();
    for (let round = 0; round < 5; round += 1) {
      void source.reportUsage(usageOf("phone", 11));
      await nextEvent(source, "failure");
    }
    const accepted: MetricsBody[] = [];
    upstream.reply(PATH, acceptInto(accepted));
    await upstream.listen(port);
    await expect.poll(() => totalYes(accepted)).toBe(55);
  });

  it("no usage is lost if the response to a received report is cut off; at worst it is counted twice", async () => {
    const { upstream, source } = await startReporting();
    const accepted: MetricsBody[] = [];
    upstream.reply(PATH, acceptInto(accepted));
    upstream.script(PATH, truncate);
    void source.reportUsage(usageOf("phone", 1));
    await expect.poll(() => totalYes(accepted)).toBe(1);
  });

  it("a report that is too large is sent in halves", async () => {
    const { upstream, source } = await startReporting();
    const accepted: MetricsBody[] = [];
    upstream.reply(PATH, (response, request) => {
      const isTooLarge = Object.keys(bodyOf(request).bucket.toggles).length > 2;
      (isTooLarge ? status(413) : acceptInto(accepted))(response, request);
    });
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    const features = Object.fromEntries(names.map((name) => [name, { yes: 1, no: 0 }]));
    void source.reportUsage({ appName: "phone", startMs: Date.now(), features });
    await expect.poll(() => accepted.length).toBe(4);
    const toggles = accepted.flatMap(({ bucket }) => Object.keys(bucket.toggles));
    expect(toggles.toSorted()).toEqual(names);
  });

  it("usage of one application has at most 90 KiB per report, and none is counted twice if the upstream fails in between", async () => {
    const { upstream, source } = await startReporting();
    const accepted: MetricsBody[] = [];
    const sizes: number[] = [];
    const record = acceptInto(accepted);
    upstream.reply(PATH, (response, request) => {
      sizes.push(request.body.length);
      record(response, request);
    });
    upstream.script(PATH, record, status(503));
    const names = Array.from({ length: 2500 }, (_, index) => `flag-${index}`);
    const features = Object.fromEntries(
      names.map((name) => [name, { yes: 1, no: 0, variants: { ["v".repeat(60)]: 1 } }]),
    );
    void source.reportUsage({ appName: "phone", startMs: 0, features });
    await expect.poll(() => totalYes(accepted)).toBe(2500);
    await source.close();
    expect(totalYes(accepted)).toBe(2500);
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThan(100_000);
  });

  it("no usage is lost if the upstream fails between two halves", async () => {
    const { upstream, source } = await startReporting();
    const accepted: MetricsBody[] = [];
    upstream.reply(PATH, acceptInto(accepted));
    upstream.script(PATH, status(413), status(503));
    void source.reportUsage({
      appName: "phone",
      startMs: 0,
      features: { a: { yes: 1, no: 0 }, b: { yes: 2, no: 0 } },
    });
    await expect.poll(() => totalYes(accepted)).toBe(3);
  });

  it("Retry-After is honoured for usage", async () => {
    const { upstream, source } = await startReporting();
    upstream.script(PATH, status(429, { "retry-after": "1" }));
    void source.reportUsage(usageOf("phone", 1));
    await upstream.next(PATH);
    const startMs = performance.now();
    await upstream.next(PATH);
    expect(performance.now() - startMs).toBeGreaterThan(950);
  });
});

it("a report on which the upstream always fails does not block the others", async () => {
  const { upstream, source } = await startReporting();
  const accepted: MetricsBody[] = [];
  upstream.reply(PATH, (response, request) => {
    const isPoison = bodyOf(request).appName === "poison";
    (isPoison ? status(500) : acceptInto(accepted))(response, request);
  });
  void source.reportUsage(usageOf("poison", 1));
  for (let round = 1; round <= 3; round += 1) {
    void source.reportUsage(usageOf("phone", 1));
    await expect.poll(() => totalYes(accepted)).toBe(round);
  }
});

describe("a report that the upstream rejects", () => {
  /** Rejects one application and accepts the others. */
  const reject =
    (appName: string, accepted: MetricsBody[]): Reply =>
    (response, request) => {
      const isRejected = bodyOf(request).appName === appName;
      (isRejected ? status(400) : acceptInto(accepted))(response, request);
    };

  it("a rejected report does not delay the others", async () => {
    const { upstream, source } = await startReporting();
    const accepted: MetricsBody[] = [];
    upstream.reply(PATH, reject("poison", accepted));
    void source.reportUsage(usageOf("poison", 1));
    for (let round = 1; round <= 3; round += 1) {
      void source.reportUsage(usageOf("phone", 1));
      await expect.poll(() => totalYes(accepted)).toBe(round);
    }
  });

  it("a rejected report loses only the flags that cause the rejection, with a warning", async () => {
    const { upstream, source } = await startReporting();
    const messages = collectMessages(source);
    const accepted: MetricsBody[] = [];
    upstream.reply(PATH, (response, request) => {
      const names = Object.keys(bodyOf(request).bucket.toggles);
      const isRejected = names.some((name) => name.startsWith("bad"));
      (isRejected ? status(400) : acceptInto(accepted))(response, request);
    });
    const names = ["bad-1", ...Array.from({ length: 30 }, (_, index) => `good-${index}`), "bad-2"];
    const features = Object.fromEntries(names.map((name) => [name, { yes: 1, no: 0 }]));
    let dropped = 0;
    source.events.on("usageDropped", (_kind, count) => (dropped += count));
    void source.reportUsage({ appName: "phone", startMs: Date.now(), features });
    await expect.poll(() => dropped).toBe(2);
    expect(totalYes(accepted)).toBe(30);
    await expect
      .poll(() => messages[0])
      .toMatch(
        /^warn: Dropped 2 evaluations of flags, .* The first: application "phone", flag "bad-1": .* 400/,
      );
    await source.close();
    expect(totalYes(accepted)).toBe(30);
  });

  it("a rejected report loses only unknown variants, if they cause the rejection", async () => {
    const { upstream, source } = await startReporting();
    const messages = collectMessages(source);
    const accepted: MetricsBody[] = [];
    upstream.reply(PATH, (response, request) => {
      const isRejected = bodyOf(request).bucket.toggles["v"]?.variants?.["bad"] !== undefined;
      (isRejected ? status(400) : acceptInto(accepted))(response, request);
    });
    const v = { yes: 5, no: 2, variants: { red: 3, disabled: 2, bad: 1 } };
    void source.reportUsage({ appName: "phone", startMs: Date.now(), features: { v } });
    await nextDrop(source);
    expect(accepted.map(({ bucket }) => bucket.toggles)).toEqual([
      { v: { yes: 5, no: 2, variants: { red: 3, disabled: 2 } } },
    ]);
    await expect
      .poll(() => messages[0])
      .toMatch(
        /^warn: Dropped 1 evaluations of flags, .* The first: application "phone", flag "v" \(only variants\): .* 400/,
      );
  });

  it("a report is dropped after ten consecutive rejections, with a warning", async () => {
    const { upstream, source } = await startReporting();
    upstream.reply(PATH, reject("poison", []));
    void source.reportUsage(usageOf("poison", 1));
    const messages = collectMessages(source);
    const rejected = await upstream.nextOf(10, PATH);
    expect(new Set(rejected.map((request) => bodyOf(request).appName))).toEqual(
      new Set(["poison"]),
    );
    await expect.poll(() => messages.length).toBeGreaterThan(2);
    expect(messages[0]).toContain("error: Sending usage to the upstream failed: ");
    expect(messages[2]).toMatch(
      /^warn: Dropped 1 .* The first: application "poison", flag "a": .* 400/,
    );
    await source.close();
    expect(upstream.seen(PATH)).toHaveLength(10);
  });
});

describe("close()", () => {
  it("sends pending usage", async () => {
    const { upstream, source } = await startReporting({ metricsIntervalMs: 60_000 });
    void source.reportUsage(usageOf("web", 1));
    void source.reportUsage(usageOf("phone", 7));
    await source.close();
    expect(upstream.seen(PATH).map((request) => totalYes([bodyOf(request)]))).toEqual([1, 7]);
  });

  it("sends usage that was counted during the last report", async () => {
    const { upstream, source } = await startReporting();
    const responses: (() => void)[] = [];
    upstream.script(PATH, (response, request) =>
      responses.push(() => status(202)(response, request)),
    );
    void source.reportUsage(usageOf("phone", 1));
    await upstream.next(PATH);
    void source.reportUsage(usageOf("phone", 1));
    const closed = source.close();
    responses[0]?.();
    await closed;
    expect(totalYes(upstream.seen(PATH).map(bodyOf))).toBe(2);
  });

  it("warns if usage cannot be delivered", async () => {
    const { upstream, source } = await startReporting({ metricsIntervalMs: 60_000 });
    const messages = collectMessages(source);
    void source.reportUsage(usageOf("phone", 1));
    await upstream.close();
    await source.close();
    expect(messages.at(-1)).toBe("warn: Usage of 1 application was not delivered");
  });

  it("sends usage even if the source was never started", async () => {
    const upstream = await startUpstream();
    const source = createSource(upstream, options);
    void source.reportUsage(usageOf("phone", 7));
    await source.close();
    expect(upstream.seen(PATH)).toHaveLength(1);
  });
});
