import fc from "fast-check";
import type { CompiledFeature, Snapshot } from "flags-engine";
import { expect, test } from "vitest";
import { createRenderer, type Rendering } from "./rendering.ts";
import { selectAll, selectEnabled, selectNamed } from "./select.ts";
import type { OutcomeVector } from "./stretch-table.ts";
import type { Dialect } from "./dialect.ts";
import { proxyDialect } from "../dialects/proxy.ts";

const OUTCOMES = [
  { enabled: false, variant: undefined, reason: "DISABLED" },
  { enabled: true, variant: undefined, reason: "STATIC" },
  { enabled: true, variant: { name: "blue" }, reason: "SPLIT" },
  {
    enabled: true,
    variant: { name: "disabled", payload: { type: "json", value: '"' } },
    reason: "SPLIT",
  },
] as const;

interface Preparation {
  readonly dialect?: Dialect;
  /** Outcomes of flags that have the same one for everybody, by their position. */
  readonly constants?: readonly (number | undefined)[];
}

/** A snapshot of these names in which every flag has every kind of outcome. */
function renderingOf(
  names: readonly string[],
  { dialect = proxyDialect, constants = [] }: Preparation = {},
): Rendering {
  const features = names.map((name, index): CompiledFeature => ({
    name,
    type: "release",
    project: "default",
    stale: false,
    impressionData: name.length % 2 === 0,
    outcomes: OUTCOMES,
    constantOutcome: constants[index],
  }));
  const snapshot: Snapshot = {
    revision: "",
    features,
    relevance: { fields: [], readsClock: false, drawsRandom: false, callsCustomStrategy: false },
    diagnostics: [],
    indexOf: (name) => names.indexOf(name),
    evaluate: () => 0,
    evaluateAll: () => ({ outcomes: new Int32Array(names.length), isRepeatable: true }),
  };
  return createRenderer(dialect).render(snapshot);
}

/** What an answer must be, written in the plainest way. */
function plainToggles({ snapshot }: Rendering, outcomes: OutcomeVector) {
  return snapshot.features.map(({ name, impressionData }, index) => {
    const { enabled, variant } = OUTCOMES[outcomes[index] ?? 0] ?? OUTCOMES[0];
    return {
      name,
      enabled,
      variant: variant
        ? { name: variant.name, enabled: true, payload: Reflect.get(variant, "payload") }
        : { name: "disabled", enabled: false },
      impressionData,
    };
  });
}

const names = fc.uniqueArray(fc.string({ unit: "binary" }), { maxLength: 12 });
const questions = names.chain((list) =>
  fc.record({
    list: fc.constant(list),
    outcomes: fc
      .array(fc.nat(3), { minLength: list.length, maxLength: list.length })
      .map((outcomes) => new Int32Array(outcomes)),
    asked: fc.array(fc.oneof(fc.constantFrom("x", "__proto__", ...list), fc.string())),
  }),
);

test("selectEnabled() and selectAll() write what JSON.stringify would", () => {
  fc.assert(
    fc.property(questions, ({ list, outcomes }) => {
      const rendering = renderingOf(list);
      const toggles = plainToggles(rendering, outcomes);
      expect(selectAll(rendering, outcomes).body().toString()).toBe(JSON.stringify({ toggles }));
      expect(selectEnabled(rendering, outcomes).body().toString()).toBe(
        JSON.stringify({ toggles: toggles.filter(({ enabled }) => enabled) }),
      );
    }),
  );
});

test("selectNamed() writes every name once, in the order asked, unknown ones as off", () => {
  fc.assert(
    fc.property(questions, ({ list, outcomes, asked }) => {
      const rendering = renderingOf(list);
      const known = new Map(
        plainToggles(rendering, outcomes).map((toggle) => [toggle.name, toggle]),
      );
      const variant = { name: "disabled", enabled: false };
      const toggles = [...new Set(asked)].map(
        (name) => known.get(name) ?? { name, enabled: false, variant, impressionData: false },
      );
      const answer = selectNamed(rendering, outcomes, asked);
      expect(answer.body().toString()).toBe(JSON.stringify({ toggles }));
    }),
  );
});

test("runs of constant flags are one piece, which changes neither body nor entity tag", () => {
  fc.assert(
    fc.property(questions, fc.func(fc.boolean()), ({ list, outcomes }, isConstant) => {
      const constants = [...outcomes].map((outcome, index) =>
        isConstant(index) ? outcome : undefined,
      );
      const [plain, joined] = [renderingOf(list), renderingOf(list, { constants })];
      for (const select of [selectEnabled, selectAll]) {
        expect(select(joined, outcomes).body()).toEqual(select(plain, outcomes).body());
        expect(select(joined, outcomes).entityTag()).toBe(select(plain, outcomes).entityTag());
      }
      const variable = constants.filter((outcome) => outcome === undefined).length;
      const { list: pieces } = joined.all.pieces(outcomes);
      expect(pieces.length).toBeLessThanOrEqual(variable + 1);
    }),
  );
});

test("entityTag() is equal exactly when the body is", () => {
  const tags = new Map<string, string>();
  const bodies = new Map<string, string>();
  fc.assert(
    fc.property(questions, ({ list, outcomes }) => {
      const answer = selectAll(renderingOf(list), outcomes);
      const [tag, body] = [answer.entityTag(), answer.body().toString()];
      expect(tags.get(body) ?? tag).toBe(tag);
      expect(bodies.get(tag) ?? body).toBe(body);
      tags.set(body, tag);
      bodies.set(tag, body);
    }),
    { numRuns: 2000 },
  );
});

test("pieces that were put together for one answer fit every other one", () => {
  const names = Array.from({ length: 12 }, (_, index) => `flag-${index}`);
  const rendering = renderingOf(names);
  const tags = new Set<string>();
  for (let bits = 0; bits < 4096; bits++) {
    const outcomes = Int32Array.from(names, (_, index) => (bits >> index) & 1);
    const answer = selectEnabled(rendering, outcomes);
    const fresh = selectEnabled(renderingOf(names), outcomes);
    expect(answer.body()).toEqual(fresh.body());
    expect(answer.entityTag()).toBe(fresh.entityTag());
    tags.add(answer.entityTag());
  }
  expect(tags.size).toBe(4096);
});

test("byteLength is that of the body", () => {
  fc.assert(
    fc.property(questions, ({ list, outcomes, asked }) => {
      const rendering = renderingOf(list);
      const answers = [selectAll(rendering, outcomes), selectNamed(rendering, outcomes, asked)];
      for (const answer of answers) {
        expect(answer.byteLength).toBe(Buffer.byteLength(answer.body().toString()));
      }
    }),
  );
});

test("createRenderer() writes each outcome of a flag once", () => {
  let written = 0;
  const counting: Dialect = {
    ...proxyDialect,
    writeFlag: (feature, outcome) => {
      written++;
      return proxyDialect.writeFlag(feature, outcome);
    },
  };
  const { render } = createRenderer(counting);
  const { snapshot } = renderingOf(["a", "b"]);
  for (const outcomes of [
    Int32Array.of(0, 1),
    Int32Array.of(1, 1),
    Int32Array.of(1, 0),
    Int32Array.of(0, 0),
  ]) {
    selectAll(render(snapshot), outcomes);
    selectEnabled(render(snapshot), outcomes);
    selectNamed(render(snapshot), outcomes, ["a", "b"]);
  }
  expect(written).toBe(4);
});
