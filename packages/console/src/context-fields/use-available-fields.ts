import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import type { ContextFieldSummary } from "../api/types.ts";

/** The context fields that may be used on this page: on pages of a project, also those of the project. */
export function useAvailableFields(): readonly ContextFieldSummary[] {
  const { project } = useParams({ strict: false });
  const { data = [] } = useQuery(queries.contextFields(project));
  return data;
}
