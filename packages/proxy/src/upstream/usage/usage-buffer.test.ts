import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { FeatureUsage } from "flags-sdk";
import { AcceptedUsage } from "./accepted-usage.ts";
import type { ApplicationUsage } from "./application-usage.ts";
import type { TakenItem } from "./item-buffer.ts";
import {
  type FlagUsage,
  groupByApplication,
  joinFlags,
  MAX_VARIANTS,
  OTHER_APPLICATIONS,
} from "./usage-buffer.ts";

const NOW = 1_000_000;
const MIB = 1024 * 1024;

beforeAll(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterAll(() => void vi.useRealTimers());

/** By default, all flags are known, but no variants. */
const createBuffer = (
  options: Partial<ConstructorParameters<typeof AcceptedUsage>[0]> = {},
): AcceptedUsage =>
  new AcceptedUsage({
    maxBytes: 32 * MIB,
    isKnown: (_flag, variant) => variant === undefined,
    onDropped: () => {},
    ...options,
  });

const usage = (
  appName: string,
  features: Record<string, FeatureUsage>,
  startMs = NOW,
): ApplicationUsage => ({ appName, startMs, features, quotaId: "" });

const once = { yes: 1, no: 0 };

const named = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

const onceEach = (names: readonly string[]): Record<string, FeatureUsage> =>
  Object.fromEntries(names.map((name) => [name, once]));

const variantsOf = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries(names.map((name) => [name, 1]));

/** Adds usage of one flag. */
function count(buffer: AcceptedUsage, appName: string, flag: string, counts: FeatureUsage): void {
  buffer.add({ appName, startMs: Infinity, features: { [flag]: counts } });
}

const join = (taken: Iterable<TakenItem<FlagUsage>>): readonly ApplicationUsage[] =>
  groupByApplication(taken).map(joinFlags);

/** Returns all usage by application, as it would be sent. */
const contentOf = ({ usage: buffer }: AcceptedUsage): readonly ApplicationUsage[] =>
  join(buffer.values());

const namesIn = (buffer: AcceptedUsage): readonly string[] =>
  contentOf(buffer).map(({ appName }) => appName);

const countsOf = (buffer: AcceptedUsage, name: string, flag: string): FeatureUsage | undefined =>
  contentOf(buffer).find(({ appName }) => appName === name)?.features[flag];

const sum = ({ yes, no, variants = {} }: FeatureUsage): number =>
  Object.values(variants).reduce((total, one) => total + one, yes + no);

const total = (usages: readonly ApplicationUsage[]): number =>
  usages
    .flatMap(({ features }) => Object.values(features))
    .reduce((all, feature) => all + sum(feature), 0);

describe("UsageBuffer", () => {
  it("sums counts per application, flag and variant", () => {
    const buffer = createBuffer();
    count(buffer, "a", "f", once);
    count(buffer, "a", "f", { yes: 0, no: 1, variants: { red: 1 } });
    buffer.add(usage("a", { f: { yes: 3, no: 4, variants: { red: 1, blue: 2 } } }));
    buffer.add(usage("b", { f: once, unused: { yes: 0, no: 0, variants: { red: 0 } } }));
    expect(contentOf(buffer)).toEqual([
      usage("a", { f: { yes: 4, no: 5, variants: { red: 2, blue: 2 } } }),
      usage("b", { f: { yes: 1, no: 0, variants: {} } }),
    ]);
  });

  it("a delivery starts a new period, and a failed one does not", () => {
    const buffer = createBuffer();
    const startOf = () => contentOf(buffer).map(({ startMs }) => startMs);
    buffer.add(usage("a", { f: once }, 100));
    buffer.usage.take();
    buffer.add(usage("a", { f: once }, 200));
    expect(startOf()).toEqual([100]);
    const taken = buffer.usage.take();
    buffer.add(usage("a", { f: once }, 300));
    buffer.usage.release(taken);
    expect(startOf()).toEqual([300]);
  });

  it("release() removes delivered usage and keeps usage counted since", () => {
    const buffer = createBuffer();
    buffer.add(usage("a", { f: { yes: 1, no: 0, variants: { x: 1 } }, g: once }));
    const taken = buffer.usage.take();
    count(buffer, "a", "g", once);
    buffer.usage.release(taken);
    expect(contentOf(buffer)).toEqual([usage("a", { g: { ...once, variants: {} } })]);
    buffer.usage.release(buffer.usage.take());
    expect(buffer.isEmpty).toBe(true);
  });

  it("postpone() moves usage and its quota to the end of the order", () => {
    const buffer = createBuffer();
    for (const quotaId of ["one", "two"]) {
      for (const name of ["a", "b"]) buffer.add({ ...usage(name, { f: once }), quotaId });
    }
    const order = () =>
      buffer.usage.take().map(({ quotaId, item }) => `${quotaId} ${item.appName}`);
    expect(order()).toEqual(["one a", "two a", "one b", "two b"]);
    buffer.usage.postpone(buffer.usage.take().slice(0, 1));
    expect(order()).toEqual(["two a", "one b", "two b", "one a"]);
  });

  it("apply() adds, removes and replaces the counts of flags", () => {
    const buffer = createBuffer();
    const features = (yes: number, red: number) => ({ f: { yes, no: 1, variants: { red } } });
    buffer.apply("add", { usage: usage("a", { ...features(2, 3), g: once }, 1000) });
    buffer.apply("add", { usage: usage("a", features(1, 1), 500) });
    buffer.apply("remove", { usage: usage("a", { g: once }) });
    expect(contentOf(buffer)).toEqual([
      usage("a", { f: { yes: 3, no: 2, variants: { red: 4 } } }, 500),
    ]);
    buffer.apply("set", { usage: usage("a", { f: { ...once, variants: { blue: 1 } } }, 2000) });
    expect(contentOf(buffer)).toEqual([
      usage("a", { f: { ...once, variants: { blue: 1 } } }, 2000),
    ]);
    buffer.apply("remove", { usage: usage("a", { f: once, unknown: once }) });
    expect(buffer.isEmpty).toBe(true);
  });

  it("the cost does not depend on the counts, and sums saturate at the largest exact integer", () => {
    const buffer = createBuffer();
    const max = Number.MAX_SAFE_INTEGER;
    const many = usage("a", { f: { yes: 5e9, no: max, variants: { v: max } } });
    buffer.add(many);
    buffer.add(many);
    expect(countsOf(buffer, "a", "f")).toEqual({ yes: 1e10, no: max, variants: { v: max } });
  });

  it.each([Number.NaN, Infinity, -Infinity, -1, NOW + 1])(
    "replaces a start of %s with the current time",
    (startMs) => {
      const buffer = createBuffer();
      buffer.add(usage("a", { f: once }, startMs));
      expect(contentOf(buffer)[0]?.startMs).toBe(NOW);
    },
  );

  it("supports names of members of object prototypes", () => {
    const buffer = createBuffer();
    for (const name of ["__proto__", "constructor", "toString", "__proto__"]) {
      const variants = Object.fromEntries([[name, 1]]);
      buffer.add(usage(name, Object.fromEntries([[name, { ...once, variants }]])));
    }
    expect(namesIn(buffer)).toEqual(["__proto__", "constructor", "toString"]);
    expect(JSON.stringify(contentOf(buffer)[0]?.features)).toBe(
      '{"__proto__":{"yes":2,"no":0,"variants":{"__proto__":2}}}',
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
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
        const buffer = createBuffer();
        let counted = 0;
        let delivered = 0;
        for (const { app, feature, counts: added, isDelivered } of steps) {
          const taken = buffer.usage.take().filter(({ item }) => item.appName === app);
          buffer.add(usage(app, Object.fromEntries([[feature, added]])));
          counted += sum(added);
          if (!isDelivered) continue;
          buffer.usage.release(taken);
          delivered += total(join(taken));
        }
        expect(delivered + total(contentOf(buffer))).toBe(counted);
      }),
    );
  });
});

