import { findStrategyType } from "../../../engine/src/strategies/strategy-table.ts";
import type { Constraint } from "../api/types.ts";
import { describeParts } from "../constraints/describe-constraint.ts";
import { operatorOf, takesList } from "../constraints/operators.ts";
import { describeSteps } from "../rollout-plans/plan-steps.ts";
import { describeStrategy, type Names } from "../strategies/describe-strategy.ts";
import {
  describeEntries,
  describeStrategyType,
  parseListParameter,
  wholePercentage,
} from "../strategies/strategy-labels.ts";
import { formatPercent } from "../ui/numbers.ts";
import { ownValue } from "../ui/own-value.ts";
import { formatTime } from "../ui/times.ts";
import { PAYLOAD_TYPES } from "../variants/payload.ts";
import { formatWeight } from "../variants/weights.ts";
import {
  fieldsOf,
  isObject,
  listAt,
  textAt,
} from "../../../admin/src/event-words/recorded-state.ts";

/**
 * Converts a recorded state to one whose fields and values are words, so that the differences between two of them can be
 * read. Strategies, constraints and variants become fields of their own; everything else stays as it is.
 */
export function toWords(state: unknown, names: Names): unknown {
  if (!isObject(state)) return state;
  if (isStrategy(state)) return strategyInWords(state, names);
  const { constraints, variants, strategies, steps, step, ...others } = state;
  return {
    ...others,
    // People count from 1.
    ...(typeof step === "number" ? { step: step + 1 } : { step }),
    ...(Array.isArray(steps) ? { steps: describeRecordedSteps(state) } : { steps }),
    ...(Array.isArray(strategies)
      ? { strategies: strategies.map((strategy) => toWords(strategy, names)) }
      : { strategies }),
    ...(Array.isArray(constraints) ? constraintsInWords(constraints) : { constraints }),
    ...(Array.isArray(variants) ? variantsInWords(variants) : { variants }),
  };
}

type State = Readonly<Record<string, unknown>>;

function isStrategy(state: State): boolean {
  return typeof state["name"] === "string" && isObject(state["parameters"]);
}

/** Returns a recorded strategy in a sentence, for example "25% of users whose country is DE"; undefined if it has no rules. */
export function describeRecordedStrategy(state: unknown, names: Names): string | undefined {
  if (!isObject(state) || !isStrategy(state)) return undefined;
  return describeStrategy(
    {
      name: textAt(state, "name"),
      parameters: parametersOf(state),
      constraints: listAt(state, "constraints").map(toConstraint),
      segments: segmentsOf(state),
      variants: [],
    },
    names,
  );
}

/** Writes the steps of a recorded rollout plan, for example "10% for 1 day, then 100%". */
export function describeRecordedSteps(state: unknown): string {
  return describeSteps(
    listAt(state, "steps").map((step) => {
      const { rollout, holdMinutes } = fieldsOf(step);
      return {
        rollout: Number(rollout),
        holdMinutes: typeof holdMinutes === "number" ? holdMinutes : null,
      };
    }),
  );
}

/** Returns a strategy in words, by the names of what people can change in it. */
function strategyInWords(state: State, names: Names): State {
  const name = textAt(state, "name");
  return {
    type: describeStrategyType(name, names.types).name,
    title: state["title"],
    ...(state["disabled"] === true && { disabled: true }),
    ...parametersInWords(name, parametersOf(state)),
    segments: segmentsOf(state).map(
      (id) => names.segments.find((segment) => segment.id === id)?.name ?? `segment ${id}`,
    ),
    ...constraintsInWords(listAt(state, "constraints")),
    ...variantsInWords(listAt(state, "variants")),
  };
}

/** Parameters whose names are no words. The others are named by the service. */
const PARAMETER_WORDS: Readonly<Record<string, string>> = {
  groupId: "group id",
  stickiness: "stickiness",
};

function parametersInWords(name: string, parameters: Readonly<Record<string, string>>): State {
  const type = findStrategyType(name);
  const rules = type === undefined || type.kind === "everyone" ? undefined : type.parameter;
  return Object.fromEntries(
    Object.entries(parameters).map(([parameter, text]) => {
      if (parameter !== rules) return [ownValue(PARAMETER_WORDS, parameter) ?? parameter, text];
      return type?.kind === "rollout"
        ? ["percentage", formatPercent(wholePercentage(text))]
        : [describeEntries(name).many, parseListParameter(text)];
    }),
  );
}

/** Each constraint is a field, such as "country is one of", with its values. */
function constraintsInWords(constraints: readonly unknown[]): State {
  return toFields(
    constraints.map((state) => {
      const constraint = toConstraint(state);
      const { field } = describeParts(constraint);
      const { phrase, negation, kind } = operatorOf(constraint.operator);
      const ignoresCase = constraint.caseInsensitive ? ", ignoring case," : "";
      const { value = "" } = constraint;
      return [
        `${field}${ignoresCase} ${constraint.inverted ? negation : phrase}`,
        takesList(constraint.operator)
          ? constraint.values
          : kind === "date"
            ? formatTime(value)
            : value,
      ];
    }),
  );
}

/** Each variant is a field with its share and payload. Contexts that always get it are another one. */
function variantsInWords(variants: readonly unknown[]): State {
  return toFields(
    variants.flatMap((variant) => {
      const field = `variant ${textAt(variant, "name")}`;
      return [
        [field, describeVariant(variant)] as const,
        ...listAt(variant, "overrides").map(
          (override) =>
            [
              `${field}, always for ${textAt(override, "contextName")}`,
              listAt(override, "values"),
            ] as const,
        ),
      ];
    }),
  );
}

function describeVariant(variant: unknown): string {
  const { weight, weightType, payload, stickiness } = fieldsOf(variant);
  return [
    `${typeof weight === "number" ? formatWeight(weight) : "a share"}${weightType === "fix" ? " (fixed)" : ""}`,
    ...(typeof stickiness === "string" && stickiness !== "default" ? [`by ${stickiness}`] : []),
    ...(isObject(payload)
      ? [
          `${ownValue(PAYLOAD_TYPES, textAt(payload, "type")) ?? "Payload"}: ${textAt(payload, "value", "")}`,
        ]
      : []),
  ].join(", ");
}

/** Two entries with the same name stay apart: the second one gets a number. */
function toFields(entries: readonly (readonly [string, unknown])[]): State {
  const fields = new Map<string, unknown>();
  for (const [name, value] of entries) {
    let unused = name;
    for (let count = 2; fields.has(unused); count += 1) unused = `${name} (${count})`;
    fields.set(unused, value);
  }
  return Object.fromEntries(fields);
}

function parametersOf(state: State): Readonly<Record<string, string>> {
  const entries = Object.entries(fieldsOf(state["parameters"]));
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

function segmentsOf(state: State): readonly number[] {
  return listAt(state, "segments").filter((id) => typeof id === "number");
}

function toConstraint(state: unknown): Constraint {
  const { inverted, caseInsensitive } = fieldsOf(state);
  return {
    contextName: textAt(state, "contextName", ""),
    operator: textAt(state, "operator", "IN"),
    values: listAt(state, "values").map(String),
    value: textAt(state, "value", ""),
    inverted: inverted === true,
    caseInsensitive: caseInsensitive === true,
  };
}
