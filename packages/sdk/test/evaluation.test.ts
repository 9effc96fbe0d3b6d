import {
  type Context,
  type FlagsClient,
  type FlagsClientOptions,
  type Impression,
  Strategy,
} from "flags-sdk";
import { describe, expect, it } from "vitest";
import { collectMessages, createClient, startClient, startUpstream } from "./_client.ts";
import { flag } from "./_upstream.ts";

const payload = { type: "json", value: "{}" };
const variants = [{ name: "red", weight: 1000, payload }];

/** Starts a client with these flags, from a bootstrap. */
async function startWith(
  features: readonly object[],
  options: Partial<FlagsClientOptions> = {},
): Promise<FlagsClient> {
  const upstream = await startUpstream();
  upstream.features((response) => response.destroy());
  return startClient(upstream, { bootstrap: { data: features }, ...options });
}

const constraint = (contextName: string, ...values: readonly string[]): object => ({
  strategies: [{ name: "default", constraints: [{ contextName, operator: "IN", values }] }],
});

describe("isEnabled()", () => {
  it("returns the result of the strategies", async () => {
    const client = await startWith([flag("on"), flag("off", { enabled: false })]);
    expect(client.isEnabled("on")).toBe(true);
    expect(client.isEnabled("off")).toBe(false);
  });

  it("uses the fallback for an unknown flag only", async () => {
    const client = await startWith([flag("off", { enabled: false })]);
    expect(client.isEnabled("off", {}, true)).toBe(false);
    expect(client.isEnabled("none")).toBe(false);
    expect(client.isEnabled("none", {}, true)).toBe(true);
    expect(client.isEnabled("constructor", {}, true)).toBe(true);
    const fallback = (name: string, context: Context): boolean =>
      name === "none" && context.userId === "7" && context.appName === "app";
    expect(client.isEnabled("none", { userId: "7" }, fallback)).toBe(true);
  });

  it("adds appName and environment to every context, unless the caller sets others", async () => {
    const client = await startWith(
      [flag("app", constraint("appName", "app")), flag("env", constraint("environment", "test"))],
      { environment: "test" },
    );
    expect(client.isEnabled("app")).toBe(true);
    expect(client.isEnabled("env")).toBe(true);
    expect(client.isEnabled("app", { appName: "other" })).toBe(false);
    expect(client.isEnabled("env", { environment: undefined })).toBe(false);
  });

  it("uses the environment `default` if none is set", async () => {
    const client = await startWith([flag("env", constraint("environment", "default"))]);
    expect(client.isEnabled("env")).toBe(true);
  });

  it("accepts null instead of a context", async () => {
    const client = await startWith([flag("on")]);
    expect(client.isEnabled("on", null as unknown as Context)).toBe(true);
  });
});

describe("explain()", () => {
  it("says why a flag has its result, with the static context, and counts nothing", async () => {
    const client = await startWith([flag("app", constraint("appName", "app"))]);
    const counted: string[] = [];
    client.on("count", (name) => counted.push(name));
    expect(client.explain("app")).toMatchObject({
      enabled: true,
      explanation: 'The flag is on because appName is "app".',
    });
    expect(client.explain("app", { appName: "other" })?.enabled).toBe(false);
    expect(client.explain("unknown")).toBeUndefined();
    expect(counted).toEqual([]);
  });
});

