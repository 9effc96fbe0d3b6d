import {
  BUILT_IN_STRATEGY_NAMES,
  explain,
  type Explanation,
  type StrategyExplanation,
} from "flags-engine";
import type { ClientFeature } from "../client-api/client-feature.ts";
import type {
  PlaygroundEnvironment,
  PlaygroundFeature,
  StoredStrategy,
} from "./load-playground.ts";
import type { Context } from "./schemas.ts";

const BUILT_IN: ReadonlySet<string> = new Set(BUILT_IN_STRATEGY_NAMES);
const NO_VARIANT = { name: "disabled", enabled: false };

/** Evaluates a flag of an environment for a context, in the form of the playground API. */
export function evaluateFeature(
  environment: PlaygroundEnvironment,
  feature: PlaygroundFeature,
  context: Context,
) {
  const { name, project } = feature.feature;
  const explanation = explain(environment.snapshot, name, {
    appName: "playground",
    environment: environment.name,
    ...context,
  });
  if (explanation === undefined) throw new TypeError("The snapshot must contain every flag");
  const data = describeStrategies(environment, feature, explanation);
  return {
    name,
    projectId: project,
    isEnabled: explanation.enabled,
    isEnabledInCurrentEnvironment: explanation.enabledInEnvironment,
    hasUnsatisfiedDependency: explanation.dependencies.some(({ matched }) => !matched),
    strategies: {
      result: summarize(data),
      data: data.map((strategy) => ({
        ...strategy,
        links: { edit: linkTo(project, name, environment.name, strategy.id) },
      })),
    },
    variant: variantOf(explanation),
    variants: variantsOf(feature.feature, explanation),
    explanation: explanation.explanation,
    details: toDetails(explanation, feature),
  };
}

/**
 * Details of the evaluation that the rest of the result lacks: actual values, buckets, parents and
 * weights. Contains the strategies that were evaluated, in their order.
 */
function toDetails(
  { reason, mayChange, dependencies, strategies, decidedBy, variantSelection }: Explanation,
  feature: PlaygroundFeature,
) {
  const evaluated = feature.strategies.filter(({ disabled }) => !disabled);
  return {
    reason,
    mayChange,
    dependencies,
    strategies: strategies.map((strategy, index) => {
      const { id = "", title = null } = evaluated[index] ?? {};
      return { id, title, ...strategy };
    }),
    ...(decidedBy !== undefined && { decidedBy }),
    ...(variantSelection !== undefined && { variantSelection }),
  };
}

/** A custom strategy may match in an application, so the result can be unknown. */
function summarize(data: ReturnType<typeof describeStrategies>): boolean | "unknown" {
  const active = data.filter(({ disabled }) => !disabled);
  if (active.some(({ result }) => result.enabled === true)) return true;
  if (active.some(({ result }) => result.enabled === "unknown")) return "unknown";
  return false;
}

function describeStrategies(
  environment: PlaygroundEnvironment,
  { feature, strategies }: PlaygroundFeature,
  explanation: Explanation,
) {
  // Disabled strategies are not evaluated, so they have no explanation.
  let position = 0;
  return strategies.map((stored) => {
    const explained = stored.disabled ? undefined : explanation.strategies[position];
    const evaluated = stored.disabled ? undefined : feature.strategies[position];
    const isDeciding = !stored.disabled && position === explanation.decidedBy;
    if (!stored.disabled) position += 1;
    return {
      id: stored.id,
      name: stored.name,
      title: stored.title,
      disabled: stored.disabled,
      parameters: stored.parameters,
      result: {
        ...resultOf(stored, explained),
        ...(isDeciding && {
          variant: variantOf(explanation),
          ...(stored.variants.length > 0 && { variants: stored.variants }),
        }),
      },
      constraints: stored.constraints.map((constraint, index) => ({
        ...constraint,
        result: explained?.constraints[index]?.matched ?? false,
      })),
      segments: (evaluated?.segments ?? []).map((id, index) => {
        const { constraints = [], matched = false } = explained?.segments[index] ?? {};
        const segment = environment.segments.get(id)?.segment;
        return {
          id,
          name: segment?.name ?? "",
          result: matched,
          constraints: (segment?.constraints ?? []).map((constraint, each) => ({
            ...constraint,
            result: constraints[each]?.matched ?? false,
          })),
        };
      }),
    };
  });
}

interface StrategyResult {
  readonly enabled: boolean | "unknown";
  readonly evaluationStatus: "complete" | "incomplete" | "unevaluated";
  readonly reason?: string;
}

function resultOf(
  { name }: StoredStrategy,
  explained: StrategyExplanation | undefined,
): StrategyResult {
  if (explained === undefined) return { enabled: "unknown", evaluationStatus: "unevaluated" };
  if (BUILT_IN.has(name)) return { enabled: explained.matched, evaluationStatus: "complete" };
  const { constraints, segments } = explained;
  const mayMatch = [...constraints, ...segments].every(({ matched }) => matched);
  return {
    enabled: mayMatch ? "unknown" : false,
    evaluationStatus: "incomplete",
    reason: "strategy not found",
  };
}

function variantOf({ variant, enabled }: Explanation) {
  // Clients read either spelling.
  const ofFlag = { feature_enabled: enabled, featureEnabled: enabled };
  return variant === undefined
    ? { ...NO_VARIANT, ...ofFlag }
    : { ...variant, enabled: true, ...ofFlag };
}

/** Returns the variants from which one was selected: those of the strategy, or else those of the flag. */
function variantsOf({ strategies, variants }: ClientFeature, { decidedBy }: Explanation) {
  const ofStrategy = strategies[decidedBy ?? -1]?.variants ?? [];
  return ofStrategy.length > 0 ? ofStrategy : variants;
}

function linkTo(project: string, feature: string, environment: string, strategy: string): string {
  const query = new URLSearchParams({ environmentId: environment, strategyId: strategy });
  return `/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(feature)}/strategies/edit?${query.toString()}`;
}
