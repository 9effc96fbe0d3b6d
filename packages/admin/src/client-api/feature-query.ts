import { badData } from "../errors.ts";
import { type TokenScope, WILDCARD } from "../access/token.ts";

/** Which flags are asked for. */
export interface FeatureQuery {
  readonly environment: string;
  /** Ids, in order; undefined for all projects. */
  readonly projects: readonly string[] | undefined;
  readonly namePrefix: string;
  /** Each as `type:value`, in order; a flag has one of them. Empty for all flags. */
  readonly tags: readonly string[];
}

/** The filters of a request, as they were sent. */
export interface SentFilters {
  readonly project?: string | readonly string[];
  readonly namePrefix?: string;
  readonly tag?: string | readonly string[];
}

/**
 * What is asked for within what the token opens. Filters narrow that, and never widen it.
 *
 * @throws {ApiError} when a filter has no meaning
 */
export function readFeatureQuery(token: TokenScope, sent: SentFilters): FeatureQuery {
  return {
    environment: token.environment,
    projects: narrow(unlessEverything(token.projects), unlessEverything(toList(sent.project))),
    namePrefix: sent.namePrefix ?? "",
    tags: distinct(toList(sent.tag)?.map(checkTag) ?? []),
  };
}

function toList(sent: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof sent === "string" ? [sent] : sent;
}

function unlessEverything(projects: readonly string[] | undefined): readonly string[] | undefined {
  return projects?.includes(WILDCARD) ? undefined : projects;
}

function narrow(
  allowed: readonly string[] | undefined,
  wanted: readonly string[] | undefined,
): readonly string[] | undefined {
  if (allowed === undefined || wanted === undefined) {
    const projects = wanted ?? allowed;
    return projects === undefined ? undefined : distinct(projects);
  }
  return distinct(wanted.filter((project) => allowed.includes(project)));
}

/** In order, so that equal questions look alike. */
function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].toSorted();
}

const TAG = /^[^:]+:.+$/s;

function checkTag(tag: string): string {
  if (!TAG.test(tag)) throw badData("/query/tag", "must have the form `type:value`");
  return tag;
}
