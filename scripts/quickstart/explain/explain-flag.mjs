// Explains why a flag is on or off for a context.

import {
  activationProbe,
  constraintProbe,
  dependencyProbe,
  findBucket,
  isPartialRollout,
  segmentProbe,
  strategyProbe,
} from "./probes.mjs";
import {
  decidingField,
  describeActivation,
  describeConstraint,
  describeValue,
  joinValues,
  valueOf,
} from "./words.mjs";

const RANDOM = "random for each request";

/**
 * Explains the result of a flag.
 *
 * @returns `enabled`, or undefined if it is random; one sentence; and the rules of the flag
 */
export function explainFlag(probes, feature, context) {
  const { enabled, variant, isRandom } = probes.evaluate(feature.name, context);
  const parents = (feature.dependencies ?? []).map((parent, index) =>
    explainParent(probes, { feature, parent, index, context }),
  );
  const rules = feature.strategies.map((strategy, index) =>
    explainStrategy(probes, { feature, strategy, index, context }),
  );
  const isDecided = !isRandom || variant !== undefined;
  return {
    enabled: isDecided ? enabled : undefined,
    summary: summarize(feature, { enabled, parents, rules }),
    variantReason: variant === undefined ? undefined : explainVariant(feature, { rules, context }),
    rules: [...parents.map((part) => ({ holds: part.holds, parts: [part] })), ...rules],
  };
}

function summarize(feature, { enabled, parents, rules }) {
  if (!feature.enabled) return "It is switched off for everyone.";
  const missing = parents.find(({ holds }) => holds === false);
  if (missing) return `It requires that ${missing.text}.`;
  if (rules.length === 0) return "It is on for everyone.";
  const random = rules.find(({ holds }) => holds === undefined);
  const matching = rules.find(({ holds }) => holds === true);
  if (enabled && matching) return `${matching.parts.map(describeHolding).join("; ")}.`;
  if (random) return `${random.parts.map(describeHolding).join("; ")}.`;
  const failures = rules.map(({ parts }) => parts.find(({ holds }) => holds === false));
  const texts = new Set(failures.filter((part) => part !== undefined).map(describeFailure));
  return `On only ${[...texts].join("; or ")}.`;
}

function describeHolding({ text, actual, holds, isRollout }) {
  if (isRollout && holds !== false) return `On for ${text}: ${actual}`;
  return text === "everyone" ? "On for everyone" : `On because ${text}`;
}

function describeFailure({ text, actual, isRollout }) {
  return `${isRollout ? "for" : "if"} ${text}, but ${actual}`;
}

function explainParent(probes, { feature, parent, index, context }) {
  const { enabled, isRandom } = probes.evaluate(dependencyProbe(feature.name, index), context);
  const state = parent.enabled === false ? "off" : "on";
  const variants = parent.variants?.length > 0 ? ` with ${joinValues(parent.variants)}` : "";
  const text = `${parent.feature} is ${state}${variants}`;
  return { text, holds: isRandom ? undefined : enabled };
}

function explainStrategy(probes, { feature, strategy, index, context }) {
  const flag = feature.name;
  const read = (name) => {
    const { enabled, isRandom } = probes.evaluate(name, context);
    return isRandom ? undefined : enabled;
  };
  const constraints = (strategy.constraints ?? []).map((constraint, position) => ({
    text: describeConstraint(constraint),
    actual: describeValue(context, constraint.contextName),
    holds: read(constraintProbe(flag, index, position)),
  }));
  const segments = (strategy.segments ?? []).map((id) => ({
    ...explainSegment(probes.bySegmentId.get(id), context),
    holds: read(segmentProbe(flag, index, id)),
  }));
  const activation = {
    ...explainActivation(probes, { flag, strategy, index, context }),
    holds: read(activationProbe(flag, index)),
  };
  const isCondition = activation.text !== "everyone" || activation.holds === false;
  const conditions = [...constraints, ...segments];
  const parts = isCondition || conditions.length === 0 ? [...conditions, activation] : conditions;
  return { holds: read(strategyProbe(flag, index)), parts };
}

function explainSegment(segment, context) {
  if (segment === undefined) return { text: "the segment exists", actual: "it does not" };
  const { name, constraints } = segment;
  const fields = [...new Set(constraints.map(({ contextName }) => contextName))];
  return {
    text: `the segment ${name} applies (${constraints.map(describeConstraint).join("; ")})`,
    actual: fields.map((field) => describeValue(context, field)).join(" and "),
  };
}

function explainActivation(probes, { flag, strategy, index, context }) {
  const text = describeActivation(strategy);
  const isRollout = isPartialRollout(strategy);
  if (strategy.name !== "flexibleRollout") {
    return { text, actual: describeValue(context, "userId"), isRollout };
  }
  const field = decidingField(strategy.parameters?.stickiness, context);
  if (field === undefined) return { text, actual: RANDOM, isRollout };
  const bucket = isRollout ? findBucket(probes, { flag, index, context }) : undefined;
  const actual =
    bucket === undefined
      ? describeValue(context, field)
      : `${field} ${valueOf(context, field)} is in bucket ${bucket}`;
  return { text, actual, isRollout };
}

function explainVariant({ strategies, variants = [] }, { rules, context }) {
  const matching = strategies[rules.findIndex(({ holds }) => holds !== false)];
  const [first] = matching?.variants?.length > 0 ? matching.variants : variants;
  const field = decidingField(first?.stickiness || matching?.parameters?.stickiness, context);
  return field === undefined ? RANDOM : `chosen by ${field}`;
}
