import fc from "fast-check";
import type { CompiledFlag, Snapshot } from "flags-engine";
import { expect, test } from "vitest";
import { createRenderer, type Rendering } from "./rendering.ts";
import type { OutcomeVector } from "./flag-list.ts";
import { selectFlags } from "./select.ts";
import type { Protocol } from "./protocol.ts";
import { proxyProtocol } from "../api/proxy/protocol.ts";

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

interface RenderingOptions {
  readonly protocol?: Protocol;
  /** Outcomes of flags that have the same one for everybody, by their position. */
  readonly constants?: readonly (number | undefined)[];
}

/** A snapshot of these names in which every flag has every kind of outcome. */
function renderingOf(
  names: readonly string[],
  { protocol = proxyProtocol, constants = [] }: RenderingOptions = {},
): Rendering {
  const features = names.map((name, index): CompiledFlag => ({
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
    flags: features,
    contextDependencies: {
      fields: [],
      readsClock: false,
      drawsRandom: false,
      callsCustomStrategy: false,
    },
    diagnostics: [],
    indexOf: (name) => names.indexOf(name),
    evaluate: () => 0,
    evaluateAll: () => ({ outcomes: new Int32Array(names.length), isRepeatable: true }),
  };
  return createRenderer(protocol).render(snapshot);
}

/** The expected toggles, written in the plainest way. */
function plainToggles({ snapshot }: Rendering, outcomes: OutcomeVector) {
  return snapshot.flags.map(({ name, impressionData }, index) => {
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
const requests = names.chain((list) =>
  fc.record({
    list: fc.constant(list),
    outcomes: fc
      .array(fc.nat(3), { minLength: list.length, maxLength: list.length })
      .map((outcomes) => new Int32Array(outcomes)),
    requested: fc.array(fc.oneof(fc.constantFrom("x", "__proto__", ...list), fc.string())),
  }),
);

test("selectFlags() writes what JSON.stringify would", () => {
  fc.assert(
    fc.property(requests, ({ list, outcomes }) => {
      const rendering = renderingOf(list);
      const toggles = plainToggles(rendering, outcomes);
      expect(selectFlags(rendering, outcomes, { all: true }).toBuffer().toString()).toBe(
        JSON.stringify({ toggles }),
      );
      expect(selectFlags(rendering, outcomes, {}).toBuffer().toString()).toBe(
        JSON.stringify({ toggles: toggles.filter(({ enabled }) => enabled) }),
      );
    }),
  );
});

test("selectFlags() writes each named flag once, in the requested order, unknown ones as off", () => {
  fc.assert(
    fc.property(requests, ({ list, outcomes, requested }) => {
      const rendering = renderingOf(list);
      const known = new Map(
        plainToggles(rendering, outcomes).map((toggle) => [toggle.name, toggle]),
      );
      const variant = { name: "disabled", enabled: false };
      const toggles = [...new Set(requested)].map(
        (name) => known.get(name) ?? { name, enabled: false, variant, impressionData: false },
      );
      const body = selectFlags(rendering, outcomes, { toggles: requested });
      expect(body.toBuffer().toString()).toBe(JSON.stringify({ toggles }));
    }),
  );
});

test("joining constant flags changes neither the body nor the entity tag", () => {
  fc.assert(
    fc.property(requests, fc.func(fc.boolean()), ({ list, outcomes }, isConstant) => {
      const constants = [...outcomes].map((outcome, index) =>
        isConstant(index) ? outcome : undefined,
      );
      const [plain, joined] = [renderingOf(list), renderingOf(list, { constants })];
      for (const selection of [{}, { all: true }]) {
        const [one, other] = [plain, joined].map((rendering) =>
          selectFlags(rendering, outcomes, selection),
        );
        expect(other?.toBuffer()).toEqual(one?.toBuffer());
        expect(other?.entityTag).toBe(one?.entityTag);
      }
    }),
  );
});

test("the entity tag of the same flags does not depend on how they were selected", () => {
  fc.assert(
    fc.property(requests, ({ list, outcomes }) => {
      const rendering = renderingOf(list);
      const all = selectFlags(rendering, outcomes, { all: true });
      expect(selectFlags(rendering, outcomes, { toggles: list }).entityTag).toBe(all.entityTag);
    }),
  );
});

test("two entity tags are equal exactly when the bodies are", () => {
  const tags = new Map<string, string>();
  const bodies = new Map<string, string>();
  fc.assert(
    fc.property(requests, ({ list, outcomes }) => {
      const listed = selectFlags(renderingOf(list), outcomes, { all: true });
      const [tag, body] = [listed.entityTag, listed.toBuffer().toString()];
      expect(tags.get(body) ?? tag).toBe(tag);
      expect(bodies.get(tag) ?? body).toBe(body);
      tags.set(body, tag);
      bodies.set(tag, body);
    }),
    { numRuns: 2000 },
  );
});

test("byteLength is the length of the body", () => {
  fc.assert(
    fc.property(requests, ({ list, outcomes, requested }) => {
      const rendering = renderingOf(list);
      const bodies = [
        selectFlags(rendering, outcomes, { all: true }),
        selectFlags(rendering, outcomes, { toggles: requested }),
      ];
      for (const body of bodies) {
        expect(body.byteLength).toBe(body.toBuffer().length);
      }
    }),
  );
});

test("createRenderer() writes each outcome of a flag once", () => {
  let written = 0;
  const counting: Protocol = {
    ...proxyProtocol,
    writeFlag: (feature, outcome) => {
      written++;
      return proxyProtocol.writeFlag(feature, outcome);
    },
  };
  const { render } = createRenderer(counting);
  const { snapshot } = renderingOf(["a", "b"]);
  for (const outcomes of [
    [0, 1],
    [1, 1],
    [1, 0],
    [0, 0],
  ].map((list) => Int32Array.from(list))) {
    for (const selection of [{ all: true }, {}, { toggles: ["a", "b"] }]) {
      selectFlags(render(snapshot), outcomes, selection);
    }
  }
  // Each of the two flags was off and on.
  expect(written).toBe(4);
});
