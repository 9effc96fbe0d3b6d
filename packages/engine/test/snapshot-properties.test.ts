import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CompileOptions, Context, Snapshot } from "../src/index.ts";
import { ALL_FIELDS } from "./_random-values.ts";
import { randomContext } from "./_random-context.ts";
import { randomDocument } from "./_random-document.ts";
import type { RandomDocument } from "./_random-document.ts";
import { createChoices } from "./_random.ts";
import type { Choices } from "./_random.ts";
import { compileSubject } from "./_subject.ts";

// What holds for every document and every context.

const NOW_MS = 1_767_225_600_000;
const CONTEXTS = 5;

/** A clock that stands still and dice that always fall the same way, unless told otherwise. */
function compileStill(document: unknown, options: Partial<CompileOptions> = {}): Snapshot {
  return compileSubject(document, { now: () => NOW_MS, random: () => 0.5, ...options });
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

function answers(snapshot: Snapshot, context: Context): readonly number[] {
  return [...snapshot.evaluateAll(context).outcomes];
}

function forEverySample(check: (sample: Sample) => void, flagCount?: number): void {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      check(createSample(seed, flagCount));
    }),
    { numRuns: 300 },
  );
}

describe("Snapshot", { timeout: 60_000 }, () => {
  test("evaluateAll() agrees with evaluate() of each flag", () => {
    forEverySample(({ document, contexts }) => {
      const snapshot = compileStill(document);
      for (const context of contexts) {
        const oneByOne = snapshot.flags.map((_, index) => snapshot.evaluate(index, context));
        expect(answers(snapshot, context)).toEqual(oneByOne);
      }
    });
  });

  test("evaluateAll() gives the same answers again, and leaves earlier ones alone", () => {
    forEverySample(({ document, contexts }) => {
      const snapshot = compileStill(document);
      const first = contexts.map((context) => snapshot.evaluateAll(context).outcomes);
      const copies = first.map((outcomes) => [...outcomes]);
      const again = contexts.toReversed().map((context) => answers(snapshot, context));
      expect(again.toReversed()).toEqual(copies);
      expect(first.map((outcomes) => [...outcomes])).toEqual(copies);
    });
  });

  test("constantOutcome is the answer to every context", () => {
    let constants = 0;
    forEverySample(({ document, contexts }) => {
      const snapshot = compileStill(document);
      for (const context of contexts) {
        const all = answers(snapshot, context);
        const differing = snapshot.flags.filter(
          ({ constantOutcome }, index) =>
            constantOutcome !== undefined && constantOutcome !== all[index],
        );
        expect(differing).toEqual([]);
      }
      constants += snapshot.flags.filter((feature) => feature.constantOutcome !== undefined).length;
    });
    expect(constants).toBeGreaterThan(500);
  });

  test("outcomes start with off, and are frozen and distinct", () => {
    forEverySample(({ document }) => {
      for (const { outcomes } of compileStill(document).flags) {
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
      const [one, other] = [compileStill(document), compileStill(structuredClone(document))];
      expect(other.flags).toEqual(one.flags);
      expect(other.contextDependencies).toEqual(one.contextDependencies);
      expect(other.diagnostics).toEqual(one.diagnostics);
      for (const context of contexts) {
        expect(answers(other, context)).toEqual(answers(one, context));
      }
    });
  });
});

describe("Snapshot.contextDependencies", { timeout: 60_000 }, () => {
  test("a context field that is not named changes no answer", () => {
    let changes = 0;
    forEverySample(({ choices, document, contexts }) => {
      const snapshot = compileStill(document);
      const { fields } = snapshot.contextDependencies;
      const irrelevant = [...ALL_FIELDS, "unheard of"].filter((field) => !fields.includes(field));
      for (const context of contexts) {
        const field = choices.pick(irrelevant);
        const changed = changeField(context, field, randomContext(choices)[field] ?? "changed");
        expect(answers(snapshot, changed)).toEqual(answers(snapshot, context));
        changes += 1;
      }
    }, 2);
    expect(changes).toBeGreaterThan(1000);
  });

  test("a context stripped of all fields that are not named has the same answers", () => {
    forEverySample(({ document, contexts }) => {
      const snapshot = compileStill(document);
      for (const context of contexts) {
        const stripped = keepFields(context, snapshot.contextDependencies.fields);
        expect(answers(snapshot, stripped)).toEqual(answers(snapshot, context));
      }
    }, 2);
  });

  test("without readsClock the time changes no answer", () => {
    forEverySample(({ document, contexts }) => {
      const snapshot = compileStill(document);
      const later = compileStill(document, { now: () => NOW_MS + 1e12 });
      const earlier = compileStill(document, { now: () => 0 });
      if (snapshot.contextDependencies.readsClock) return;
      for (const context of contexts) {
        expect(answers(later, context)).toEqual(answers(snapshot, context));
        expect(answers(earlier, context)).toEqual(answers(snapshot, context));
      }
    }, 2);
  });

  test("without drawsRandom chance changes no answer", () => {
    let sure = 0;
    forEverySample(({ document, contexts }) => {
      const snapshot = compileStill(document);
      if (snapshot.contextDependencies.drawsRandom) return;
      sure += 1;
      for (const dice of [0, 0.1, 0.99]) {
        const other = compileStill(document, { random: () => dice });
        for (const context of contexts) {
          expect(answers(other, context)).toEqual(answers(snapshot, context));
        }
      }
    }, 2);
    expect(sure).toBeGreaterThan(50);
  });

  test("callsCustomStrategy is set when one may be called, and only then", () => {
    const strategies = [{ name: "custom", isEnabled: () => true }];
    const relevanceOf = (name: string): boolean => {
      const features = [{ name: "flag", enabled: true, strategies: [{ name, parameters: {} }] }];
      return compileStill({ features }, { strategies }).contextDependencies.callsCustomStrategy;
    };
    expect(relevanceOf("custom")).toBe(true);
    expect(relevanceOf("default")).toBe(false);
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
