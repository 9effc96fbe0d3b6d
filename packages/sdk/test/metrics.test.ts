import type { FlagsClient, FlagsClientOptions, MetricsBody } from "flags-sdk";
import { describe, expect, it } from "vitest";
import { collectFaults, createClient, nextEvent, startClient, startUpstream } from "./_client.ts";
import { documentOf, flag, hang, reset, serve, status, truncate } from "./_upstream.ts";
import type { Reply, SeenRequest, Upstream } from "./_upstream.ts";

const PATH = "/api/client/metrics";

const options: Partial<FlagsClientOptions> = {
  metricsIntervalMs: 20,
  refreshIntervalMs: 10_000,
  disableRegistration: true,
};

const usageOf = (appName: string, yes: number): Parameters<FlagsClient["reportUsage"]>[0] => ({
  appName,
  startMs: Date.now(),
  features: { a: { yes, no: 0 } },
});

const bodyOf = ({ body }: SeenRequest): MetricsBody => JSON.parse(body) as MetricsBody;

/** Accepts reports, and remembers what was accepted. */
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
): Promise<{ upstream: Upstream; client: FlagsClient }> {
  const upstream = await startUpstream();
  const variants = [{ name: "red", weight: 1000 }];
  upstream.features(serve(documentOf(flag("a"), flag("v", { variants }))));
  return { upstream, client: await startClient(upstream, { ...options, ...more }) };
}

describe("usage", () => {
  it("is reported in the form of the protocol", async () => {
    const { upstream, client } = await startReporting({ appName: "shop", instanceId: "one" });
    client.isEnabled("a");
    client.isEnabled("none");
    client.getVariant("v", { userId: "7" });
    client.getVariant("a");
    const sent = nextEvent(client, "sent");
    const request = await upstream.next(PATH);
    expect(request.headers).toMatchObject({
      "content-type": "application/json",
      "unleash-interval": "20",
      "unleash-appname": "shop",
    });
    const body = bodyOf(request);
    expect(body).toEqual({
      appName: "shop",
      instanceId: "one",
      connectionId: request.headers["unleash-connection-id"],
      sdkVersion: request.headers["unleash-sdk"],
      bucket: {
        start: expect.any(String) as string,
        stop: expect.any(String) as string,
        toggles: {
          a: { yes: 2, no: 0, variants: { disabled: 1 } },
          none: { yes: 0, no: 1, variants: {} },
          v: { yes: 1, no: 0, variants: { red: 1 } },
        },
      },
      platformName: "node",
      platformVersion: process.version,
      yggdrasilVersion: null,
      specVersion: "5.2.0",
    });
    expect(Date.parse(body.bucket.start)).toBeLessThanOrEqual(Date.parse(body.bucket.stop));
    expect((await sent)[0]).toEqual(body);
  });

  it("of nobody is not reported", async () => {
    const { upstream } = await startReporting({ refreshIntervalMs: 20 });
    await upstream.nextOf(5);
    expect(upstream.seen(PATH)).toEqual([]);
  });

  it("of other applications is reported under their names, one report each", async () => {
    const { upstream, client } = await startReporting();
    client.isEnabled("a");
    client.reportUsage(usageOf("phone", 3));
    client.reportUsage(usageOf("browser", 4));
    client.reportUsage(usageOf("phone", 5));
    const bodies = (await upstream.nextOf(3, PATH)).map(bodyOf);
    expect(bodies.map(({ appName, bucket }) => [appName, bucket.toggles["a"]?.yes])).toEqual([
      ["app", 1],
      ["phone", 8],
      ["browser", 4],
    ]);
  });

  it("of 5e9 in one entry costs nothing", async () => {
    const { upstream, client } = await startReporting();
    client.reportUsage(usageOf("phone", 5e9));
    const { bucket } = bodyOf(await upstream.next(PATH));
    expect(bucket.toggles["a"]?.yes).toBe(5e9);
  });

  it("of names like __proto__ is reported and harms nobody", async () => {
    const { upstream, client } = await startReporting();
    client.isEnabled("__proto__");
    client.getVariant("constructor", {}, { name: "__proto__", enabled: true });
    const { body } = await upstream.next(PATH);
    expect(body).toContain('"__proto__":{"yes":0,"no":1,"variants":{}}');
    expect(body).toContain('"constructor":{"yes":0,"no":1,"variants":{"__proto__":1}}');
    expect("no" in {}).toBe(false);
  });

  it("beyond a limit is refused with a warning", async () => {
    const { client } = await startReporting();
    const warned = nextEvent(client, "warn");
    client.isEnabled("x".repeat(256));
    expect((await warned)[0]).toBe("Too much usage is waiting, evaluations not counted: 1");
  });

  it("beyond a limit is reported at the end", async () => {
    const { upstream, client } = await startReporting({ metricsIntervalMs: 60_000 });
    const told = collectFaults(client);
    client.isEnabled("x".repeat(256));
    await client.close();
    expect(upstream.seen(PATH)).toEqual([]);
    expect(told).toEqual(["warn: Too much usage is waiting, evaluations not counted: 1"]);
  });

  it("reportUsage() is false for what is not going to be sent", async () => {
    const { upstream, client } = await startReporting({ metricsIntervalMs: 60_000 });
    expect(client.reportUsage(usageOf("phone", 1))).toBe(true);
    expect(client.reportUsage(usageOf("x".repeat(256), 1))).toBe(false);
    await client.close();
    expect(client.reportUsage(usageOf("phone", 1))).toBe(false);
    expect(upstream.seen(PATH).map((request) => totalYes([bodyOf(request)]))).toEqual([1]);
  });

  it.each([{ metricsIntervalMs: 0 }, { disableMetrics: true }])(
    "is not reported with %j, not even on close",
    async (disabling) => {
      const { upstream, client } = await startReporting(disabling);
      client.isEnabled("a");
      expect(client.reportUsage(usageOf("phone", 1))).toBe(true);
      await client.close();
      expect(upstream.seen(PATH)).toEqual([]);
    },
  );

  it("waits for the interval and up to the jitter on top of it", async () => {
    const startMs = performance.now();
    const { upstream, client } = await startReporting({
      metricsIntervalMs: 100,
      metricsJitterMs: 50,
    });
    client.isEnabled("a");
    await upstream.next(PATH);
    expect(performance.now() - startMs).toBeGreaterThan(99);
  });
});

