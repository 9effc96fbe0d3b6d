import { useQuery } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import type { EnvironmentSummary } from "../api/types.ts";

type Place = Pick<EnvironmentSummary, "type"> & Partial<Pick<EnvironmentSummary, "protection">>;

/**
 * Whether people have to confirm a change in an environment first. Nothing else decides it.
 *
 * NOTE: environments of type production that are older than the protection have none, and asked before.
 */
export function asksBeforeChange({ type, protection = "none" }: Place): boolean {
  return protection !== "none" || type === "production";
}

/** Returns the same for environments of a flag, which do not say how they are protected. */
export function useAsksBeforeChange(): (
  environment: Pick<EnvironmentSummary, "name" | "type">,
) => boolean {
  const { data: environments = [] } = useQuery(queries.environments());
  return (environment) =>
    asksBeforeChange(environments.find(({ name }) => name === environment.name) ?? environment);
}
