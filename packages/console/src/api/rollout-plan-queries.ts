import { queryOptions } from "@tanstack/react-query";
import { adminPath, request } from "./request.ts";
import type { RolloutPlan } from "./types.ts";

/** The rollout plans of a flag in all environments. See `queries` for the key. */
export function rolloutPlansQuery(project: string, flag: string) {
  return queryOptions({
    queryKey: ["flag", project, flag, "rollout-plans"],
    queryFn: ({ signal }) =>
      request<{ readonly rolloutPlans: readonly RolloutPlan[] }>(
        adminPath`/projects/${project}/features/${flag}/rollout-plans`,
        { signal },
      ),
    select: ({ rolloutPlans }) => rolloutPlans,
  });
}