describe("no usage is lost", () => {
  const faults: readonly (readonly [string, Reply])[] = [
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
  ];

  it.each(faults)("when the upstream answers with %s for a while", async (_name, fault) => {
    const { upstream, client } = await startReporting({ timeoutMs: 50 });
    const accepted: MetricsBody[] = [];
    upstream.reply(PATH, acceptInto(accepted));
    upstream.script(PATH, fault, fault, fault);
    client.isEnabled("a");
    const { body } = await upstream.next(PATH);
    client.isEnabled("a");
    await expect.poll(() => totalYes(accepted)).toBe(2);
    expect(accepted[0]?.bucket.start).toBe((JSON.parse(body) as MetricsBody).bucket.start);
  });

  it("when the upstream is away, while usage goes on", async () => {
    const { upstream, client } = await startReporting();
    const { port } = upstream;
    await upstream.close();
    for (let round = 0; round < 5; round += 1) {
      client.isEnabled("a");
      client.reportUsage(usageOf("phone", 10));
      await nextEvent(client, "failure");
    }
    const accepted: MetricsBody[] = [];
    upstream.reply(PATH, acceptInto(accepted));
    await upstream.listen(port);
    await expect.poll(() => totalYes(accepted), { timeout: 5000 }).toBe(55);
  });

  it("when the answer to a report that arrived is cut off, at worst it is counted twice", async () => {
    const { upstream, client } = await startReporting();
    const accepted: MetricsBody[] = [];
    upstream.reply(PATH, acceptInto(accepted));
    upstream.script(PATH, truncate);
    client.isEnabled("a");
    await expect.poll(() => totalYes(accepted)).toBe(1);
  });

  it("when a report is too large, which is then sent in halves", async () => {
    const { upstream, client } = await startReporting();
    const accepted: MetricsBody[] = [];
    upstream.reply(PATH, (response, request) => {
      const isTooLarge = Object.keys(bodyOf(request).bucket.toggles).length > 2;
      (isTooLarge ? status(413) : acceptInto(accepted))(response, request);
    });
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    for (const name of names) client.isEnabled(name);
    await expect.poll(() => accepted.length).toBe(4);
    const toggles = accepted.flatMap(({ bucket }) => Object.keys(bucket.toggles));
    expect(toggles.toSorted()).toEqual(names);
  });

  it("when the upstream fails between two halves", async () => {
    const { upstream, client } = await startReporting();
    const accepted: MetricsBody[] = [];
    upstream.reply(PATH, acceptInto(accepted));
    upstream.script(PATH, status(413), status(503));
    client.reportUsage({
      appName: "phone",
      startMs: 0,
      features: { a: { yes: 1, no: 0 }, b: { yes: 2, no: 0 } },
    });
    await expect.poll(() => totalYes(accepted)).toBe(3);
  });

  it("waiting as long as Retry-After asks", async () => {
    const { upstream, client } = await startReporting();
    upstream.script(PATH, status(429, { "retry-after": "1" }));
    client.isEnabled("a");
    await upstream.next(PATH);
    const startMs = performance.now();
    await upstream.next(PATH);
    expect(performance.now() - startMs).toBeGreaterThan(950);
  });
});

