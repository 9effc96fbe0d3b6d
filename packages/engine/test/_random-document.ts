import { FLAG_NAMES } from "./_random-values.ts";
import { dropUndefined, randomConstraint } from "./_random-constraint.ts";
import type { Json } from "./_random-constraint.ts";
import { SEGMENT_IDS, bareStrategy, randomStrategy, randomVariants } from "./_random-strategy.ts";
import type { Choices } from "./_random.ts";

/** The type of flags with a single rule. */
export const PROBE = "probe";

export interface RandomDocument {
  readonly version: 2;
  readonly features: readonly Json[];
  readonly segments: readonly Json[];
}

export function randomDocument(choices: Choices, customNames: readonly string[]): RandomDocument {
  const features = FLAG_NAMES.map((name) => randomFeature(name, choices, customNames));
  // The last of two flags with the same name is used.
  if (choices.chance(0.1)) {
    features.push(randomFeature(choices.pick(FLAG_NAMES), choices, customNames));
  }
  return { version: 2, features, segments: randomSegments(choices) };
}

function randomFeature(name: string, choices: Choices, customNames: readonly string[]): Json {
  return choices.chance(0.4)
    ? probe(name, choices, customNames)
    : mixedFeature(name, choices, customNames);
}

/** A flag with one strategy or one constraint, which alone determines the result. */
function probe(name: string, choices: Choices, customNames: readonly string[]): Json {
  const strategy = choices.chance(0.5)
    ? bareStrategy(choices, customNames)
    : { name: "default", parameters: {}, constraints: [randomConstraint(choices)] };
  return { name, type: PROBE, enabled: true, strategies: [strategy] };
}

function mixedFeature(name: string, choices: Choices, customNames: readonly string[]): Json {
  return dropUndefined({
    name,
    type: choices.pick(["release", "experiment", undefined]),
    project: "default",
    stale: choices.chance(0.1),
    impressionData: choices.chance(0.2),
    segments: choices.pick([undefined, [1]]),
    enabled: choices.weighted<unknown>([
      [90, true],
      [6, false],
      [2, choices.pick(["yes", 1, 0, null, undefined, ""])],
    ]),
    strategies: randomStrategies(choices, customNames),
    variants: choices.chance(0.5)
      ? randomVariants(choices)
      : choices.pick([[], null, undefined, "red"]),
    dependencies: randomDependencies(choices),
  });
}

function randomStrategies(choices: Choices, customNames: readonly string[]): unknown {
  if (choices.chance(0.02)) return choices.pick([undefined, null, {}, "default"]);
  const length = choices.pick([0, 1, 1, 1, 2, 2, 3]);
  return choices.list(length, () => randomStrategy(choices, customNames));
}

function randomDependencies(choices: Choices): unknown {
  if (choices.chance(0.7)) return choices.pick([[], undefined, undefined, null]);
  if (choices.chance(0.01)) return choices.pick(["alpha", [null]]);
  return choices.list(choices.pick([1, 1, 1, 2]), () => randomDependency(choices));
}

/** The parent may be any flag, including a missing flag, the flag itself, or one with parents. */
function randomDependency(choices: Choices): Json {
  return dropUndefined({
    feature: choices.chance(0.04) ? "not there" : choices.pick(FLAG_NAMES),
    enabled: choices.pick([true, undefined, undefined, null, false, 0]),
    variants: choices.pick([
      undefined,
      undefined,
      null,
      [],
      ["red"],
      ["red", "green", "blue"],
      ["disabled"],
      ["disabled", "ø", "", "red"],
    ]),
  });
}

function randomSegments(choices: Choices): readonly Json[] {
  return SEGMENT_IDS.filter(() => choices.chance(0.85)).map((id) =>
    dropUndefined({ id, name: `segment ${id}`, constraints: segmentConstraints(choices) }),
  );
}

function segmentConstraints(choices: Choices): unknown {
  const length = choices.pick([0, 1, 1, 2]);
  if (length > 0) return choices.list(length, () => randomConstraint(choices));
  return choices.pick([[], [], undefined, null]);
}
