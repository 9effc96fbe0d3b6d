import parse from "semver/functions/parse.js";
import { isRecord } from "../parse/json.ts";

/** The first version of the client specification that has segments. */
const FIRST_VERSION_WITH_SEGMENTS = "4.2.0";

/** Replaces whatever is missing or malformed, as the parser does: no context satisfies it. */
const NEVER_SATISFIED = { contextName: "userId", operator: "IN", values: [] } as const;

/**
 * Returns whether an SDK that implements this version of the client specification supports
 * segments; undefined if the text is not a version.
 *
 * A prerelease precedes its release, so `4.2.0-beta.1` does not support segments. That is safe,
 * since every SDK supports inlined constraints.
 */
export function supportsSegments(clientSpec: string): boolean | undefined {
  const text = clientSpec.trim();
  const version = text.startsWith("v") ? null : parse(text);
  return version === null ? undefined : version.compare(FIRST_VERSION_WITH_SEGMENTS) >= 0;
}

/**
 * Copies the constraints of segments into the strategies that reference them, for SDKs that do not
 * support segments. Features and strategies that are not objects are returned unchanged.
 */
export function inlineSegments(
  features: readonly unknown[],
  segments: readonly unknown[],
): readonly unknown[] {
  const constraintsById = new Map(
    segments
      .filter(isRecord)
      .filter(({ id }) => id !== undefined)
      .map(({ id, constraints }) => [id, toConstraints(constraints)]),
  );
  const inlined = (strategy: unknown): unknown => {
    if (!isRecord(strategy)) return strategy;
    const { segments: ids, ...rest } = strategy;
    const added = toIds(ids).flatMap((id) => constraintsById.get(id) ?? [NEVER_SATISFIED]);
    return { ...rest, constraints: [...toConstraints(rest["constraints"]), ...added] };
  };
  return features.map((feature) =>
    isRecord(feature) && Array.isArray(feature["strategies"])
      ? { ...feature, strategies: feature["strategies"].map(inlined) }
      : feature,
  );
}

function toConstraints(value: unknown): readonly unknown[] {
  if (!value) return [];
  return Array.isArray(value) ? value : [NEVER_SATISFIED];
}

/** Anything but a list refers to a segment that does not exist. */
function toIds(value: unknown): readonly unknown[] {
  if (!value) return [];
  return Array.isArray(value) ? value : [undefined];
}
