import type { QueryClient, QueryKey } from "@tanstack/react-query";
import type { Change } from "../api/types.ts";
import { sessionQuery } from "../session/session.ts";
import { openChangeStream } from "./change-stream.ts";
import { refetch } from "./refetch.ts";

/** How long changes are collected before the console refetches what they affect. */
const COLLECT_MS = 150;

/** The prefix of all keys. */
const EVERYTHING: QueryKey = [];

/** After each change by any user, refetches the affected data, until the signal is aborted. */
export function followChanges(client: QueryClient, signal: AbortSignal): void {
  let collected: QueryKey[] = [];
  let timer: number | undefined;
  const refresh = (keys: readonly QueryKey[]): void => {
    collected.push(...keys);
    timer ??= window.setTimeout(() => {
      const distinct = new Map(collected.map((queryKey) => [JSON.stringify(queryKey), queryKey]));
      collected = [];
      timer = undefined;
      for (const queryKey of distinct.values()) void refetch(client, queryKey);
    }, COLLECT_MS);
  };

  openChangeStream(
    new URL("api/admin/changes", document.baseURI),
    {
      onChange: (data) => refresh(invalidatedKeys(JSON.parse(data) as Change)),
      onGap: () => refresh([EVERYTHING]),
      // NOTE: without `cancelRefetch`, because a check that starts over with each attempt would never fail.
      onFailure: () =>
        void client.invalidateQueries(
          { queryKey: sessionQuery.queryKey },
          { cancelRefetch: false },
        ),
    },
    signal,
  );
}

/** The queries that a change invalidates, as prefixes of their keys. */
export function invalidatedKeys(change: Change): readonly QueryKey[] {
  return rulesFor(change).flatMap(({ types, keys }) =>
    types.test(change.type) ? keys(change) : [],
  );
}

/** NOTE: what somebody marks as a favourite changes nothing else, and happens often. */
function rulesFor({ type }: Change): readonly Rule[] {
  return type.endsWith("favorited") ? FAVORITE_RULES : RULES;
}

interface Rule {
  /** The types of changes that the rule applies to. */
  readonly types: RegExp;
  readonly keys: (change: Change) => readonly QueryKey[];
}

const FAVORITE_RULES: readonly Rule[] = [
  { types: /^/, keys: () => [["events"]] },
  { types: /^project/, keys: () => [["projects"]] },
  {
    types: /^feature/,
    keys: ({ project, feature }) => [
      ["flags", project],
      ["flag", project, feature],
    ],
  },
];

const RULES: readonly Rule[] = [
  { types: /^/, keys: () => [["events"]] },
  {
    types: /^feature|^strategy-|^segment|^environment|^project/,
    keys: () => [["evaluation"]],
  },
  { types: /^project/, keys: () => [["projects"], ["environments"], ["flags"], ["flag"]] },
  {
    types: /^environment/,
    keys: () => [["environments"], ["projects"], ["flags"], ["flag"], ["change-requests"]],
  },
  { types: /^change-request-configuration/, keys: () => [["projects"]] },
  { types: /^default-strategy/, keys: () => [["environments"]] },
  { types: /^segment/, keys: () => [["segments"], ["flag"]] },
  { types: /^context-field/, keys: () => [["context-fields"]] },
  { types: /^tag|^feature-(?:un)?tagged/, keys: () => [["tags"], ["tag-types"]] },
  { types: /^strategy-(?:created|updated|deleted)/, keys: () => [["strategy-types"]] },
  { types: /^application/, keys: () => [["applications"]] },
  { types: /^api-token/, keys: () => [["tokens"], ["environments"], ["sessions"]] },
  { types: /^session/, keys: () => [["sessions"]] },
  { types: /^user-/, keys: () => [["users"], ["sessions"], ["session"], ["access"]] },
  { types: /^pat-/, keys: () => [["personal-tokens"]] },
  { types: /^public-signup-token/, keys: () => [["invite-links"], ["users"]] },
  { types: /^addon-/, keys: () => [["addons"]] },
  { types: /^rollout-plan/, keys: ({ project }) => [["flag"], ["flags", project]] },
  { types: /^change-/, keys: () => [["change-requests"]] },
  { types: /^project-access/, keys: () => [["access"], ["session"]] },
  // Lists say how many flags use each entry.
  {
    types:
      /^feature-(?:strategy|archived|revived|project-change)|^features-imported|^project-environment-removed/,
    keys: () => [["segments"], ["context-fields"]],
  },
  {
    types: /^feature-(?:environment-(?:en|dis)abled|archived|revived)|^features-imported/,
    keys: () => [["environments"]],
  },
  { types: /^features-imported/, keys: () => [["tag-types"]] },
  { types: /^feature-type/, keys: () => [["flag-types"]] },
  {
    types: /^feature-(?:created|archived|revived|deleted|project-change)/,
    keys: () => [["projects"], ["applications"]],
  },
  {
    types: /^feature|^strategy-order|^tag-deleted/,
    // What has no project or flag concerns several.
    keys: ({ project, feature }) => [
      ["cleanup"],
      ["flags", ...(project === null ? [] : [project])],
      ["flag", ...(project === null || feature === null ? [] : [project, feature])],
    ],
  },
];
