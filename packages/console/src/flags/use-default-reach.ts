import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { queries } from "../api/queries.ts";
import { describeReached } from "../strategies/describe-strategy.ts";

/**
 * Returns a function that says for whom a flag of a project without an active strategy is on when it is turned on in an
 * environment: the service then adds the default strategy. The function changes only with the default strategies.
 */
export function useDefaultReach(project: string): (environment: string) => string {
  const { data: environments } = useQuery(queries.projectEnvironments(project));
  // NOTE: segments can be large, and few default strategies use one.
  const usesSegments = environments?.some(
    ({ defaultStrategy }) => (defaultStrategy?.segments.length ?? 0) > 0,
  );
  const { data: segments } = useQuery({ ...queries.segments(), enabled: usesSegments === true });
  return useCallback(
    (environment) => {
      const found = environments?.find(({ name }) => name === environment)?.defaultStrategy;
      return found === undefined
        ? "for everyone"
        : describeReached([found], { segments: segments ?? [], types: [] });
    },
    [environments, segments],
  );
}