describe("evaluate()", () => {
  it("returns what clients start with, from one evaluation", async () => {
    const client = await startWith([
      flag("on", { variants, impressionData: true }),
      flag("off", { enabled: false }),
      flag("app", constraint("appName", "app")),
    ]);
    const flags = client.evaluate({ userId: 7 });
    expect(flags.bootstrap).toEqual({
      toggles: [
        {
          name: "on",
          enabled: true,
          variant: { name: "red", enabled: true, payload },
          impressionData: true,
        },
        {
          name: "app",
          enabled: true,
          variant: { name: "disabled", enabled: false },
          impressionData: false,
        },
      ],
      context: { userId: "7" },
    });
    const { body, context } = flags.ofrep;
    expect(body.flags.map(({ key }) => key)).toEqual(["on", "app"]);
    expect(context).toEqual({ targetingKey: "7" });
    expect(flags.values).toEqual({ on: {}, app: true });
    expect(flags.bootstrap).toBe(flags.bootstrap);
  });

  it("generates a session id if a rule reads it, and passes it to clients", async () => {
    const rollout = { name: "gradualRolloutSessionId", parameters: { percentage: "50" } };
    const client = await startWith([flag("half", { strategies: [rollout] })]);
    const { bootstrap, ofrep } = client.evaluate();
    const { sessionId = "" } = bootstrap.context;
    expect(sessionId).toMatch(/^[\da-f-]{36}$/);
    expect(ofrep.context).toEqual({ sessionId });
    expect(client.evaluate({ sessionId }).bootstrap).toEqual(bootstrap);
    expect(client.evaluate().bootstrap.context.sessionId).not.toBe(sessionId);
  });

  it("counts only what methods read, and emits impressions for it", async () => {
    const client = await startWith([flag("on", { variants, impressionData: true })]);
    const events: unknown[] = [];
    client.on("count", (name, enabled) => events.push([name, enabled]));
    client.on("impression", (impression) => events.push(impression));
    const flags = client.evaluate({ userId: "7", sessionId: "s" });
    JSON.stringify([flags.bootstrap, flags.ofrep, flags.values]);
    expect(events).toEqual([]);

    expect(flags.isEnabled("on")).toBe(true);
    expect(flags.getVariant("on").name).toBe("red");
    expect(flags.isEnabled("none")).toBe(false);
    const context = { appName: "app", environment: "default", userId: "7", sessionId: "s" };
    const impression = { featureName: "on", context, enabled: true };
    expect(events).toEqual([
      ["on", true],
      { ...impression, eventType: "isEnabled" },
      ["on", true],
      { ...impression, eventType: "getVariant", variant: "red" },
      ["none", false],
    ]);
  });

  it("throws before there is data, and for what is not a context", async () => {
    const client = createClient(await startUpstream());
    expect(() => client.evaluate()).toThrow("await `synchronized()` before `evaluate()`");
    const started = await startWith([flag("on")]);
    expect(() => started.evaluate("7" as never)).toThrow("`context` must be an object");
  });
});

describe("getVariant()", () => {
  it("returns the variant with its payload", async () => {
    const client = await startWith([flag("on", { variants })]);
    expect(client.getVariant("on", { userId: "7" })).toEqual({
      name: "red",
      enabled: true,
      payload,
      featureEnabled: true,
      feature_enabled: true,
    });
  });

  it.each([
    ["on", true],
    ["off", false],
    ["none", false],
  ])(
    "the variant of the flag %s without variants is disabled, and featureEnabled is %s",
    async (name, enabled) => {
      const client = await startWith([flag("on"), flag("off", { enabled: false, variants })]);
      const flags = { featureEnabled: enabled, feature_enabled: enabled };
      expect(client.getVariant(name)).toEqual({ name: "disabled", enabled: false, ...flags });
      const fallback = { name: "mine", enabled: true, payload };
      expect(client.getVariant(name, {}, fallback)).toEqual({ ...fallback, ...flags });
    },
  );
});

describe("before the first data", () => {
  it("evaluations before the first data return fallbacks, cause one warning, and are not counted", async () => {
    const upstream = await startUpstream();
    const client = createClient(upstream, { metricsIntervalMs: 60_000 });
    const messages = collectMessages(client);
    const counted: string[] = [];
    client.on("count", (name) => counted.push(name));
    expect(client.isEnabled("a")).toBe(false);
    expect(client.isEnabled("a", {}, true)).toBe(true);
    expect(client.isEnabled("a", {}, () => true)).toBe(true);
    expect(client.getVariant("a").name).toBe("disabled");
    expect(client.getVariant("a", {}, { name: "mine", enabled: true }).name).toBe("mine");
    expect(client.getFeatureDefinitions()).toEqual([]);
    expect(messages).toEqual([
      "warn: A flag was evaluated before any data was available: wait for the event ready",
    ]);
    expect(counted).toEqual([]);
    await client.close();
    expect(upstream.requests).toEqual([]);
  });
});

