import { badData } from "../errors.ts";
import { type TokenScope, WILDCARD } from "../access/token.ts";
import { sortDistinct } from "../storage/database.ts";

/** Which flags a client may read and has requested. Lists are sorted, so that equal queries are equal as JSON. */
export interface FeatureQuery {
  readonly environment: string;
  /** Sorted ids; undefined for all projects. */
  readonly projects: readonly string[] | undefined;
  readonly namePrefix: string;
  /** Sorted, each as `type:value`: flags with at least one of them. Empty for all flags. */
  readonly tags: readonly string[];
}

/** The filters of a request. */
interface SentFilters {
  readonly project?: string | readonly string[];
  readonly namePrefix?: string;
  readonly tag?: string | readonly string[];
}

/**
 * Combines the scope of a token with the filters of a request, which can only narrow the scope.
 *
 * @throws {ApiError} 400 if a filter is not valid
 */
export function readFeatureQuery(token: TokenScope, sent: SentFilters): FeatureQuery {
  return {
    environment: token.environment,
    projects: narrow(unlessEverything(token.projects), unlessEverything(toList(sent.project))),
    namePrefix: sent.namePrefix ?? "",
    tags: sortDistinct(toList(sent.tag)?.map(checkTag) ?? []),
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
    return projects === undefined ? undefined : sortDistinct(projects);
  }
  return sortDistinct(wanted.filter((project) => allowed.includes(project)));
}

const TAG = /^[^:]+:.+$/s;

function checkTag(tag: string): string {
  if (!TAG.test(tag)) throw badData("/query/tag", "must have the form `type:value`");
  return tag;
}
