import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import type { ContextField, ContextFieldSummary } from "../api/types.ts";

/** The context fields that may be used on this page: on pages of a project, also those of the project. */
export function useAvailableFields(): readonly ContextFieldSummary[] {
  const { project } = useParams({ strict: false });
  const { data = [] } = useQuery(queries.contextFields(project));
  return data;
}

/** The values that a context field allows. Empty if it allows all. */
export function legalValuesOf(fields: readonly ContextField[], name: string): readonly string[] {
  const field = fields.find((entry) => entry.name === name);
  return field?.legalValues.map(({ value }) => value) ?? [];
}
