import { isObject } from "./parse/json.ts";

/** What a strategy gets that names a segment which does not exist: nobody is in such a segment. */
const NEVER = { contextName: "userId", operator: "IN", values: [] } as const;

/**
 * Copies the constraints of segments into the strategies that name them, for SDKs that do not know
 * segments. Features and strategies that are no objects stay as they are.
 */
export function inlineSegments(
  features: readonly unknown[],
  segments: readonly unknown[],
): readonly unknown[] {
  const constraintsById = new Map(
    segments.filter(isObject).map(({ id, constraints }) => [id, toList(constraints)]),
  );
  const inlined = (strategy: unknown): unknown => {
    if (!isObject(strategy)) return strategy;
    const { segments: ids, ...rest } = strategy;
    const added = toList(ids).flatMap((id) => constraintsById.get(id) ?? [NEVER]);
    return { ...rest, constraints: [...toList(rest["constraints"]), ...added] };
  };
  return features.map((feature) =>
    isObject(feature) && Array.isArray(feature["strategies"])
      ? { ...feature, strategies: feature["strategies"].map(inlined) }
      : feature,
  );
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
