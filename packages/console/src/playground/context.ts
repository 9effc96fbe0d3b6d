import { findStrategyType } from "../../../engine/src/strategies/strategy-table.ts";
import type { ContextField, FlagEnvironment, Segment } from "../api/types.ts";

/** Returns what a field is for, and which values to suggest. */
export function describeField(name: string, known: readonly ContextField[]) {
  const field = known.find((one) => one.name === name);
  return {
    description: field?.description ?? "",
    legalValues: (field?.legalValues ?? []).map(({ value, description = "" }) => ({
      id: value,
      label: value,
      ...(description !== "" && { description }),
    })),
  };
}

/**
 * The fields that the rules of a flag read in any environment, in the order of their first use: those of
 * constraints and segments, and those that decide about rollouts.
 */
export function fieldsOfFlag(
  flag: { readonly environments: readonly Pick<FlagEnvironment, "strategies">[] },
  segments: readonly Pick<Segment, "id" | "constraints">[],
): readonly string[] {
  const names = flag.environments.flatMap(({ strategies }) =>
    strategies.flatMap(({ name, constraints, segments: ids, parameters, variants }) => [
      fieldOfType(name, parameters["stickiness"]),
      ...constraints.map(({ contextName }) => contextName),
      ...segments
        .filter(({ id }) => ids.includes(id))
        .flatMap((segment) => segment.constraints.map(({ contextName }) => contextName)),
      ...variants.map(({ stickiness }) => toField(stickiness)),
    ]),
  );
  return [...new Set(names)].filter((name) => name !== "" && name !== "environment");
}

/** Returns the field that strategies of a type read themselves; empty if there is none. */
function fieldOfType(name: string, stickiness: string | undefined): string {
  const type = findStrategyType(name);
  switch (type?.kind) {
    case "list":
      return type.field ?? "";
    case "rollout":
      return toField(type.stickiness ?? stickiness);
    case "everyone":
    case undefined:
      return "";
    default:
      return type satisfies never;
  }
}

/** Returns the field that is hashed; empty if it is a random number. */
function toField(stickiness: string | undefined): string {
  if (stickiness === undefined || stickiness === "default") return "userId";
  return stickiness === "random" ? "" : stickiness;
}
