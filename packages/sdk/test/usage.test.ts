import { gzipSync } from "node:zlib";
import type { FlagsClient, FlagsClientOptions, MetricsBody } from "flags-sdk";
import { describe, expect, it } from "vitest";
import { collectMessages, nextEvent, startClient, startUpstream } from "./_client.ts";
import { documentOf, flag, hang, raw, reset, serve, status, truncate } from "./_upstream.ts";
import type { Reply, SeenRequest, Upstream } from "./_upstream.ts";

const PATH = "/api/client/metrics";

const options: Partial<FlagsClientOptions> = {
  metricsIntervalMs: 20,
  refreshIntervalMs: 10_000,
  disableRegistration: true,
};

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
): Promise<{ upstream: Upstream; client: FlagsClient }> {
  const upstream = await startUpstream();
  const variants = [{ name: "red", weight: 1000 }];
  upstream.features(serve(documentOf(flag("a"), flag("v", { variants }))));
  return { upstream, client: await startClient(upstream, { ...options, ...more }) };
}

describe("usage", () => {
  it("usage is reported in the format of the protocol", async () => {
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

  it("nothing is reported if nothing was evaluated", async () => {
    const { upstream } = await startReporting({ refreshIntervalMs: 20 });
    await upstream.nextOf(5);
    expect(upstream.seen(PATH)).toEqual([]);
  });

  it("the jitter delays reports", async () => {
    // Twelve days at most: practically never as short as a few polls.
    const jitter = { metricsJitterMs: 1_000_000_000 };
    const { upstream, client } = await startReporting({ refreshIntervalMs: 20, ...jitter });
    client.isEnabled("a");
    await upstream.nextOf(5);
    expect(upstream.seen(PATH)).toEqual([]);
    await client.close();
    expect(upstream.seen(PATH)).toHaveLength(1);
  });

  it("usage of names like __proto__ is reported without side effects", async () => {
    const { upstream, client } = await startReporting();
    client.isEnabled("__proto__");
    client.getVariant("constructor", {}, { name: "__proto__", enabled: true });
    const { body } = await upstream.next(PATH);
    expect(body).toContain('"__proto__":{"yes":0,"no":1,"variants":{}}');
    expect(body).toContain('"constructor":{"yes":0,"no":1,"variants":{"__proto__":1}}');
    expect("no" in {}).toBe(false);
  });

  it("usage beyond a limit is rejected with a warning", async () => {
    const { client } = await startReporting();
    const warned = nextEvent(client, "warn");
    client.isEnabled("x".repeat(256));
    expect((await warned)[0]).toBe("1 evaluation was not counted: too much usage is pending");
  });

  it("usage beyond a limit is logged on close", async () => {
    const { upstream, client } = await startReporting({ metricsIntervalMs: 60_000 });
    const messages = collectMessages(client);
    client.isEnabled("x".repeat(256));
    await client.close();
    expect(upstream.seen(PATH)).toEqual([]);
    expect(messages).toEqual(["warn: 1 evaluation was not counted: too much usage is pending"]);
  });

  it.each([{ metricsIntervalMs: 0 }, { disableMetrics: true }])(
    "usage is not reported with %j, not even on close",
    async (disabling) => {
      const { upstream, client } = await startReporting(disabling);
      client.isEnabled("a");
      await client.close();
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
      const { upstream, client } = await startReporting(
        failure === hang ? { timeoutMs: 1000 } : {},
      );
      const accepted: MetricsBody[] = [];
      upstream.reply(PATH, acceptInto(accepted));
      upstream.script(PATH, failure, failure, failure);
      client.isEnabled("a");
      const { body } = await upstream.next(PATH);
      client.isEnabled("a");
      await expect.poll(() => totalYes(accepted)).toBe(2);
      expect(accepted[0]?.bucket.start).toBe((JSON.parse(body) as MetricsBody).bucket.start);
    },
  );

  it("no usage is lost if the upstream is down while usage is counted", async () => {
    const { upstream, client } = await startReporting();
    const { port } = upstream;
    await upstream.close();
    for (let round = 0; round < 5; round += 1) {
      client.isEnabled("a");
      await nextEvent(client, "failure");
    }
    const accepted: MetricsBody[] = [];
    upstream.reply(PATH, acceptInto(accepted));
    await upstream.listen(port);
    await expect.poll(() => totalYes(accepted)).toBe(5);
  });

  it("no usage is lost if the response to a received report is cut off; at worst it is counted twice", async () => {
    const { upstream, client } = await startReporting();
    const accepted: MetricsBody[] = [];
    upstream.reply(PATH, acceptInto(accepted));
    upstream.script(PATH, truncate);
    client.isEnabled("a");
    await expect.poll(() => totalYes(accepted)).toBe(1);
  });

  it("a large response to a report is not read", async () => {
    const { upstream, client } = await startReporting();
    upstream.reply(PATH, raw(gzipSync(" ".repeat(10_000_000)), { "content-encoding": "gzip" }));
    const error = nextEvent(client, "error");
    client.isEnabled("a");
    const [{ message }] = await error;
    expect(message).toBe(
      "Sending usage to the upstream failed: The upstream sent more than 1048576 bytes",
    );
  });

  it("usage of many flags is sent in several reports", async () => {
    const { upstream, client } = await startReporting();
    const accepted: MetricsBody[] = [];
    upstream.reply(PATH, acceptInto(accepted));
    for (let index = 0; index < 501; index += 1) client.isEnabled(`flag-${index}`, {}, true);
    await expect.poll(() => totalYes(accepted)).toBe(501);
    const sizes = accepted.map(({ bucket }) => Object.keys(bucket.toggles).length);
    expect(sizes).toEqual([500, 1]);
  });

  it("Retry-After is honoured for usage", async () => {
    const { upstream, client } = await startReporting();
    upstream.script(PATH, status(429, { "retry-after": "1" }));
    client.isEnabled("a");
    await upstream.next(PATH);
    const startMs = performance.now();
    await upstream.next(PATH);
    expect(performance.now() - startMs).toBeGreaterThan(950);
  });
});

describe("a report that the upstream rejects", () => {
  it.each([
    ["lost connections", reset],
    ["status 503", status(503)],
    ["status 401", status(401)],
  ])("only rejections count: not %s", async (_name, failure) => {
    const { upstream, client } = await startReporting();
    const accepted: MetricsBody[] = [];
    upstream.reply(PATH, acceptInto(accepted));
    upstream.script(PATH, ...Array.from({ length: 10 }, () => failure), status(400));
    client.isEnabled("a");
    await expect.poll(() => totalYes(accepted), { timeout: 10_000 }).toBe(1);
  });

  it("a report is dropped after ten consecutive rejections, with a warning", async () => {
    const { upstream, client } = await startReporting();
    upstream.reply(PATH, status(400));
    const messages = collectMessages(client);
    client.isEnabled("a");
    await upstream.nextOf(10, PATH);
    await expect.poll(() => messages.length).toBeGreaterThan(1);
    expect(messages[0]).toContain("error: Sending usage to the upstream failed: ");
    expect(messages[1]).toMatch(/^warn: Dropped the evaluations of 1 flag, .* 400/);
    await client.close();
    expect(upstream.seen(PATH)).toHaveLength(10);
  });
});

describe("close()", () => {
  it("sends pending usage", async () => {
    const { upstream, client } = await startReporting({ metricsIntervalMs: 60_000 });
    client.isEnabled("a");
    await client.close();
    expect(upstream.seen(PATH).map((request) => totalYes([bodyOf(request)]))).toEqual([1]);
  });

  it("sends usage that was counted during the last report", async () => {
    const { upstream, client } = await startReporting();
    const responses: (() => void)[] = [];
    upstream.script(PATH, (response, request) =>
      responses.push(() => status(202)(response, request)),
    );
    client.isEnabled("a");
    await upstream.next(PATH);
    client.isEnabled("a");
    const closed = client.close();
    responses[0]?.();
    await closed;
    expect(totalYes(upstream.seen(PATH).map(bodyOf))).toBe(2);
  });

  it("warns if usage cannot be delivered", async () => {
    const { upstream, client } = await startReporting({ metricsIntervalMs: 60_000 });
    const messages = collectMessages(client);
    client.isEnabled("a");
    await upstream.close();
    await client.close();
    expect(messages.at(-1)).toBe("warn: Usage of 1 application was not delivered");
  });
});
