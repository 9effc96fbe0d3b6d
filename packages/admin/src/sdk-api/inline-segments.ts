import type { StoredConstraint } from "../storage/schema/strategies.ts";
import type { ClientFeature, ClientStrategy } from "./client-feature.ts";
import type { SegmentEntry } from "./environment-state.ts";

/** What a strategy gets that names a segment which does not exist: nobody is in such a segment. */
const NEVER: StoredConstraint = {
  contextName: "userId",
  operator: "IN",
  values: [],
  inverted: false,
  caseInsensitive: false,
};

/** Copies the constraints of segments into the strategies that name them, for SDKs of old. */
export function inlineSegments(
  feature: ClientFeature,
  segments: ReadonlyMap<number, SegmentEntry>,
): ClientFeature {
  const inlined = ({ segments: ids = [], ...strategy }: ClientStrategy): ClientStrategy => ({
    ...strategy,
    constraints: [
      ...strategy.constraints,
      ...ids.flatMap((id) => segments.get(id)?.segment.constraints ?? [NEVER]),
    ],
  });
  return { ...feature, strategies: feature.strategies.map(inlined) };
}