it("a report on which the upstream always fails does not hold up the others for good", async () => {
  const { upstream, client } = await startReporting();
  const accepted: MetricsBody[] = [];
  upstream.reply(PATH, (response, request) => {
    const isPoison = bodyOf(request).appName === "poison";
    (isPoison ? status(500) : acceptInto(accepted))(response, request);
  });
  client.reportUsage(usageOf("poison", 1));
  for (let round = 1; round <= 3; round += 1) {
    client.reportUsage(usageOf("phone", 1));
    await expect.poll(() => totalYes(accepted), { timeout: 5000 }).toBe(round);
  }
});

describe("a report that is refused for its content", () => {
  /** Refuses one application and accepts the others. */
  const refuse =
    (appName: string, accepted: MetricsBody[]): Reply =>
    (response, request) => {
      const isRefused = bodyOf(request).appName === appName;
      (isRefused ? status(400) : acceptInto(accepted))(response, request);
    };

  it("does not hold up the others", async () => {
    const { upstream, client } = await startReporting();
    const accepted: MetricsBody[] = [];
    upstream.reply(PATH, refuse("poison", accepted));
    client.reportUsage(usageOf("poison", 1));
    for (let round = 1; round <= 3; round += 1) {
      client.reportUsage(usageOf("phone", 1));
      await expect.poll(() => totalYes(accepted)).toBe(round);
    }
  });

  it("is dropped after ten refusals in a row, with an error", async () => {
    const { upstream, client } = await startReporting();
    upstream.reply(PATH, refuse("poison", []));
    client.reportUsage(usageOf("poison", 1));
    const told = collectFaults(client);
    const refusals = await upstream.nextOf(10, PATH);
    expect(new Set(refusals.map((request) => bodyOf(request).appName))).toEqual(
      new Set(["poison"]),
    );
    await expect.poll(() => told.length).toBeGreaterThan(1);
    expect(told[0]).toContain("error: Sending usage to the upstream failed: ");
    expect(told[1]).toBe(
      'error: Usage of application "poison" (flags: 1) was dropped: refused 10 times',
    );
    await client.close();
    expect(upstream.seen(PATH)).toHaveLength(10);
  });
});

describe("close()", () => {
  it("sends the usage still held", async () => {
    const { upstream, client } = await startReporting({ metricsIntervalMs: 60_000 });
    client.isEnabled("a");
    client.reportUsage(usageOf("phone", 7));
    await client.close();
    expect(upstream.seen(PATH).map((request) => totalYes([bodyOf(request)]))).toEqual([1, 7]);
  });

  it("sends what was counted during a report that was under way", async () => {
    const { upstream, client } = await startReporting();
    const answers: (() => void)[] = [];
    upstream.script(PATH, (response, request) =>
      answers.push(() => status(202)(response, request)),
    );
    client.isEnabled("a");
    await upstream.next(PATH);
    client.isEnabled("a");
    const closed = client.close();
    answers[0]?.();
    await closed;
    expect(totalYes(upstream.seen(PATH).map(bodyOf))).toBe(2);
  });

  it("says so when the usage cannot be delivered", async () => {
    const { upstream, client } = await startReporting({ metricsIntervalMs: 60_000 });
    const told = collectFaults(client);
    client.isEnabled("a");
    await upstream.close();
    await client.close();
    expect(told.at(-1)).toBe("warn: Usage was not delivered, applications: 1");
  });

  it("takes five seconds at most when the upstream hangs", async () => {
    const { upstream, client } = await startReporting({
      metricsIntervalMs: 60_000,
      timeoutMs: 60_000,
    });
    upstream.reply(PATH, hang);
    client.isEnabled("a");
    const startMs = performance.now();
    await client.close();
    expect(performance.now() - startMs).toBeLessThan(6000);
  });

  it("sends usage also when the client was never started", async () => {
    const upstream = await startUpstream();
    const client = createClient(upstream, options);
    client.reportUsage(usageOf("phone", 7));
    await client.close();
    expect(upstream.seen(PATH)).toHaveLength(1);
  });
});
