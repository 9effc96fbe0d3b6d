import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { FeatureUsage } from "flags-sdk";
import type { ApplicationUsage } from "./application-usage.ts";
import { applicationBytes, entryBytes, OTHER_APPLICATIONS, USAGE_LIMITS } from "./usage-limits.ts";
import { PendingData } from "./pending-data.ts";
import type { UsageBuffer } from "./usage-buffer.ts";

const NOW = 1_000_000;

beforeAll(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterAll(() => void vi.useRealTimers());

const createBuffer = (options?: ConstructorParameters<typeof PendingData>[0]): UsageBuffer =>
  new PendingData(options).usage;

const usage = (
  appName: string,
  features: Record<string, FeatureUsage>,
  startMs = NOW,
): ApplicationUsage => ({ appName, startMs, features, quotaId: "" });

const once = { yes: 1, no: 0 };

const withUsage = (part: Partial<ApplicationUsage>): unknown => ({
  usage: expect.objectContaining(part) as unknown,
});

/** Adds usage of one flag. */
function count(buffer: UsageBuffer, appName: string, flag: string, counts: FeatureUsage): void {
  buffer.add({ appName, startMs: Infinity, features: { [flag]: counts } });
}

/** Takes all usage, as it would be sent. */
function takeAll(buffer: UsageBuffer): ApplicationUsage[] {
  return [...buffer.takeAll()];
}

/** Takes the usage of one application, as it would be sent. */
function take(buffer: UsageBuffer, appName: string): ApplicationUsage | undefined {
  return takeAll(buffer).find((taken) => taken.appName === appName);
}

const namesIn = (buffer: UsageBuffer): readonly string[] =>
  Array.from(buffer.values(), ({ appName }) => appName);

const totalOf = (
  buffer: UsageBuffer,
  quotaId: string,
  name: string,
): ApplicationUsage | undefined =>
  [...buffer.values()].find((one) => one.quotaId === quotaId && one.appName === name);

const sum = ({ yes, no, variants = {} }: FeatureUsage): number =>
  Object.values(variants).reduce((total, count) => total + count, yes + no);

const total = (taken: ApplicationUsage): number =>
  Object.values(taken.features).reduce((all, feature) => all + sum(feature), 0);

describe("UsageBuffer", () => {
  it("sums counts per application, flag and variant", () => {
    const buffer = createBuffer();
    count(buffer, "a", "f", once);
    count(buffer, "a", "f", { yes: 0, no: 1, variants: { red: 1 } });
    buffer.add(usage("a", { f: { yes: 3, no: 4, variants: { red: 1, blue: 2 } } }));
    buffer.add(usage("b", { f: once }));
    expect(takeAll(buffer)).toEqual([
      usage("a", { f: { yes: 4, no: 5, variants: { red: 2, blue: 2 } } }),
      usage("b", { f: { yes: 1, no: 0, variants: {} } }),
    ]);
  });

  it("a delivery starts a new period, and a failed one does not", () => {
    vi.setSystemTime(100);
    const buffer = createBuffer();
    count(buffer, "a", "f", once);
    vi.setSystemTime(200);
    const taken = take(buffer, "a");
    expect(taken?.startMs).toBe(100);
    vi.setSystemTime(300);
    count(buffer, "a", "f", once);
    const all = take(buffer, "a");
    expect(all).toEqual(usage("a", { f: { yes: 2, no: 0, variants: {} } }, 100));
    vi.setSystemTime(400);
    count(buffer, "a", "f", once);
    if (all !== undefined) buffer.release(all);
    expect(take(buffer, "a")).toEqual(usage("a", { f: { yes: 1, no: 0, variants: {} } }, 300));
    vi.setSystemTime(NOW);
  });

  it("takeAll() moves an application to the end of the order", () => {
    const buffer = createBuffer();
    buffer.add(usage("a", { f: once }));
    buffer.add(usage("b", { f: once }));
    for (const taken of buffer.takeAll()) if (taken.appName === "a") break;
    expect(namesIn(buffer)).toEqual(["b", "a"]);
  });

  it("release() removes delivered usage and keeps usage counted since", () => {
    const buffer = createBuffer();
    buffer.add(usage("a", { f: { yes: 1, no: 0, variants: { x: 1 } }, g: once }));
    const taken = take(buffer, "a");
    count(buffer, "a", "g", once);
    if (taken !== undefined) buffer.release(taken);
    const rest = take(buffer, "a");
    expect(rest?.features).toEqual({ g: { yes: 1, no: 0, variants: {} } });
    if (rest !== undefined) buffer.release(rest);
    expect(namesIn(buffer)).toEqual([]);
    expect(take(buffer, "a")).toBeUndefined();
  });

  it("takeAll() moves a quota to the end of the order", () => {
    const buffer = createBuffer();
    buffer.add({ ...usage("of-one", { f: once }), quotaId: "one" });
    buffer.add({ ...usage("of-two", { f: once }), quotaId: "two" });
    for (const taken of buffer.takeAll()) if (taken.quotaId === "one") break;
    expect(namesIn(buffer)).toEqual(["of-two", "of-one"]);
  });

  it("apply() adds, removes and replaces counts, and forgets names without any", () => {
    const buffer = createBuffer();
    const features = (yes: number, red: number) => ({ f: { yes, no: 1, variants: { red } } });
    buffer.apply("add", usage("a", { ...features(2, 3), g: once }, 1000));
    buffer.apply("add", usage("a", features(1, 1), 500));
    buffer.apply("remove", usage("a", { f: { yes: 1, no: 5, variants: { red: 9 } }, g: once }));
    const left = { yes: 2, no: 0, variants: {} };
    expect([...buffer.values()]).toEqual([usage("a", { f: left }, 500)]);
    buffer.apply("set", usage("a", { f: { yes: 7, no: 0, variants: { blue: 1 } } }, 2000));
    buffer.apply("set", usage("a", { h: left }, 2000));
    expect([...buffer.values()]).toEqual([
      usage("a", { f: { yes: 7, no: 0, variants: { blue: 1 } }, h: left }, 2000),
    ]);
    buffer.apply("remove", usage("a", { f: { yes: 7, no: 0, variants: { blue: 1 } }, h: left }));
    expect([...buffer.values()]).toEqual([]);
    buffer.apply("remove", usage("a", { f: left }));
    expect([...buffer.values()]).toEqual([]);
  });

  it("the cost does not depend on the counts, and sums saturate at the largest exact integer", () => {
    const buffer = createBuffer();
    const many = usage("a", {
      f: { yes: 5e9, no: Number.MAX_SAFE_INTEGER, variants: { v: Number.MAX_SAFE_INTEGER } },
    });
    buffer.add(many);
    buffer.add(many);
    expect(take(buffer, "a")?.features).toEqual({
      f: { yes: 1e10, no: Number.MAX_SAFE_INTEGER, variants: { v: Number.MAX_SAFE_INTEGER } },
    });
  });

  it.each([Number.NaN, Infinity, -Infinity, -1, NOW + 1])(
    "replaces a start of %s with the current time",
    (startMs) => {
      const buffer = createBuffer();
      buffer.add(usage("a", { f: once }, startMs));
      expect(take(buffer, "a")?.startMs).toBe(NOW);
    },
  );

  it("supports names of members of object prototypes", () => {
    const buffer = createBuffer();
    for (const name of ["__proto__", "constructor", "toString"]) {
      const variants = Object.fromEntries([[name, 1]]);
      buffer.add(usage(name, Object.fromEntries([[name, { ...once, variants }]])));
    }
    const taken = takeAll(buffer);
    expect(taken.map(({ appName }) => appName)).toEqual(["__proto__", "constructor", "toString"]);
    expect(JSON.stringify(taken[0]?.features)).toBe(
      '{"__proto__":{"yes":1,"no":0,"variants":{"__proto__":1}}}',
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  describe("limits", () => {
    const limits = {
      ...USAGE_LIMITS,
      applications: 4,
      variantsPerFeature: 2,
    };

    const stored = [usage("a", { f: { ...once, variants: { v1: 1, v2: 1 } } })];

    it("add() counts a third application for the other applications, and so does the journal", () => {
      const journal = vi.fn();
      const buffer = createBuffer({ limits, journal });
      for (const name of ["a", "b", "third"]) {
        expect(buffer.add({ ...usage(name, { f: once }), quotaId: "key" })).toBe(true);
      }
      expect(journal).toHaveBeenLastCalledWith(
        "add",
        withUsage({ appName: OTHER_APPLICATIONS, quotaId: "key" }),
      );
      expect(takeAll(buffer).map(({ appName }) => appName)).toEqual(["a", "b", OTHER_APPLICATIONS]);
    });

    it("add() omits unknown flags and variants from the other applications", () => {
      const onDropped = vi.fn();
      const journal = vi.fn();
      const isKnown = (flag: string, variant = "blue"): boolean =>
        flag.startsWith("f") && variant === "blue";
      const buffer = createBuffer({ limits, isKnown, onDropped, journal });
      for (const name of ["a", "b"]) buffer.add({ ...usage(name, { f: once }), quotaId: "key" });
      const features = { f: { ...once, variants: { blue: 1, red: 1 } }, x: once };
      expect(buffer.add({ ...usage("c", features), quotaId: "key" })).toBe(true);
      expect(buffer.add({ ...usage("d", { y: once }), quotaId: "key" })).toBe(true);
      expect(onDropped.mock.calls).toEqual([
        ["unknown_flag", 1],
        ["variant", 1],
        ["unknown_flag", 1],
      ]);
      const counted = { f: { ...once, variants: { blue: 1 } } };
      const others = { ...usage(OTHER_APPLICATIONS, counted), quotaId: "key" };
      expect(journal).toHaveBeenLastCalledWith("add", { usage: others });
      expect(takeAll(buffer).at(-1)).toEqual(others);
    });

    it("add() counts only some variants if there are too many, and so does the journal", () => {
      const onDropped = vi.fn();
      const journal = vi.fn();
      const buffer = createBuffer({ limits, onDropped, journal });
      const third = { f: { ...once, variants: { v1: 1, v3: 1 } }, g: once };
      for (const taken of [...stored, usage("a", third)]) {
        expect(buffer.add({ ...taken, quotaId: "key" })).toBe(true);
      }
      expect(onDropped.mock.calls).toEqual([["variant", 1]]);
      expect(journal).toHaveBeenLastCalledWith(
        "add",
        withUsage({
          features: { f: { ...once, variants: { v1: 1 } }, g: once },
        }),
      );
      const [counted] = takeAll(buffer);
      expect(counted?.features["f"]).toEqual({ yes: 2, no: 0, variants: { v1: 2, v2: 1 } });
      const atOnce = { f: { ...once, variants: { x: 1, y: 1, z: 1 } } };
      expect(buffer.add(usage("b", atOnce))).toBe(true);
      expect(take(buffer, "b")?.features["f"]?.variants).toEqual({ x: 1, y: 1 });
    });

    it("add() counts all variants that the upstream sent, however many others were reported", () => {
      const isKnown = (_flag: string, variant = "blue"): boolean => variant === "blue";
      const buffer = createBuffer({ limits, isKnown });
      for (const variants of [
        { v1: 1, v2: 1 },
        { blue: 1, v3: 1 },
        { v1: 1, blue: 1 },
      ]) {
        expect(buffer.add(usage("a", { f: { ...once, variants } }))).toBe(true);
      }
      expect(take(buffer, "a")?.features["f"]?.variants).toEqual({ v1: 2, v2: 1, blue: 2 });
    });

    // Memory for one application with one flag, and the same again that must stay free.
    const bytes = 2 * (applicationBytes("a") + entryBytes("f"));
    const isUnknown = (): boolean => false;

    it("limits apply to the memory of all usage, and delivered usage frees its memory", () => {
      const onDropped = vi.fn();
      const buffer = createBuffer({
        limits: { ...limits, bytes },
        isKnown: isUnknown,
        onDropped,
      });
      buffer.add(usage("a", { f: once, g: once }));
      expect(onDropped.mock.calls).toEqual([["unknown_flag", 2]]);
      buffer.add(usage("a", { f: once }));
      buffer.add(usage("b", { f: once }));
      expect(namesIn(buffer)).toEqual(["a"]);
      const taken = take(buffer, "a");
      expect(taken?.features).toEqual({ f: { yes: 1, no: 0, variants: {} } });
      if (taken !== undefined) buffer.release(taken);
      buffer.add(usage("b", { g: { ...once, variants: {} } }));
      expect(namesIn(buffer)).toEqual(["b"]);
    });

    it("add() returns false if even the entry for other applications does not fit", () => {
      const buffer = createBuffer({ limits: { ...limits, bytes: 500 } });
      expect(buffer.add(usage("a", { f: once }))).toBe(false);
      expect(namesIn(buffer)).toEqual([]);
    });

    it("limits do not include delivered variants, even if their flag has new usage", () => {
      const buffer = createBuffer({ limits });
      buffer.add(usage("a", { f: { ...once, variants: { v1: 1, v2: 1 } } }));
      const taken = take(buffer, "a");
      count(buffer, "a", "f", { ...once, variants: { v1: 1 } });
      if (taken !== undefined) buffer.release(taken);
      expect(buffer.add(usage("a", { f: { ...once, variants: { v3: 1 } } }))).toBe(true);
      expect(take(buffer, "a")?.features["f"]?.variants).toEqual({ v1: 1, v3: 1 });
    });

    it("10,000 applications under one quota are accepted, and any others are counted together", () => {
      const buffer = createBuffer();
      const names = Array.from({ length: 10_002 }, (_, index) => `app-${index}`);
      for (const name of names) expect(buffer.add(usage(name, { f: once }))).toBe(true);
      const counted = takeAll(buffer);
      expect(counted).toHaveLength(10_001);
      expect(counted.at(-1)).toMatchObject({
        appName: OTHER_APPLICATIONS,
        features: { f: { yes: 2 } },
      });
    });

    it("10,000 flags of one application are accepted, with variants", () => {
      const variants = Object.fromEntries(Array.from({ length: 4 }, (_, index) => [index, 1]));
      const features = Object.fromEntries(
        Array.from({ length: 10_000 }, (_, index) => [index, { ...once, variants }]),
      );
      expect(createBuffer().add(usage("a", features))).toBe(true);
    });

    it("limits include usage that is being sent", () => {
      const buffer = createBuffer({ limits: { ...limits, bytes }, isKnown: isUnknown });
      buffer.add(usage("a", { f: once }));
      takeAll(buffer);
      buffer.add(usage("a", { g: once }));
      buffer.add(usage("b", { f: once }));
      expect(takeAll(buffer)).toEqual([usage("a", { f: { yes: 1, no: 0, variants: {} } })]);
    });

    it("limits do not include applications without usage", () => {
      const buffer = createBuffer({ limits });
      for (const appName of ["a", "b", "c"]) buffer.add(usage(appName, {}));
      expect(namesIn(buffer)).toEqual([]);
    });
  });

  describe("quotas", () => {
    const named = (prefix: string, count: number): readonly string[] =>
      Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
    const under = (quotaId: string, appName: string): ApplicationUsage => ({
      ...usage(appName, { f: once }),
      quotaId,
    });

    it("a quota with invented applications cannot displace the usage of another", () => {
      const limits = { ...USAGE_LIMITS, applications: 100 };
      const buffer = createBuffer({ limits });
      for (const name of named("invented", 1000)) buffer.add(under("noisy", name));
      expect(namesIn(buffer)).toHaveLength(51);
      for (const name of named("real", 25)) buffer.add(under("quiet", name));
      expect(namesIn(buffer)).toHaveLength(51 + 25);
    });

    it("a quota with invented flags cannot displace the usage of another", () => {
      const buffer = createBuffer({
        limits: { ...USAGE_LIMITS, bytes: 100_000 },
        isKnown: () => false,
      });
      for (const flag of named("invented", 10_000)) {
        buffer.add({ ...usage("app", { [flag]: once }), quotaId: "noisy" });
      }
      const counted = Object.keys(totalOf(buffer, "noisy", "app")?.features ?? {});
      expect(counted.length).toBeGreaterThan(200);
      expect(counted.length).toBeLessThan(1000);
      for (const name of named("real", 20)) buffer.add(under("quiet", name));
      expect(namesIn(buffer)).toHaveLength(21);
    });

    it("inventing applications does not cause other reports with the same quota to be rejected", () => {
      const limits = { ...USAGE_LIMITS, bytes: 100_000 };
      const buffer = createBuffer({ limits, isKnown: (name) => name === "f" });
      const features = Object.fromEntries(named("invented", 50).map((name) => [name, once]));
      for (const name of named("app", 100))
        buffer.add({ ...usage(name, features), quotaId: "key" });
      for (const name of named("real", 100)) expect(buffer.add(under("key", name))).toBe(true);
      expect(totalOf(buffer, "key", OTHER_APPLICATIONS)?.features["f"]?.yes).toBeGreaterThan(50);
      const counted = takeAll(buffer).map(({ features: { f } }) => f?.yes ?? 0);
      expect(counted.reduce((sum, count) => sum + count, 0)).toBe(100);
    });

    it("the same application under two quotas has two reports, which are released independently", () => {
      const buffer = createBuffer();
      buffer.add(under("one", "app"));
      buffer.add(under("two", "app"));
      const [first, second] = takeAll(buffer);
      expect([first?.quotaId, second?.quotaId]).toEqual(["one", "two"]);
      if (first !== undefined) buffer.release(first);
      expect(takeAll(buffer)).toEqual([{ ...second }]);
    });

    it("quotas alternate, so that one with many applications does not delay another", () => {
      const buffer = createBuffer();
      for (const name of named("many", 3)) buffer.add(under("noisy", name));
      buffer.add(under("quiet", "real"));
      const order = takeAll(buffer).map(({ appName }) => appName);
      expect(order).toEqual(["many-0", "real", "many-1", "many-2"]);
    });
  });

  describe("flags that the upstream did not send", () => {
    const limits = { ...USAGE_LIMITS, unknownFeatures: 2 };

    it("flags that the upstream did not send are omitted beyond a limit, unlike the others", () => {
      const onDropped = vi.fn();
      const buffer = createBuffer({
        limits,
        isKnown: (name) => name.startsWith("known"),
        onDropped,
      });
      expect(buffer.add(usage("a", { x: once, known: once, y: once, z: once }))).toBe(true);
      // A name that is stored already is always counted.
      expect(buffer.add(usage("a", { x: once, w: once, known2: once }))).toBe(true);
      expect(onDropped.mock.calls).toEqual([
        ["unknown_flag", 1],
        ["unknown_flag", 1],
      ]);
      const taken = take(buffer, "a");
      expect(Object.entries(taken?.features ?? {}).map(([name, { yes }]) => [name, yes])).toEqual([
        ["x", 2],
        ["known", 1],
        ["y", 1],
        ["known2", 1],
      ]);
      if (taken !== undefined) buffer.release(taken);
      expect(buffer.add(usage("a", { z: once }))).toBe(true);
      expect(Object.keys(take(buffer, "a")?.features ?? {})).toEqual(["z"]);
    });

    it("the journal contains only the flags that were counted", () => {
      const journal = vi.fn();
      const buffer = createBuffer({ limits, isKnown: () => false, journal });
      const reported = (names: readonly string[]): ApplicationUsage => ({
        ...usage("a", Object.fromEntries(names.map((name) => [name, once]))),
        quotaId: "key",
      });
      buffer.add(reported(["x", "y", "z"]));
      buffer.add(reported(["z"]));
      expect(journal.mock.calls).toEqual([["add", { usage: reported(["x", "y"]) }]]);
    });

    it("unknown flags of one quota do not count against the limit of another", () => {
      const buffer = createBuffer({ limits, isKnown: () => false });
      for (const quotaId of ["one", "two"]) {
        buffer.add({ ...usage("a", { x: once, y: once, z: once }), quotaId });
      }
      const names = takeAll(buffer).map(({ features }) => Object.keys(features));
      expect(names).toEqual([
        ["x", "y"],
        ["x", "y"],
      ]);
    });
  });

  it("never loses or invents a count, for any sequence of deliveries and failures", () => {
    const name = fc.constantFrom("f", "g", "__proto__", "constructor");
    const counts = fc.record({
      yes: fc.nat(),
      no: fc.nat(),
      variants: fc.dictionary(name, fc.nat()),
    });
    const step = fc.record({ app: name, feature: name, counts, isDelivered: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const buffer = createBuffer({ limits: USAGE_LIMITS });
        let counted = 0;
        let delivered = 0;
        for (const { app, feature, counts: added, isDelivered } of steps) {
          const taken = take(buffer, app);
          buffer.add(usage(app, Object.fromEntries([[feature, added]])));
          counted += sum(added);
          if (taken === undefined) continue;
          if (isDelivered) {
            buffer.release(taken);
            delivered += total(taken);
          }
        }
        const pending = takeAll(buffer).reduce((all, taken) => all + total(taken), 0);
        expect(delivered + pending).toBe(counted);
      }),
    );
  });
});
