import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ApplicationUsage, FeatureUsage } from "../flag-source.ts";
import { USAGE_LIMITS } from "./limits.ts";
import { UsageStore } from "./usage-store.ts";

const NOW = 1_000_000;
const now = (): number => NOW;

const usage = (
  appName: string,
  features: Record<string, FeatureUsage>,
  startMs = NOW,
): ApplicationUsage => ({ appName, startMs, features });

const once = { yes: 1, no: 0 };

/** Everything the store holds, as it would be sent. */
function takeAll(store: UsageStore): ApplicationUsage[] {
  return store.applications.flatMap((appName) => store.take(appName) ?? []);
}

const sum = ({ yes, no, variants = {} }: FeatureUsage): number =>
  Object.values(variants).reduce((total, count) => total + count, yes + no);

const total = (taken: ApplicationUsage): number =>
  Object.values(taken.features).reduce((all, feature) => all + sum(feature), 0);

describe("UsageStore", () => {
  it("sums counts per application, flag and variant", () => {
    const store = new UsageStore(now);
    store.count("a", "f", once);
    store.count("a", "f", { yes: 0, no: 1, variants: { red: 1 } });
    store.add(usage("a", { f: { yes: 3, no: 4, variants: { red: 1, blue: 2 } } }));
    store.add(usage("b", { f: once }));
    expect(takeAll(store)).toEqual([
      usage("a", { f: { yes: 4, no: 5, variants: { red: 2, blue: 2 } } }),
      usage("b", { f: { yes: 1, no: 0, variants: {} } }),
    ]);
  });

  it("take() begins a new span; putBack() restores the old one", () => {
    let nowMs = 100;
    const store = new UsageStore(() => nowMs);
    store.count("a", "f", once);
    nowMs = 200;
    const taken = store.take("a");
    expect(taken?.startMs).toBe(100);
    nowMs = 300;
    store.count("a", "f", once);
    if (taken !== undefined) store.putBack(taken);
    expect(store.take("a")).toEqual(usage("a", { f: { yes: 2, no: 0, variants: {} } }, 100));
  });

  it("putBack() sends an application to the end of the line", () => {
    const store = new UsageStore(now);
    store.add(usage("a", { f: once }));
    store.add(usage("b", { f: once }));
    const taken = store.take("a");
    if (taken !== undefined) store.putBack(taken);
    expect(store.applications).toEqual(["b", "a"]);
  });

  it("release() forgets what was delivered and keeps what was counted since", () => {
    const store = new UsageStore(now);
    store.add(usage("a", { f: { yes: 1, no: 0, variants: { x: 1 } }, g: once }));
    const taken = store.take("a");
    store.count("a", "g", once);
    if (taken !== undefined) store.release(taken);
    const rest = store.take("a");
    expect(rest?.features).toEqual({ g: { yes: 1, no: 0, variants: {} } });
    if (rest !== undefined) store.release(rest);
    expect(store.applications).toEqual([]);
    expect(store.take("a")).toBeUndefined();
  });

  it("a count of 5e9 costs nothing and sums saturate at the largest exact integer", () => {
    const store = new UsageStore(now);
    const many = usage("a", {
      f: { yes: 5e9, no: Number.MAX_SAFE_INTEGER, variants: { v: 1e300 } },
    });
    store.add(many);
    store.add(many);
    expect(store.take("a")?.features).toEqual({
      f: { yes: 1e10, no: Number.MAX_SAFE_INTEGER, variants: { v: Number.MAX_SAFE_INTEGER } },
    });
  });

  it.each([-1, 1.5, Number.NaN, Infinity, -Infinity, "1", null, undefined, {}])(
    "a count of %s counts nothing",
    (count) => {
      const store = new UsageStore(now);
      const bad = count as number;
      store.add(usage("a", { f: { yes: bad, no: bad, variants: { v: bad } } }));
      expect(store.applications).toEqual([]);
    },
  );

  it.each([Number.NaN, Infinity, -Infinity, -1, NOW + 1])("a start of %s is now", (startMs) => {
    const store = new UsageStore(now);
    store.add(usage("a", { f: once }, startMs));
    expect(store.take("a")?.startMs).toBe(NOW);
  });

  it("names from object prototypes are names like any other", () => {
    const store = new UsageStore(now);
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
      applications: 2,
      featuresPerApplication: 2,
      variantsPerFeature: 2,
      entries: 8,
      nameLength: 5,
    };

    it("refuses applications, features, variants and names beyond them, and says how many", () => {
      const store = new UsageStore(now, limits);
      const variants = { v1: 1, v2: 1, v3: 1 };
      store.add(usage("a", { f: { ...once, variants }, g: once, h: once, toolong: once }));
      store.add(usage("b", { f: once }));
      store.add(usage("c", { f: once }));
      store.add(usage("toolong", { f: once }));
      expect(store.takeRefused()).toBe(5);
      expect(store.takeRefused()).toBe(0);
      expect(takeAll(store)).toEqual([
        usage("a", {
          f: { yes: 1, no: 0, variants: { v1: 1, v2: 1 } },
          g: { yes: 1, no: 0, variants: {} },
        }),
        usage("b", { f: { yes: 1, no: 0, variants: {} } }),
      ]);
    });

    it("bounds all entries together and frees those that were delivered", () => {
      const store = new UsageStore(now, { ...limits, entries: 2 });
      store.add(usage("a", { f: once, g: once }));
      expect(store.takeRefused()).toBe(1);
      const taken = store.take("a");
      expect(taken?.features).toEqual({ f: { yes: 1, no: 0, variants: {} } });
      if (taken !== undefined) store.release(taken);
      store.add(usage("b", { g: { ...once, variants: {} } }));
      expect(store.takeRefused()).toBe(0);
    });

    it("keep room for what is on its way, so that putting it back loses nothing", () => {
      const store = new UsageStore(now, { ...limits, entries: 2 });
      store.add(usage("a", { f: once }));
      const taken = store.take("a");
      store.add(usage("a", { g: once }));
      store.add(usage("b", { f: once }));
      if (taken !== undefined) store.putBack(taken);
      expect(takeAll(store)).toEqual([usage("a", { f: { yes: 1, no: 0, variants: {} } })]);
    });

    it("an application without any usage takes no room", () => {
      const store = new UsageStore(now, limits);
      for (const appName of ["a", "b", "c"]) store.add(usage(appName, {}));
      store.add(usage("d", { toolong: once }));
      expect(store.applications).toEqual([]);
    });
  });

  it("never loses or invents a count, whatever is delivered and whatever comes back", () => {
    const name = fc.constantFrom("f", "g", "__proto__", "constructor");
    const counts = fc.record({
      yes: fc.nat(),
      no: fc.nat(),
      variants: fc.dictionary(name, fc.nat()),
    });
    const step = fc.record({ app: name, feature: name, counts, isDelivered: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const store = new UsageStore(now, USAGE_LIMITS);
        let counted = 0;
        let delivered = 0;
        for (const { app, feature, counts: added, isDelivered } of steps) {
          const taken = store.take(app);
          store.add(usage(app, Object.fromEntries([[feature, added]])));
          counted += sum(added);
          if (taken === undefined) continue;
          if (isDelivered) {
            store.release(taken);
            delivered += total(taken);
          } else store.putBack(taken);
        }
        const held = takeAll(store).reduce((all, taken) => all + total(taken), 0);
        expect(delivered + held).toBe(counted);
        expect(store.takeRefused()).toBe(0);
      }),
    );
  });
});
