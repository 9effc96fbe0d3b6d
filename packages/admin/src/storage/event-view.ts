import type { NewEvent } from "./events.ts";

/** Returns an event that has not been recorded in the form of recorded events. */
export function toEventView({ type, project, feature, environment, before, after }: NewEvent) {
  return {
    type,
    project: project ?? null,
    featureName: feature ?? null,
    environment: environment ?? null,
    preData: before ?? null,
    data: after ?? null,
  };
}