describe("limits", () => {
  /** The memory of usage of one flag. */
  const BYTES = 250 + 2 * "af".length;

  it("what exceeds the memory of a quota is counted for other applications, and so in the journal", () => {
    const journal = vi.fn();
    const buffer = createBuffer({ maxBytes: 4 * BYTES, journal });
    for (const name of ["a", "b", "c"]) {
      expect(buffer.add({ ...usage(name, { f: once }), quotaId: "key" })).toBe(true);
    }
    expect(journal).toHaveBeenLastCalledWith("add", {
      usage: expect.objectContaining({ appName: OTHER_APPLICATIONS, quotaId: "key" }) as unknown,
    });
    expect(namesIn(buffer)).toEqual(["a", "b", OTHER_APPLICATIONS]);
    // Usage of the same flag requires no more memory.
    buffer.add({ ...usage("a", { f: once }), quotaId: "key" });
    expect(countsOf(buffer, "a", "f")?.yes).toBe(2);
  });

  it("unknown flags and variants are not counted for other applications", () => {
    const onDropped = vi.fn();
    const isKnown = (flag: string, variant = "blue"): boolean => flag === "f" && variant === "blue";
    const buffer = createBuffer({ maxBytes: 4 * BYTES, isKnown, onDropped });
    for (const name of ["a", "b"]) buffer.add(usage(name, { f: once }));
    const features = { f: { ...once, variants: { blue: 1, red: 1 } }, x: once };
    expect(buffer.add(usage("c", features))).toBe(true);
    expect(onDropped.mock.calls).toEqual([
      ["unknown_flag", 1],
      ["variant", 1],
    ]);
    expect(countsOf(buffer, OTHER_APPLICATIONS, "f")).toEqual({ ...once, variants: { blue: 1 } });
    expect(countsOf(buffer, OTHER_APPLICATIONS, "x")).toBeUndefined();
  });

  it("unknown variants beyond 100 are omitted, and known ones are not", () => {
    const onDropped = vi.fn();
    const isKnown = (_flag: string, variant = "blue"): boolean => variant === "blue";
    const buffer = createBuffer({ isKnown, onDropped });
    const add = (variants: Record<string, number>): unknown =>
      buffer.add(usage("a", { f: { ...once, variants } }));
    const names = named("v", MAX_VARIANTS);
    add(variantsOf(names));
    add({ blue: 1, "v-0": 1, other: 1 });
    add({ blue: 1 });
    expect(onDropped.mock.calls).toEqual([["variant", 1]]);
    const variants = { ...variantsOf(names), "v-0": 2, blue: 2 };
    expect(countsOf(buffer, "a", "f")).toEqual({ yes: 3, no: 0, variants });
  });

  it("limits do not include delivered usage, but usage that is being sent", () => {
    const onDropped = vi.fn();
    const buffer = createBuffer({ maxBytes: 2 * BYTES, isKnown: () => false, onDropped });
    buffer.add(usage("a", { f: once, g: once }));
    expect(onDropped.mock.calls).toEqual([["unknown_flag", 1]]);
    const taken = buffer.usage.take();
    buffer.add(usage("b", { f: once }));
    expect(namesIn(buffer)).toEqual(["a"]);
    buffer.usage.release(taken);
    buffer.add(usage("b", { f: { ...once, variants: {} } }));
    expect(namesIn(buffer)).toEqual(["b"]);
  });

  it("add() returns false and adds nothing if the whole buffer is full", () => {
    const onDropped = vi.fn();
    const buffer = createBuffer({ maxBytes: 500, onDropped });
    expect(buffer.add(usage("a", onceEach(["f", "g"])))).toBe(false);
    expect(buffer.isEmpty).toBe(true);
    expect(onDropped).not.toHaveBeenCalled();
  });

  it("50,000 applications under one quota are accepted, and any others are counted together", () => {
    const buffer = createBuffer();
    const names = named("app", 70_000);
    for (const name of names) expect(buffer.add(usage(name, { f: once }))).toBe(true);
    const counted = contentOf(buffer);
    expect(counted.length).toBeGreaterThan(50_000);
    expect(counted.at(-1)).toMatchObject({ appName: OTHER_APPLICATIONS });
    expect(total(counted)).toBe(70_000);
  });

  it("10,000 flags of one application are accepted, with variants", () => {
    const features = Object.fromEntries(
      named("flag", 10_000).map((name) => [name, { ...once, variants: { a: 1, b: 1, c: 1 } }]),
    );
    const buffer = createBuffer();
    expect(buffer.add(usage("a", features))).toBe(true);
    expect(namesIn(buffer)).toEqual(["a"]);
  });

  it("unknown flags beyond 10,000 are omitted, unlike the others, and so in the journal", () => {
    const onDropped = vi.fn();
    const journal = vi.fn<(kind: unknown, content: { usage: ApplicationUsage }) => void>();
    const isKnown = (name: string): boolean => name.startsWith("known");
    const buffer = createBuffer({ isKnown, onDropped, journal: journal as never });
    buffer.add(usage("a", onceEach(named("x", 9_999))));
    journal.mockClear();
    expect(buffer.add(usage("a", onceEach(["y", "known", "z"])))).toBe(true);
    // A name that is stored already is always counted.
    expect(buffer.add(usage("a", onceEach(["y", "w", "known2"])))).toBe(true);
    expect(onDropped.mock.calls).toEqual([
      ["unknown_flag", 1],
      ["unknown_flag", 1],
    ]);
    const recorded = journal.mock.calls.map(([, { usage: added }]) => Object.keys(added.features));
    expect(recorded).toEqual([
      ["y", "known"],
      ["y", "known2"],
    ]);
    // The limit of another quota.
    buffer.add({ ...usage("a", onceEach(["z"])), quotaId: "other" });
    expect(onDropped).toHaveBeenCalledTimes(2);
    buffer.usage.release(buffer.usage.take());
    buffer.add(usage("a", onceEach(["z"])));
    expect(namesIn(buffer)).toEqual(["a"]);
  });
});

