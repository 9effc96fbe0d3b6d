import fc from "fast-check";
import { type CompiledFlag, compileSnapshot, parseDocument, type Snapshot } from "flags-engine";
import { expect, test, vi } from "vitest";
import { anyCharacter } from "../../../../../scripts/any-character.ts";
import { fuzzRuns } from "../../../../../scripts/test-size.ts";
import { proxyFormat } from "../protocols/proxy.ts";
import { HttpError } from "../http/errors.ts";
import { evaluateFlags, type Selection } from "./evaluate-flags.ts";
import type { OutcomeVector } from "./flag-list.ts";
import { createRenderer, type FlagFormat } from "./rendering.ts";
import type { ResponseBody } from "../http/response-body.ts";

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

const EMPTY = compileSnapshot(parseDocument({ features: [] }), { now: () => 0, random: () => 0 });

/** A snapshot of these names in which every flag has every kind of outcome. */
function snapshotOf(
  names: readonly string[],
  outcomes: OutcomeVector,
  /** Outcomes of flags that have the same one for everybody, by their position. */
  constants: readonly (number | undefined)[] = [],
): Snapshot {
  const features = names.map((name, index): CompiledFlag => ({
    name,
    type: "release",
    project: "default",
    stale: false,
    impressionData: name.length % 2 === 0,
    outcomes: OUTCOMES,
    constantOutcome: constants[index],
  }));
  return {
    revision: "",
    flags: features,
    contextDependencies: {
      fields: [],
      readsClock: false,
      drawsRandom: false,
      callsCustomStrategy: false,
    },
    diagnostics: [],
    origin: EMPTY.origin,
    indexOf: (name) => names.indexOf(name),
    evaluate: (index) => outcomes[index] ?? 0,
    evaluateAll: () => ({
      outcomes,
      isRepeatable: true,
      isPredictable: true,
      hasRead: () => false,
    }),
  };
}

function bodyOf(snapshot: Snapshot, selection: Selection): ResponseBody {
  return evaluateFlags(createRenderer(proxyFormat), snapshot, {}, selection).body;
}

function textOf(snapshot: Snapshot, selection: Selection): string {
  return bodyOf(snapshot, selection).toBuffer().toString();
}

