import { Strategy } from "flags-sdk";
import type { Context, FlagsClient, FlagsClientOptions, Impression } from "flags-sdk";
import { describe, expect, it } from "vitest";
import { collectFaults, createClient, startClient, startUpstream } from "./_client.ts";
import { flag } from "./_upstream.ts";

const payload = { type: "json", value: "{}" };
const variants = [{ name: "red", weight: 1000, payload }];

/** A client on these flags alone. */
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
  it("is what the strategies say", async () => {
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

  it("has appName and environment in every context, unless the caller has others", async () => {
    const client = await startWith(
      [flag("app", constraint("appName", "app")), flag("env", constraint("environment", "test"))],
      { environment: "test" },
    );
    expect(client.isEnabled("app")).toBe(true);
    expect(client.isEnabled("env")).toBe(true);
    expect(client.isEnabled("app", { appName: "other" })).toBe(false);
    expect(client.isEnabled("env", { environment: undefined })).toBe(false);
  });

  it("environment is `default` when none is set", async () => {
    const client = await startWith([flag("env", constraint("environment", "default"))]);
    expect(client.isEnabled("env")).toBe(true);
  });

  it("does not mind a context of null", async () => {
    const client = await startWith([flag("on")]);
    expect(client.isEnabled("on", null as unknown as Context)).toBe(true);
  });
});

describe("getVariant()", () => {
  it("gives the variant with its payload", async () => {
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
  ])("of %s without a variant is disabled, and the flag is %s", async (name, enabled) => {
    const client = await startWith([flag("on"), flag("off", { enabled: false, variants })]);
    const flags = { featureEnabled: enabled, feature_enabled: enabled };
    expect(client.getVariant(name)).toEqual({ name: "disabled", enabled: false, ...flags });
    const fallback = { name: "mine", enabled: true, payload };
    expect(client.getVariant(name, {}, fallback)).toEqual({ ...fallback, ...flags });
  });
});

describe("before there is data", () => {
  it("fallbacks are given, one warning is told, and nothing is counted", async () => {
    const upstream = await startUpstream();
    const client = createClient(upstream, { metricsIntervalMs: 60_000 });
    const told = collectFaults(client);
    const counted: string[] = [];
    client.on("count", (name) => counted.push(name));
    expect(client.isEnabled("a")).toBe(false);
    expect(client.isEnabled("a", {}, true)).toBe(true);
    expect(client.isEnabled("a", {}, () => true)).toBe(true);
    expect(client.getVariant("a").name).toBe("disabled");
    expect(client.getVariant("a", {}, { name: "mine", enabled: true }).name).toBe("mine");
    expect(client.getFeatureDefinitions()).toEqual([]);
    expect(told).toEqual([
      "warn: A flag was asked for before there is any data: see the event ready",
    ]);
    expect(counted).toEqual([]);
    await client.close();
    expect(upstream.requests).toEqual([]);
  });
});

describe("events", () => {
  it("count is told for every question once there is data", async () => {
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

  it("impression is told for the flag asked for, not for its parents", async () => {
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

  it("a listener that throws does not reach the one who asks", async () => {
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

  it("a subclass of Strategy gets the parameters and the whole context", async () => {
    const client = await startWith([using("forPlan", { plan: "pro" })], {
      strategies: [new ForPlan()],
    });
    expect(client.isEnabled("uses forPlan", { properties: { plan: "pro" } })).toBe(true);
    expect(client.isEnabled("uses forPlan", { properties: { plan: "free" } })).toBe(false);
  });

  it("Strategy itself answers its return value", async () => {
    const strategies = [new Strategy("never"), new Strategy("always", true)];
    const client = await startWith([using("never"), using("always")], { strategies });
    expect(client.isEnabled("uses never")).toBe(false);
    expect(client.isEnabled("uses always")).toBe(true);
  });

  it("a plain object will do, and wins over a built-in strategy of its name", async () => {
    const client = await startWith([using("default")], {
      strategies: [{ name: "default", isEnabled: (_parameters, { userId }) => userId === "7" }],
    });
    expect(client.isEnabled("uses default", { userId: "7" })).toBe(true);
    expect(client.isEnabled("uses default", { userId: "8" })).toBe(false);
  });

  it("one that throws does not match, is warned of once, and is told every time", async () => {
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
    const told = collectFaults(client);
    const errors: unknown[] = [];
    client.on("strategyError", (error) => errors.push(error));
    expect(client.isEnabled("uses broken")).toBe(false);
    expect(client.isEnabled("uses broken")).toBe(false);
    expect(errors).toHaveLength(2);
    expect(errors[0]).toMatchObject({ strategy: "broken", flag: "uses broken" });
    expect(told.filter((text) => text.includes("broken"))).toEqual([
      'warn: Strategy "broken" of flag "uses broken" failed and does not match: out of order',
    ]);
  });
});
