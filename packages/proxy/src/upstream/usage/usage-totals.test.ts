import { describe, expect, it } from "vitest";
import type { FeatureUsage } from "flags-sdk";
import type { ApplicationUsage } from "./application-usage.ts";
import { UsageTotals } from "./usage-totals.ts";

const usage = (
  features: Readonly<Record<string, FeatureUsage>>,
  startMs = 1000,
): ApplicationUsage => ({ quotaId: "key", appName: "app", startMs, features });

function totalsOf(...added: readonly ApplicationUsage[]): UsageTotals {
  const totals = new UsageTotals();
  for (const one of added) totals.add(one);
  return totals;
}

describe("UsageTotals", () => {
  it("add() sums counts by flag and variant, from the earliest start", () => {
    const totals = totalsOf(
      usage({ a: { yes: 1, no: 2, variants: { red: 1 } } }, 2000),
      usage({ a: { yes: 3, no: 4, variants: { red: 2, blue: 1 } }, b: { yes: 1, no: 0 } }, 1000),
      usage({ b: { yes: 0, no: 1 } }, 3000),
    );
    const features = {
      a: { yes: 4, no: 6, variants: { red: 3, blue: 1 } },
      b: { yes: 1, no: 1 },
    };
    expect(totals.get("key", "app")).toEqual(usage(features, 1000));
    expect([...totals.values()]).toEqual([usage(features, 1000)]);
    expect(totals.get("other", "app")).toBeUndefined();
  });

  it("add() never exceeds the largest exact integer", () => {
    const many = usage({ a: { yes: Number.MAX_SAFE_INTEGER, no: 0 } });
    expect(totalsOf(many, many).get("key", "app")).toEqual(many);
  });

  it("remove() subtracts counts, and forgets flags and variants without any", () => {
    const totals = totalsOf(
      usage({
        yes: { yes: 2, no: 1 },
        no: { yes: 1, no: 2 },
        variant: { yes: 1, no: 1, variants: { red: 2, blue: 1 } },
        none: { yes: 1, no: 1, variants: { red: 1 } },
      }),
    );
    totals.remove(
      usage({
        yes: { yes: 1, no: 1 },
        no: { yes: 1, no: 1 },
        // More than there is.
        variant: { yes: 2, no: 2, variants: { red: 1, blue: 2 } },
        none: { yes: 1, no: 1, variants: { red: 1 } },
        unknown: { yes: 1, no: 0 },
      }),
    );
    expect(totals.get("key", "app")).toEqual(
      usage({
        yes: { yes: 1, no: 0 },
        no: { yes: 0, no: 1 },
        variant: { yes: 0, no: 0, variants: { red: 1 } },
      }),
    );
  });

  it("remove() forgets applications without any counts", () => {
    const counted = usage({ a: { yes: 1, no: 0 } });
    const totals = totalsOf(counted);
    totals.remove(counted);
    expect(totals.get("key", "app")).toBeUndefined();
    expect([...totals.values()]).toEqual([]);
    totals.remove(counted);
    expect([...totals.values()]).toEqual([]);
  });

  it("set() replaces the counts of the flags that it contains, and the start", () => {
    const totals = totalsOf(usage({ a: { yes: 1, no: 1 }, b: { yes: 1, no: 1 } }));
    totals.set(usage({ a: { yes: 5, no: 0 } }, 2000));
    expect(totals.get("key", "app")).toEqual(
      usage({ a: { yes: 5, no: 0 }, b: { yes: 1, no: 1 } }, 2000),
    );
  });
});
