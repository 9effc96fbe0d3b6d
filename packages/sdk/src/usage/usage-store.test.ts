import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { ApplicationUsage, FeatureUsage } from "../flag-source.ts";
import { applicationBytes, entryBytes, OTHER_APPLICATIONS, USAGE_LIMITS } from "./usage-limits.ts";
import { UsageStore } from "./usage-store.ts";

const NOW = 1_000_000;
const now = (): number => NOW;

const usage = (
  appName: string,
  features: Record<string, FeatureUsage>,
  startMs = NOW,
): ApplicationUsage => ({ appName, startMs, features, quotaId: "" });

const once = { yes: 1, no: 0 };

/** Takes all usage, as it would be sent. */
function takeAll(store: UsageStore): ApplicationUsage[] {
  return [...store.takeAll()];
}

/** Takes the usage of one application, as it would be sent. */
function take(store: UsageStore, appName: string): ApplicationUsage | undefined {
  let found: ApplicationUsage | undefined;
  for (const taken of store.takeAll()) {
    if (taken.appName === appName) found = taken;
    else store.putBack(taken);
  }
  return found;
}

const sum = ({ yes, no, variants = {} }: FeatureUsage): number =>
  Object.values(variants).reduce((total, count) => total + count, yes + no);

const total = (taken: ApplicationUsage): number =>
  Object.values(taken.features).reduce((all, feature) => all + sum(feature), 0);

