import { compileActivation } from "../compile/compile-flag.ts";
import { compileConstraint } from "../constraints/compile-constraint.ts";
import { isOperatorName, OPERATORS } from "../constraints/operator-table.ts";
import { holds } from "../evaluate/condition.ts";
import type { Feature, MaybeConstraint, Strategy } from "../parse/model.ts";
import { parseListParameter } from "../strategies/lists.ts";
import {
  contextGroup,
  fixedGroup,
  parsePercentage,
  randomBucket,
  rolloutBucket,
  rolloutId,
} from "../strategies/rollouts.ts";
import { parameterText } from "../strategies/strategy.ts";
import type { Parameters } from "../strategies/strategy.ts";
import { findStrategyType } from "../strategies/strategy-table.ts";
import type { ListType, RolloutType } from "../strategies/strategy-table.ts";
import type {
  ActivationExplanation,
  ConstraintExplanation,
  ListExplanation,
  RolloutExplanation,
  SegmentExplanation,
  StrategyExplanation,
} from "./explanation.ts";
import { abbreviate, shorten } from "./scope.ts";
import type { ExplanationScope } from "./scope.ts";
import { describeActivation, describeConstraint } from "./sentences.ts";

/** Explains all parts, including those after one that does not match. */
export function explainStrategy(
  strategy: Strategy,
  feature: Feature,
  scope: ExplanationScope,
): StrategyExplanation {
  const constraints = strategy.constraints.map((one) => explainConstraint(one, scope));
  const segments = strategy.segments.map((id) => explainSegment(id, scope));
  const activation = explainActivation(strategy, feature, scope);
  return {
    name: strategy.name,
    matched: [...constraints, ...segments, activation].every(({ matched }) => matched),
    constraints,
    segments,
    activation,
  };
}

function explainActivation(
  strategy: Strategy,
  feature: Feature,
  scope: ExplanationScope,
): ActivationExplanation {
  const compilation = scope.compilation();
  const activation = compileActivation(strategy, feature, compilation.scope);
  const { name, parameters } = strategy;
  const isCustom = compilation.scope.customStrategies.has(name);
  const type = isCustom ? undefined : findStrategyType(name);
  const parts = {
    matched: holds(activation.condition, scope.request),
    ...(type?.kind === "list" && { list: describeList(type, parameters, scope) }),
    ...(type?.kind === "rollout" && { rollout: describeRollout(type, parameters, scope) }),
    ...compilation.problem(),
  };
  return { ...parts, explanation: describeActivation(parts, isCustom ? name : undefined) };
}

const ignore = (): void => undefined;

function describeList(
  { field, parameter }: ListType,
  parameters: Parameters,
  { hostname, fields, request }: ExplanationScope,
): ListExplanation {
  const actual = field === undefined ? hostname : request.read(fields.topLevelString(field));
  return {
    field: field ?? "hostname",
    values: abbreviate(parseListParameter(parameters, parameter, ignore), actual),
    actual: shorten(actual),
  };
}

function describeRollout(
  { parameter, stickiness: field }: RolloutType,
  parameters: Parameters,
  scope: ExplanationScope,
): RolloutExplanation {
  const { fields, request } = scope;
  const percentage = parsePercentage(parameters, parameter, ignore);
  if (field === "random") return { percentage, stickiness: field, bucket: randomBucket(request) };
  const stickiness = field ?? (parameters["stickiness"] || "default");
  const id = request.read(
    field === undefined ? rolloutId(stickiness, fields) : fields.topLevelTruthyText(field),
  );
  const groupOfContext = field === undefined ? request.read(contextGroup(fields)) : null;
  const groupId = fixedGroup(parameters) ?? groupOfContext ?? "";
  return {
    percentage,
    stickiness: parameterText(stickiness),
    ...scope.describeId(id, parameterText(stickiness)),
    groupId,
    ...(id && { bucket: rolloutBucket(id, groupId) }),
  };
}

function explainConstraint(
  constraint: MaybeConstraint,
  scope: ExplanationScope,
): ConstraintExplanation {
  const compilation = scope.compilation();
  const matched = holds(compileConstraint(constraint, compilation.scope), scope.request);
  if (constraint === undefined) return { ...MALFORMED, matched };
  const { contextName, operator, inverted, caseInsensitive, values, value } = constraint;
  const isDate = isOperatorName(operator) && OPERATORS[operator].kind === "date";
  const actual = isDate ? currentTime(scope) : scope.textOf(contextName);
  const parts = {
    contextName: isDate ? "currentTime" : contextName,
    operator,
    inverted,
    caseInsensitive,
    ...(values !== undefined && values.length > 0 && { values: abbreviate(values, actual) }),
    ...(value !== undefined && { value: typeof value === "string" ? shorten(value) : value }),
    actual,
    matched,
    ...compilation.problem(),
  };
  return { ...parts, explanation: describeConstraint(parts) };
}

const MALFORMED_PROBLEM = "The constraint is malformed: it is never satisfied";

const MALFORMED: ConstraintExplanation = {
  contextName: "",
  operator: "",
  inverted: false,
  caseInsensitive: false,
  actual: null,
  matched: false,
  explanation: MALFORMED_PROBLEM,
  problem: MALFORMED_PROBLEM,
};

function currentTime(scope: ExplanationScope): string | null {
  const timeMs = scope.request.read(scope.fields.currentTimeMs());
  // oxlint-disable-next-line no-restricted-globals -- converts a given time, never reads the clock
  return Number.isNaN(timeMs) ? null : new Date(timeMs).toISOString();
}

function explainSegment(id: unknown, scope: ExplanationScope): SegmentExplanation {
  const segment = scope.compilation().scope.document.segments.get(id);
  const text = typeof id === "string" ? id : (JSON.stringify(id) ?? "");
  if (segment === undefined) {
    const problem = `Segment ${text} is not in the document: the strategy never matches`;
    return { id: text, matched: false, constraints: [], explanation: problem, problem };
  }
  const constraints = segment.constraints.map((one) => explainConstraint(one, scope));
  const name = segment.name ?? text;
  const failed = constraints.find(({ matched }) => !matched);
  return {
    id: text,
    ...(segment.name !== undefined && { name: segment.name }),
    matched: failed === undefined,
    constraints,
    explanation:
      failed === undefined
        ? `the context is in the segment ${name}`
        : `the context is not in the segment ${name}: ${failed.explanation}`,
  };
}
