import type { QueryClient } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import { adminPath, request, requestVersioned } from "../api/request.ts";
import type { FlagEnvironment } from "../api/types.ts";
import type { ProposedChange } from "../changes/proposal.ts";
import { type StrategyDraft, toDraft } from "../strategies/strategy-draft.ts";
import { describeTurnedOn } from "./consequence.ts";

/** A flag in an environment. */
interface Place {
  readonly project: string;
  readonly flag: string;
  /** The name of the environment. */
  readonly environment: string;
}

interface Rules {
  readonly strategies: readonly StrategyDraft[];
  readonly variants: FlagEnvironment["variants"];
}

/** What a flag does in another environment, as it can be copied to one in which it has no strategy. */
export interface CopiedRules extends Rules {
  /** The environment whose rules they are. */
  readonly source: string;
  /** For whom the flag is on with them, for example "for 25% of users". */
  readonly reached: string;
  /** What they replace. */
  readonly replaced: Rules;
  /** The ETag of what they replace. */
  readonly etag: string | undefined;
}

function rulesPath({ project, flag, environment }: Place): string {
  return adminPath`/projects/${project}/features/${flag}/environments/${environment}/rules`;
}

/** Reads what could be copied to an environment in which a flag has no strategy: nothing if it has any. */
export async function readCopiedRules(
  client: QueryClient,
  place: Place,
): Promise<readonly CopiedRules[]> {
  const [flag, target, { segments }, { strategies: types }] = await Promise.all([
    client.fetchQuery(queries.flag(place.project, place.flag)),
    requestVersioned<Rules>(rulesPath(place)),
    client.fetchQuery(queries.segments()),
    client.fetchQuery(queries.strategyTypes()),
  ]);
  const { value: replaced, etag } = target;
  if (replaced.strategies.length > 0) return [];
  return flag.environments
    .filter(
      ({ name, strategies }) =>
        name !== place.environment && strategies.some(({ disabled }) => !disabled),
    )
    .map(({ name, strategies, variants }) => ({
      source: name,
      reached: describeTurnedOn(strategies, { segments, types }, ""),
      strategies: strategies.map(toDraft),
      variants: replaced.variants.length > 0 ? replaced.variants : variants,
      replaced,
      etag,
    }));
}

/** What a copy is as a part of a change request. */
export function proposeCopy(
  feature: string,
  { strategies, variants, replaced }: CopiedRules,
): readonly ProposedChange[] {
  return [
    ...strategies.map((payload) => ({ feature, action: "addStrategy" as const, payload })),
    ...(variants.length > replaced.variants.length
      ? [{ feature, action: "patchVariant" as const, payload: { variants } }]
      : []),
  ];
}

/** Gives a flag the rules and turns it on, unless somebody has changed it since they were read. Returns the new ETag. */
export async function copyAndTurnOn(
  place: Place,
  { strategies, variants, etag }: CopiedRules,
): Promise<string | undefined> {
  const body = { strategies, variants, enabled: true };
  return (await requestVersioned(rulesPath(place), { method: "PUT", body, ifMatch: etag })).etag;
}

/** Reverts a copy, unless somebody has changed the flag since then. */
export async function revertCopy(
  place: Place,
  { replaced }: CopiedRules,
  etag: string | undefined,
): Promise<void> {
  const { strategies, variants } = replaced;
  const body = { strategies, variants, enabled: false };
  await request(rulesPath(place), { method: "PUT", body, ifMatch: etag });
}
