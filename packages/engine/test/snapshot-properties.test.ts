import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fuzzRuns } from "../../../scripts/test-size.ts";
import type { CompileOptions, Context, Snapshot } from "../src/index.ts";
import { compileDocument } from "./_evaluators.ts";
import { randomContext } from "./_random-context.ts";
import { randomDocument } from "./_random-document.ts";
import type { RandomDocument } from "./_random-document.ts";
import { ALL_FIELDS } from "./_random-values.ts";
import { createChoices } from "./_random.ts";
import type { Choices } from "./_random.ts";

// Properties of every document and every context.

const NOW_MS = 1_767_225_600_000;
const CONTEXTS = 5;

/** Compiles with a fixed clock and a fixed random number, unless the options replace them. */
function compileFixed(document: unknown, options: Partial<CompileOptions> = {}): Snapshot {
  return compileDocument(document, { now: () => NOW_MS, random: () => 0.5, ...options });
}

interface Sample {
  readonly choices: Choices;
  readonly document: RandomDocument;
  readonly contexts: readonly Context[];
}

function createSample(seed: number, flagCount = Number.POSITIVE_INFINITY): Sample {
  const choices = createChoices(seed);
  const { features, ...rest } = randomDocument(choices, []);
  return {
    choices,
    document: { ...rest, features: features.slice(0, flagCount) },
    contexts: choices.list(CONTEXTS, () => randomContext(choices)),
  };
}

function outcomesOf(snapshot: Snapshot, context: Context): readonly number[] {
  return [...snapshot.evaluateAll(context).outcomes];
}

const SAMPLES = fuzzRuns(60, 300);

function forEverySample(check: (sample: Sample) => void, flagCount?: number): void {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      check(createSample(seed, flagCount));
    }),
    { numRuns: SAMPLES },
  );
}

describe("Snapshot", () => {
  test("evaluateAll() agrees with evaluate() of each flag", () => {
    forEverySample(({ document, contexts }) => {
      const snapshot = compileFixed(document);
      for (const context of contexts) {
        const oneByOne = snapshot.flags.map((_, index) => snapshot.evaluate(index, context));
        expect(outcomesOf(snapshot, context)).toEqual(oneByOne);
      }
    });
  });

  test("evaluateAll() returns the same outcomes again in a new vector", () => {
    forEverySample(({ document, contexts }) => {
      const snapshot = compileFixed(document);
      const first = contexts.map((context) => snapshot.evaluateAll(context).outcomes);
      const copies = first.map((outcomes) => [...outcomes]);
      const again = contexts.toReversed().map((context) => outcomesOf(snapshot, context));
      expect(again.toReversed()).toEqual(copies);
      expect(first.map((outcomes) => [...outcomes])).toEqual(copies);
    });
  });

  test("constantOutcome is the outcome for every context", () => {
    let constants = 0;
    forEverySample(({ document, contexts }) => {
      const snapshot = compileFixed(document);
      for (const context of contexts) {
        const all = outcomesOf(snapshot, context);
        const differing = snapshot.flags.filter(
          ({ constantOutcome }, index) =>
            constantOutcome !== undefined && constantOutcome !== all[index],
        );
        expect(differing).toEqual([]);
      }
      constants += snapshot.flags.filter((flag) => flag.constantOutcome !== undefined).length;
    });
    expect(constants).toBeGreaterThan(SAMPLES);
  });

  test("outcomes start with off, and are frozen and distinct", () => {
    forEverySample(({ document }) => {
      for (const { outcomes } of compileFixed(document).flags) {
        const [off, ...others] = outcomes;
        expect(off).toMatchObject({ enabled: false, variant: undefined });
        expect(others.every(({ enabled }) => enabled)).toBe(true);
        expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(
          outcomes.length,
        );
        expect(Object.isFrozen(outcomes) && outcomes.every((one) => Object.isFrozen(one))).toBe(
          true,
        );
      }
    });
  });

  test("compiles the same document to the same snapshot", () => {
    forEverySample(({ document, contexts }) => {
      const [one, other] = [compileFixed(document), compileFixed(structuredClone(document))];
      expect(other.flags).toEqual(one.flags);
      expect(other.contextDependencies).toEqual(one.contextDependencies);
      expect(other.diagnostics).toEqual(one.diagnostics);
      for (const context of contexts) {
        expect(outcomesOf(other, context)).toEqual(outcomesOf(one, context));
      }
    });
  });
});