describe("events", () => {
  it("count is emitted for every evaluation after the first data", async () => {
    const client = await startWith([flag("on"), flag("off", { enabled: false })]);
    const counted: unknown[] = [];
    client.on("count", (name, enabled) => counted.push([name, enabled]));
    client.isEnabled("on");
    client.isEnabled("off");
    client.isEnabled("none", {}, true);
    client.getVariant("on");
    expect(counted).toEqual([
      ["on", true],
      ["off", false],
      ["none", true],
      ["on", true],
    ]);
  });

  it("impression is emitted for the evaluated flag, not for its parents", async () => {
    const impressionData = true;
    const client = await startWith([
      flag("parent", { impressionData }),
      flag("child", { impressionData, variants, dependencies: [{ feature: "parent" }] }),
      flag("silent"),
      flag("off", { impressionData, enabled: false }),
    ]);
    const seen: Impression[] = [];
    client.on("impression", (impression) => seen.push(impression));
    client.isEnabled("child", { userId: "7" });
    client.getVariant("child", { userId: "7" });
    client.getVariant("off");
    client.isEnabled("silent");
    client.isEnabled("none");
    const context = { appName: "app", environment: "default" };
    const child = { featureName: "child", context: { ...context, userId: "7" } };
    expect(seen).toEqual([
      { eventType: "isEnabled", enabled: true, ...child },
      { eventType: "getVariant", enabled: true, variant: "red", ...child },
      { eventType: "getVariant", enabled: false, variant: "disabled", featureName: "off", context },
    ]);
  });

  it("an error of a listener does not affect the evaluation", async () => {
    const client = await startWith([flag("on")]);
    client.on("count", () => {
      throw new Error("in the listener");
    });
    expect(client.isEnabled("on")).toBe(true);
  });
});

describe("strategies", () => {
  const using = (name: string, parameters: object = {}): object =>
    flag(`uses ${name}`, { strategies: [{ name, parameters }] });

  class ForPlan extends Strategy {
    constructor() {
      super("forPlan");
    }

    override isEnabled(parameters: Readonly<Record<string, unknown>>, context: Context): boolean {
      return context.properties?.["plan"] === parameters["plan"];
    }
  }

  it("a subclass of Strategy receives the parameters and the whole context", async () => {
    const client = await startWith([using("forPlan", { plan: "pro" })], {
      strategies: [new ForPlan()],
    });
    expect(client.isEnabled("uses forPlan", { properties: { plan: "pro" } })).toBe(true);
    expect(client.isEnabled("uses forPlan", { properties: { plan: "free" } })).toBe(false);
  });

  it("Strategy returns its return value", async () => {
    const strategies = [new Strategy("never"), new Strategy("always", true)];
    const client = await startWith([using("never"), using("always")], { strategies });
    expect(client.isEnabled("uses never")).toBe(false);
    expect(client.isEnabled("uses always")).toBe(true);
  });

  it("a plain object overrides a built-in strategy of the same name", async () => {
    const client = await startWith([using("default")], {
      strategies: [{ name: "default", isEnabled: (_parameters, { userId }) => userId === "7" }],
    });
    expect(client.isEnabled("uses default", { userId: "7" })).toBe(true);
    expect(client.isEnabled("uses default", { userId: "8" })).toBe(false);
  });

  it("a strategy that throws does not match, and causes one warning, and an event every time", async () => {
    const client = await startWith([using("broken")], {
      strategies: [
        {
          name: "broken",
          isEnabled: () => {
            throw new Error("out of order");
          },
        },
      ],
    });
    const messages = collectMessages(client);
    const errors: unknown[] = [];
    client.on("strategyError", (error) => errors.push(error));
    expect(client.isEnabled("uses broken")).toBe(false);
    expect(client.isEnabled("uses broken")).toBe(false);
    expect(errors).toHaveLength(2);
    expect(errors[0]).toMatchObject({ strategy: "broken", flag: "uses broken" });
    expect(messages.filter((text) => text.includes("broken"))).toEqual([
      'warn: Strategy "broken" of flag "uses broken" failed and does not match: out of order',
    ]);
  });
});