describe("UsageStore", () => {
  it("sums counts per application, flag and variant", () => {
    const store = new UsageStore({ now });
    store.count("a", "f", once);
    store.count("a", "f", { yes: 0, no: 1, variants: { red: 1 } });
    store.add(usage("a", { f: { yes: 3, no: 4, variants: { red: 1, blue: 2 } } }));
    store.add(usage("b", { f: once }));
    expect(takeAll(store)).toEqual([
      usage("a", { f: { yes: 4, no: 5, variants: { red: 2, blue: 2 } } }),
      usage("b", { f: { yes: 1, no: 0, variants: {} } }),
    ]);
  });

  it("takeAll() starts a new period; putBack() restores the start of the previous one", () => {
    let nowMs = 100;
    const store = new UsageStore({ now: () => nowMs });
    store.count("a", "f", once);
    nowMs = 200;
    const taken = take(store, "a");
    expect(taken?.startMs).toBe(100);
    nowMs = 300;
    store.count("a", "f", once);
    if (taken !== undefined) store.putBack(taken);
    expect(take(store, "a")).toEqual(usage("a", { f: { yes: 2, no: 0, variants: {} } }, 100));
  });

  it("putBack() moves an application to the end of the order", () => {
    const store = new UsageStore({ now });
    store.add(usage("a", { f: once }));
    store.add(usage("b", { f: once }));
    const taken = take(store, "a");
    if (taken !== undefined) store.putBack(taken);
    expect(store.applications).toEqual(["b", "a"]);
  });

  it("release() removes delivered usage and keeps usage counted since", () => {
    const store = new UsageStore({ now });
    store.add(usage("a", { f: { yes: 1, no: 0, variants: { x: 1 } }, g: once }));
    const taken = take(store, "a");
    store.count("a", "g", once);
    if (taken !== undefined) store.release(taken);
    const rest = take(store, "a");
    expect(rest?.features).toEqual({ g: { yes: 1, no: 0, variants: {} } });
    if (rest !== undefined) store.release(rest);
    expect(store.applications).toEqual([]);
    expect(take(store, "a")).toBeUndefined();
  });

  it("totalOf() includes what is being sent, once", () => {
    const store = new UsageStore({ now });
    const counted = { ...usage("a", { f: once }), quotaId: "key" };
    store.add(counted);
    expect(store.totalOf("key", "a")).toEqual(counted);
    const [taken = counted] = takeAll(store);
    expect(store.totalOf("key", "a")).toEqual(counted);
    store.putBack(taken);
    expect(store.totalOf("key", "a")).toEqual(counted);
    const [again = counted] = takeAll(store);
    store.release(again);
    expect(store.totalOf("key", "a")).toBeUndefined();
  });

  it("keys lists the applications that the journal contains", () => {
    const journal = { add: vi.fn(), remove: vi.fn() };
    const store = new UsageStore({ now, journal });
    store.add(usage("own", { f: once }));
    const others = ["one", "two"].map((quotaId) => ({ ...usage("a", { f: once }), quotaId }));
    for (const other of others) store.add(other);
    expect(journal.add.mock.calls).toEqual(others.map((other) => [other]));
    expect(store.keys).toEqual([
      ["one", "a"],
      ["two", "a"],
    ]);
  });

  it("putBack() moves a quota to the end of the order", () => {
    const store = new UsageStore({ now });
    const one = { ...usage("of-one", { f: once }), quotaId: "one" };
    store.add(one);
    store.add({ ...usage("of-two", { f: once }), quotaId: "two" });
    const [taken = one] = takeAll(store);
    store.putBack(taken);
    expect(store.applications).toEqual(["of-two", "of-one"]);
  });

  it("the cost does not depend on the counts, and sums saturate at the largest exact integer", () => {
    const store = new UsageStore({ now });
    const many = usage("a", {
      f: { yes: 5e9, no: Number.MAX_SAFE_INTEGER, variants: { v: 1e300 } },
    });
    store.add(many);
    store.add(many);
    expect(take(store, "a")?.features).toEqual({
      f: { yes: 1e10, no: Number.MAX_SAFE_INTEGER, variants: { v: Number.MAX_SAFE_INTEGER } },
    });
  });

  it.each([-1, 1.5, Number.NaN, Infinity, -Infinity, "1", null, undefined, {}])(
    "ignores a count of %s",
    (count) => {
      const store = new UsageStore({ now });
      const bad = count as number;
      store.add(usage("a", { f: { yes: bad, no: bad, variants: { v: bad } } }));
      expect(store.applications).toEqual([]);
    },
  );

  it.each([Number.NaN, Infinity, -Infinity, -1, NOW + 1])(
    "replaces a start of %s with the current time",
    (startMs) => {
      const store = new UsageStore({ now });
      store.add(usage("a", { f: once }, startMs));
      expect(take(store, "a")?.startMs).toBe(NOW);
    },
  );

  it("supports names of members of object prototypes", () => {
    const store = new UsageStore({ now });
    for (const name of ["__proto__", "constructor", "toString"]) {
      const variants = Object.fromEntries([[name, 1]]);
      store.add(usage(name, Object.fromEntries([[name, { ...once, variants }]])));
    }
    const taken = takeAll(store);
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
      featuresPerApplication: 2,
      variantsPerFeature: 2,
      nameLength: 5,
    };

    const stored = [usage("a", { f: { ...once, variants: { v1: 1, v2: 1 } } })];

    it.each([
      ["a flag", usage("a", { toolong: once })],
      ["an application", usage("toolong", { f: once })],
    ])("add() returns false for %s with a long name, and counts nothing", (_title, rejected) => {
      const store = new UsageStore({ now, limits });
      expect(store.add(rejected)).toBe(false);
      expect(store.takeRejectedCount()).toBe(0);
      expect(takeAll(store)).toEqual([]);
    });

    it.each([
      // Its name has the maximum length.
      ["a third application", usage("third", { f: once })],
      ["a third feature", usage("a", { g: once, h: once })],
      ["a long name of a variant", usage("b", { f: { ...once, variants: { toolong: 1 } } })],
    ])("add() counts %s for the other applications, and so does the journal", (name, further) => {
      const journal = { add: vi.fn(), remove: vi.fn() };
      const store = new UsageStore({ now, limits, journal });
      const full = name === "a third application" ? [usage("b", { f: once })] : [];
      for (const taken of [...stored, ...full, further]) {
        expect(store.add({ ...taken, quotaId: "key" })).toBe(true);
      }
      expect(journal.add).toHaveBeenLastCalledWith(
        expect.objectContaining({ appName: OTHER_APPLICATIONS, quotaId: "key" }),
      );
      expect(takeAll(store).map(({ appName }) => appName)).toEqual([
        ...[...stored, ...full].map(({ appName }) => appName),
        OTHER_APPLICATIONS,
      ]);
    });

    it("add() omits unknown flags and variants from the other applications", () => {
      const onDropped = vi.fn();
      const journal = { add: vi.fn(), remove: vi.fn() };
      const isKnown = (flag: string, variant = "blue"): boolean =>
        flag.startsWith("f") && variant === "blue";
      const store = new UsageStore({ now, limits, isKnown, onDropped, journal });
      for (const name of ["a", "b"]) store.add({ ...usage(name, { f: once }), quotaId: "key" });
      const features = { f: { ...once, variants: { blue: 1, red: 1 } }, x: once };
      expect(store.add({ ...usage("c", features), quotaId: "key" })).toBe(true);
      expect(store.add({ ...usage("d", { y: once }), quotaId: "key" })).toBe(true);
      expect(onDropped.mock.calls).toEqual([
        ["unknown_flag", 1],
        ["variant", 1],
        ["unknown_flag", 1],
      ]);
      const counted = { f: { ...once, variants: { blue: 1 } } };
      const others = { ...usage(OTHER_APPLICATIONS, counted), quotaId: "key" };
      expect(journal.add).toHaveBeenLastCalledWith(others);
      expect(takeAll(store).at(-1)).toEqual(others);
    });

    it("add() counts only some variants if there are too many, and so does the journal", () => {
      const onDropped = vi.fn();
      const journal = { add: vi.fn(), remove: vi.fn() };
      const store = new UsageStore({ now, limits, onDropped, journal });
      const third = { f: { ...once, variants: { v1: 1, v3: 1 } }, g: once };
      for (const taken of [...stored, usage("a", third)]) {
        expect(store.add({ ...taken, quotaId: "key" })).toBe(true);
      }
      expect(onDropped.mock.calls).toEqual([["variant", 1]]);
      expect(journal.add).toHaveBeenLastCalledWith(
        expect.objectContaining({
          features: { f: { ...once, variants: { v1: 1 } }, g: once },
        }),
      );
      const [counted] = takeAll(store);
      expect(counted?.features["f"]).toEqual({ yes: 2, no: 0, variants: { v1: 2, v2: 1 } });
      const atOnce = { f: { ...once, variants: { x: 1, y: 1, z: 1 } } };
      expect(store.add(usage("b", atOnce))).toBe(true);
      expect(take(store, "b")?.features["f"]?.variants).toEqual({ x: 1, y: 1 });
    });

    it("add() counts all variants that the upstream sent, however many others were reported", () => {
      const isKnown = (_flag: string, variant = "blue"): boolean => variant === "blue";
      const store = new UsageStore({ now, limits, isKnown });
      for (const variants of [
        { v1: 1, v2: 1 },
        { blue: 1, v3: 1 },
        { v1: 1, blue: 1 },
      ]) {
        expect(store.add(usage("a", { f: { ...once, variants } }))).toBe(true);
      }
      expect(take(store, "a")?.features["f"]?.variants).toEqual({ v1: 2, v2: 1, blue: 2 });
    });

    it("count() rejects usage beyond a limit, and takeRejectedCount() returns the number of rejections", () => {
      const store = new UsageStore({ now, limits });
      for (const feature of ["f", "g", "h", "i", "f"]) store.count("a", feature, once);
      expect(store.takeRejectedCount()).toBe(2);
      expect(store.takeRejectedCount()).toBe(0);
      expect(Object.keys(takeAll(store)[0]?.features ?? {})).toEqual(["f", "g"]);
    });

    // Memory for one application with one flag, and the same again that must stay free.
    const bytes = 2 * (applicationBytes("a") + entryBytes("f"));
    const isUnknown = (): boolean => false;

    it("limits apply to the memory of all usage, and delivered usage frees its memory", () => {
      const onDropped = vi.fn();
      const store = new UsageStore({
        now,
        limits: { ...limits, bytes },
        isKnown: isUnknown,
        onDropped,
      });
      store.add(usage("a", { f: once, g: once }));
      expect(onDropped.mock.calls).toEqual([["unknown_flag", 2]]);
      store.add(usage("a", { f: once }));
      store.add(usage("b", { f: once }));
      expect(store.applications).toEqual(["a"]);
      const taken = take(store, "a");
      expect(taken?.features).toEqual({ f: { yes: 1, no: 0, variants: {} } });
      if (taken !== undefined) store.release(taken);
      store.add(usage("b", { g: { ...once, variants: {} } }));
      expect(store.applications).toEqual(["b"]);
    });

    it("add() returns false if even the entry for other applications does not fit", () => {
      const store = new UsageStore({ now, limits: { ...limits, bytes: 500 } });
      expect(store.add(usage("a", { f: once }))).toBe(false);
      expect(store.applications).toEqual([]);
    });

    it("limits do not include delivered variants, even if their flag has new usage", () => {
      const store = new UsageStore({ now, limits });
      store.add(usage("a", { f: { ...once, variants: { v1: 1, v2: 1 } } }));
      const taken = take(store, "a");
      store.count("a", "f", { ...once, variants: { v1: 1 } });
      if (taken !== undefined) store.release(taken);
      expect(store.add(usage("a", { f: { ...once, variants: { v3: 1 } } }))).toBe(true);
      expect(take(store, "a")?.features["f"]?.variants).toEqual({ v1: 1, v3: 1 });
    });

    it("10,000 applications under one quota are accepted, and any others are counted together", () => {
      const store = new UsageStore({ now });
      const names = Array.from({ length: 10_002 }, (_, index) => `app-${index}`);
      for (const name of names) expect(store.add(usage(name, { f: once }))).toBe(true);
      const counted = takeAll(store);
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
      expect(new UsageStore({ now }).add(usage("a", features))).toBe(true);
    });

    it("limits include usage that is being sent, so that putting it back loses nothing", () => {
      const store = new UsageStore({ now, limits: { ...limits, bytes }, isKnown: isUnknown });
      store.add(usage("a", { f: once }));
      const taken = take(store, "a");
      store.add(usage("a", { g: once }));
      store.add(usage("b", { f: once }));
      if (taken !== undefined) store.putBack(taken);
      expect(takeAll(store)).toEqual([usage("a", { f: { yes: 1, no: 0, variants: {} } })]);
    });

    it("limits do not include applications without usage", () => {
      const store = new UsageStore({ now, limits });
      for (const appName of ["a", "b", "c"]) store.add(usage(appName, {}));
      expect(store.add(usage("d", { toolong: once }))).toBe(false);
      expect(store.applications).toEqual([]);
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
      const store = new UsageStore({ now, limits });
      for (const name of named("invented", 1000)) store.add(under("noisy", name));
      expect(store.applications).toHaveLength(51);
      for (const name of named("real", 25)) store.add(under("quiet", name));
      expect(store.applications).toHaveLength(51 + 25);
    });

    it("a quota with invented flags cannot displace the usage of another", () => {
      const store = new UsageStore({
        now,
        limits: { ...USAGE_LIMITS, bytes: 100_000 },
        isKnown: () => false,
      });
      for (const flag of named("invented", 10_000)) {
        store.add({ ...usage("app", { [flag]: once }), quotaId: "noisy" });
      }
      const counted = Object.keys(store.totalOf("noisy", "app")?.features ?? {});
      expect(counted.length).toBeGreaterThan(200);
      expect(counted.length).toBeLessThan(1000);
      for (const name of named("real", 20)) store.add(under("quiet", name));
      expect(store.applications).toHaveLength(21);
    });

    it("inventing applications does not cause other reports with the same quota to be rejected", () => {
      const limits = { ...USAGE_LIMITS, bytes: 100_000 };
      const store = new UsageStore({ now, limits, isKnown: (name) => name === "f" });
      const features = Object.fromEntries(named("invented", 50).map((name) => [name, once]));
      for (const name of named("app", 100)) store.add({ ...usage(name, features), quotaId: "key" });
      for (const name of named("real", 100)) expect(store.add(under("key", name))).toBe(true);
      expect(store.totalOf("key", OTHER_APPLICATIONS)?.features["f"]?.yes).toBeGreaterThan(50);
      const counted = takeAll(store).map(({ features: { f } }) => f?.yes ?? 0);
      expect(counted.reduce((sum, count) => sum + count, 0)).toBe(100);
    });

    it("the same application under two quotas has two reports, which are released independently", () => {
      const store = new UsageStore({ now });
      store.add(under("one", "app"));
      store.add(under("two", "app"));
      const [first, second] = takeAll(store);
      expect([first?.quotaId, second?.quotaId]).toEqual(["one", "two"]);
      if (first !== undefined) store.release(first);
      if (second !== undefined) store.putBack(second);
      expect(takeAll(store)).toEqual([{ ...second }]);
    });

    it("quotas alternate, so that one with many applications does not delay another", () => {
      const store = new UsageStore({ now });
      for (const name of named("many", 3)) store.add(under("noisy", name));
      store.add(under("quiet", "real"));
      const order = takeAll(store).map(({ appName }) => appName);
      expect(order).toEqual(["many-0", "real", "many-1", "many-2"]);
    });
  });

  describe("flags that the upstream did not send", () => {
    const limits = { ...USAGE_LIMITS, unknownFeatures: 2 };

    it("flags that the upstream did not send are omitted beyond a limit, unlike the others", () => {
      const onDropped = vi.fn();
      const store = new UsageStore({
        now,
        limits,
        isKnown: (name) => name.startsWith("known"),
        onDropped,
      });
      expect(store.add(usage("a", { x: once, known: once, y: once, z: once }))).toBe(true);
      // A name that is stored already is always counted.
      expect(store.add(usage("a", { x: once, w: once, known2: once }))).toBe(true);
      expect(onDropped.mock.calls).toEqual([
        ["unknown_flag", 1],
        ["unknown_flag", 1],
      ]);
      const taken = take(store, "a");
      expect(Object.entries(taken?.features ?? {}).map(([name, { yes }]) => [name, yes])).toEqual([
        ["x", 2],
        ["known", 1],
        ["y", 1],
        ["known2", 1],
      ]);
      if (taken !== undefined) store.release(taken);
      expect(store.add(usage("a", { z: once }))).toBe(true);
      expect(Object.keys(take(store, "a")?.features ?? {})).toEqual(["z"]);
    });

    it("the journal contains only the flags that were counted", () => {
      const journal = { add: vi.fn(), remove: vi.fn() };
      const store = new UsageStore({ now, limits, isKnown: () => false, journal });
      const reported = (names: readonly string[]): ApplicationUsage => ({
        ...usage("a", Object.fromEntries(names.map((name) => [name, once]))),
        quotaId: "key",
      });
      store.add(reported(["x", "y", "z"]));
      store.add(reported(["z"]));
      expect(journal.add.mock.calls).toEqual([[reported(["x", "y"])]]);
    });

    it("unknown flags of one quota do not count against the limit of another", () => {
      const store = new UsageStore({ now, limits, isKnown: () => false });
      for (const quotaId of ["one", "two"]) {
        store.add({ ...usage("a", { x: once, y: once, z: once }), quotaId });
      }
      const names = takeAll(store).map(({ features }) => Object.keys(features));
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
        const store = new UsageStore({ now, limits: USAGE_LIMITS });
        let counted = 0;
        let delivered = 0;
        for (const { app, feature, counts: added, isDelivered } of steps) {
          const taken = take(store, app);
          store.add(usage(app, Object.fromEntries([[feature, added]])));
          counted += sum(added);
          if (taken === undefined) continue;
          if (isDelivered) {
            store.release(taken);
            delivered += total(taken);
          } else store.putBack(taken);
        }
        const pending = takeAll(store).reduce((all, taken) => all + total(taken), 0);
        expect(delivered + pending).toBe(counted);
        expect(store.takeRejectedCount()).toBe(0);
      }),
    );
  });
});
