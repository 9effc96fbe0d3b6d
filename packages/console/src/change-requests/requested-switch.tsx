import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { changeRequestQueries } from "../api/change-request-queries.ts";
import type { ChangeRequestSummary } from "../api/types.ts";

/** Finds the open request that turns a flag on or off in an environment: the user's draft, or one that others see. */
export type FindSwitch = (flag: string, environment: string) => ChangeRequestSummary | undefined;

/** Returns a function for the requests of a project. The function changes only with them. */
export function useRequestedSwitches(project: string): FindSwitch {
  const { data: open } = useQuery(changeRequestQueries.open(project));
  const byPlace = useMemo(() => indexSwitches(open ?? []), [open]);
  return useCallback((flag, environment) => byPlace.get(keyOf(flag, environment)), [byPlace]);
}

/** NOTE: a list can have thousands of flags, so it must not search all requests for each of them. */
function indexSwitches(
  open: readonly ChangeRequestSummary[],
): ReadonlyMap<string, ChangeRequestSummary> {
  // The user's own draft replaces those of others.
  const ownLast = [...open.filter((one) => !isDraft(one)), ...open.filter(isDraft)];
  return new Map(
    ownLast.flatMap((request) =>
      request.features
        .filter(({ changes }) => changes.some(({ action }) => action === "updateEnabled"))
        .map(({ name }) => [keyOf(name, request.environment), request] as const),
    ),
  );
}

function isDraft({ state }: Pick<ChangeRequestSummary, "state">): boolean {
  return state === "Draft";
}

function keyOf(flag: string, environment: string): string {
  return JSON.stringify([flag, environment]);
}

interface RequestedSwitchProps {
  readonly request: Pick<ChangeRequestSummary, "id" | "project" | "state" | "title">;
  /** Whether there is only space for one word. @default false */
  readonly isShort?: boolean;
}

/** Says that the switch beside it is a part of a change request, so that nobody requests the same again. */
export function RequestedSwitch({ request, isShort = false }: RequestedSwitchProps) {
  const { project, id, title } = request;
  const name = isDraft(request) ? "your change request" : title;
  const link = (text: string) => (
    <Link
      to="/projects/$project/change-requests/$id"
      params={{ project, id: String(id) }}
      title={`Waits in ${name}`}
    >
      {text}
    </Link>
  );
  return isShort ? link("requested") : <>Switching it is requested: it waits in {link(name)}.</>;
}