/** The expected toggles, in a simple implementation. */
function expectedToggles(snapshot: Snapshot, outcomes: OutcomeVector) {
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

const names = fc.uniqueArray(fc.string({ unit: anyCharacter }), { maxLength: 12 });
const requests = names.chain((list) =>
  fc.record({
    list: fc.constant(list),
    outcomes: fc
      .array(fc.nat(3), { minLength: list.length, maxLength: list.length })
      .map((outcomes) => new Int32Array(outcomes)),
    requested: fc.array(
      fc.oneof(fc.constantFrom("x", "__proto__", ...list), fc.string({ unit: anyCharacter })),
    ),
  }),
);

test("a list equals the output of JSON.stringify()", () => {
  fc.assert(
    fc.property(requests, ({ list, outcomes }) => {
      const snapshot = snapshotOf(list, outcomes);
      const toggles = expectedToggles(snapshot, outcomes);
      expect(textOf(snapshot, { all: true })).toBe(JSON.stringify({ toggles }));
      const enabled = toggles.filter((toggle) => toggle.enabled);
      expect(textOf(snapshot, {})).toBe(JSON.stringify({ toggles: enabled }));
    }),
  );
});

test("a list contains each flag as often as requested, in the requested order, and unknown flags as off", () => {
  fc.assert(
    fc.property(requests, ({ list, outcomes, requested }) => {
      const snapshot = snapshotOf(list, outcomes);
      const known = new Map(
        expectedToggles(snapshot, outcomes).map((toggle) => [toggle.name, toggle]),
      );
      const variant = { name: "disabled", enabled: false };
      const toggles = requested.map(
        (name) => known.get(name) ?? { name, enabled: false, variant, impressionData: false },
      );
      expect(textOf(snapshot, { toggles: requested })).toBe(JSON.stringify({ toggles }));
    }),
  );
});

test("a request for thousands of unknown flags serializes one of them", () => {
  const writeUnknownFlag = vi.fn((name: string) => proxyFormat.writeUnknownFlag(name));
  const renderer = createRenderer({ ...proxyFormat, writeUnknownFlag });
  const toggles = Array.from({ length: 10_000 }, (_, index) => `unknown-${index}`);
  evaluateFlags(renderer, snapshotOf([], new Int32Array()), {}, { toggles });
  expect(writeUnknownFlag).toHaveBeenCalledOnce();
});

test("a single flag equals the output of JSON.stringify(), and an unknown one is a 404", () => {
  fc.assert(
    fc.property(requests, ({ list, outcomes }) => {
      const snapshot = snapshotOf(list, outcomes);
      for (const toggle of expectedToggles(snapshot, outcomes)) {
        expect(textOf(snapshot, { single: toggle.name })).toBe(JSON.stringify(toggle));
      }
      const unknown = `${list.join("")}?`;
      expect(() => bodyOf(snapshot, { single: unknown })).toThrow(
        expect.objectContaining({ statusCode: 404, errorCode: "FLAG_NOT_FOUND" }),
      );
    }),
  );
});

test("a single flag whose value the protocol cannot represent is an error in the format of the protocol", () => {
  const error = new HttpError(400, "No such type");
  const format: FlagFormat = { ...proxyFormat, toFlagError: () => error };
  const snapshot = snapshotOf(["a"], Int32Array.of(1));
  const renderer = createRenderer(format);
  expect(() => evaluateFlags(renderer, snapshot, {}, { single: "a" })).toThrow(error);
  expect(evaluateFlags(renderer, snapshot, {}, {}).body.toBuffer().toString()).toContain('"a"');
});

test("joining constant flags changes neither the body nor the entity tag", () => {
  fc.assert(
    fc.property(requests, fc.func(fc.boolean()), ({ list, outcomes }, isConstant) => {
      const constants = [...outcomes].map((outcome, index) =>
        isConstant(index) ? outcome : undefined,
      );
      const plain = snapshotOf(list, outcomes);
      const joined = snapshotOf(list, outcomes, constants);
      for (const selection of [{}, { all: true }]) {
        const [one, other] = [bodyOf(plain, selection), bodyOf(joined, selection)];
        // As text, because comparing the bytes one by one takes ten times as long.
        expect(other.toBuffer().toString()).toBe(one.toBuffer().toString());
        expect(other.entityTag).toBe(one.entityTag);
      }
    }),
  );
});

test.each([
  ["all flags", () => ({ all: true })],
  ["named flags", (list: readonly string[]) => ({ toggles: list })],
])("two entity tags are equal if and only if the bodies are: %s", (_title, toSelection) => {
  const tags = new Map<string, string>();
  const bodies = new Map<string, string>();
  fc.assert(
    fc.property(requests, ({ list, outcomes }) => {
      const listed = bodyOf(snapshotOf(list, outcomes), toSelection(list));
      const [tag, body] = [listed.entityTag, listed.toBuffer().toString()];
      expect(tags.get(body) ?? tag).toBe(tag);
      expect(bodies.get(tag) ?? body).toBe(body);
      tags.set(body, tag);
      bodies.set(tag, body);
    }),
    { numRuns: fuzzRuns(300, 2000) },
  );
});

test("byteLength is the length of the body in all of its forms", () => {
  fc.assert(
    fc.property(requests, ({ list, outcomes, requested }) => {
      const snapshot = snapshotOf(list, outcomes);
      for (const selection of [{ all: true }, { toggles: requested }]) {
        const body = bodyOf(snapshot, selection);
        // The first one is a string, the second one a buffer.
        for (const bytes of [body.bytesToSend(), body.bytesToSend(), body.toBuffer()]) {
          expect(bytes.toString("latin1")).toBe(body.toBuffer().toString("latin1"));
          expect(bytes.length).toBe(body.byteLength);
        }
      }
    }),
  );
});

test("each outcome of a flag is serialized once", () => {
  let written = 0;
  const renderer = createRenderer({
    ...proxyFormat,
    writeFlag: (feature, outcome) => {
      written++;
      return proxyFormat.writeFlag(feature, outcome);
    },
  });
  const outcomes = new Int32Array(2);
  const snapshot = snapshotOf(["a", "b"], outcomes);
  for (const combination of [
    [0, 1],
    [1, 1],
    [1, 0],
    [0, 0],
  ]) {
    outcomes.set(combination);
    for (const selection of [{ all: true }, {}, { toggles: ["a", "b"] }]) {
      evaluateFlags(renderer, snapshot, {}, selection);
    }
  }
  // Each of the two flags was off and on.
  expect(written).toBe(4);
});