describe("Snapshot.contextDependencies", () => {
  test("a context field that is not listed does not change any outcome", () => {
    let changes = 0;
    forEverySample(({ choices, document, contexts }) => {
      const snapshot = compileFixed(document);
      const { fields } = snapshot.contextDependencies;
      const irrelevant = [...ALL_FIELDS, "unknown field"].filter(
        (field) => !fields.includes(field),
      );
      for (const context of contexts) {
        const field = choices.pick(irrelevant);
        const changed = changeField(context, field, randomContext(choices)[field] ?? "changed");
        expect(outcomesOf(snapshot, changed)).toEqual(outcomesOf(snapshot, context));
        changes += 1;
      }
    }, 2);
    expect(changes).toBeGreaterThan(3 * SAMPLES);
  });

  test("a context without the fields that are not listed has the same outcomes", () => {
    forEverySample(({ document, contexts }) => {
      const snapshot = compileFixed(document);
      for (const context of contexts) {
        const stripped = keepFields(context, snapshot.contextDependencies.fields);
        expect(outcomesOf(snapshot, stripped)).toEqual(outcomesOf(snapshot, context));
      }
    }, 2);
  });

  test("without readsClock the time does not change any outcome", () => {
    let compared = 0;
    forEverySample(({ document, contexts }) => {
      const snapshot = compileFixed(document);
      const later = compileFixed(document, { now: () => NOW_MS + 1e12 });
      const earlier = compileFixed(document, { now: () => 0 });
      if (snapshot.contextDependencies.readsClock) return;
      for (const context of contexts) {
        expect(outcomesOf(later, context)).toEqual(outcomesOf(snapshot, context));
        expect(outcomesOf(earlier, context)).toEqual(outcomesOf(snapshot, context));
        compared += 1;
      }
    }, 2);
    expect(compared).toBeGreaterThan(SAMPLES);
  });

  test("without drawsRandom the random number does not change any outcome", () => {
    let deterministic = 0;
    forEverySample(({ document, contexts }) => {
      const snapshot = compileFixed(document);
      if (snapshot.contextDependencies.drawsRandom) return;
      deterministic += 1;
      for (const randomNumber of [0, 0.1, 0.99]) {
        const other = compileFixed(document, { random: () => randomNumber });
        for (const context of contexts) {
          expect(outcomesOf(other, context)).toEqual(outcomesOf(snapshot, context));
        }
      }
    }, 2);
    expect(deterministic).toBeGreaterThan(SAMPLES / 6);
  });

  test("callsCustomStrategy is set only if a custom strategy may be called", () => {
    const strategies = [{ name: "custom", isEnabled: () => true }];
    const callsCustomStrategy = (name: string): boolean => {
      const features = [{ name: "flag", enabled: true, strategies: [{ name, parameters: {} }] }];
      return compileFixed({ features }, { strategies }).contextDependencies.callsCustomStrategy;
    };
    expect(callsCustomStrategy("custom")).toBe(true);
    expect(callsCustomStrategy("default")).toBe(false);
  });
});

/** Sets a field at the top level and under `properties`. */
function changeField(context: Context, field: string, value: unknown): Context {
  return { ...context, [field]: value, properties: { ...context.properties, [field]: value } };
}

function keepFields(context: Context, fields: readonly string[]): Context {
  const keep = (record: object): object =>
    Object.fromEntries(Object.entries(record).filter(([field]) => fields.includes(field)));
  return { ...keep(context), properties: keep(context.properties ?? {}) } as Context;
}