describe("quotas", () => {
  const under = (quotaId: string, appName: string): ApplicationUsage => ({
    ...usage(appName, { f: once }),
    quotaId,
  });

  it("a quota with invented flags cannot displace the usage of another", () => {
    const buffer = createBuffer({ maxBytes: 100_000, isKnown: () => false });
    for (const flag of named("invented", 10_000)) {
      buffer.add({ ...usage("app", { [flag]: once }), quotaId: "noisy" });
    }
    expect(Object.keys(contentOf(buffer)[0]?.features ?? {}).length).toBeGreaterThan(100);
    for (const name of named("real", 20)) buffer.add(under("quiet", name));
    expect(namesIn(buffer)).toHaveLength(21);
  });

  it("a quota with invented applications cannot displace the usage of another", () => {
    const buffer = createBuffer({ maxBytes: 100_000 });
    for (const name of named("invented", 1000)) buffer.add(under("noisy", name));
    for (const name of named("real", 20)) buffer.add(under("quiet", name));
    expect(namesIn(buffer).filter((name) => name.startsWith("real"))).toHaveLength(20);
  });

  it("inventing applications does not cause other reports with the same quota to be rejected", () => {
    const buffer = createBuffer({ maxBytes: 100_000, isKnown: (name) => name === "f" });
    const features = onceEach(named("invented", 50));
    for (const name of named("app", 100)) buffer.add({ ...usage(name, features), quotaId: "key" });
    for (const name of named("real", 100)) expect(buffer.add(under("key", name))).toBe(true);
    expect(countsOf(buffer, OTHER_APPLICATIONS, "f")?.yes).toBeGreaterThan(50);
    const counted = contentOf(buffer).map(({ features: { f } }) => f?.yes ?? 0);
    expect(counted.reduce((all, one) => all + one, 0)).toBe(100);
  });

  it("the same application under two quotas has two reports, which are released independently", () => {
    const buffer = createBuffer();
    buffer.add(under("one", "app"));
    buffer.add(under("two", "app"));
    buffer.usage.release(buffer.usage.take().slice(0, 1));
    expect(contentOf(buffer).map(({ quotaId }) => quotaId)).toEqual(["two"]);
  });

  it("quotas alternate, so that one with many applications does not delay another", () => {
    const buffer = createBuffer();
    for (const name of named("many", 3)) buffer.add(under("noisy", name));
    buffer.add(under("quiet", "real"));
    const order = buffer.usage.take().map(({ item }) => item.appName);
    expect(order).toEqual(["many-0", "real", "many-1", "many-2"]);
  });
});
