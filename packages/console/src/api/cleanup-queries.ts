import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { adminPath, request } from "./request.ts";
import type { CleanupFlag, FlagLifetime, UsedFlag } from "./types.ts";

/** What the console reads to clean up, like `queries`. */
export const cleanupQueries = {
  /** The flags that can be removed. @param project empty for all */
  list: (project: string) =>
    infiniteQueryOptions({
      queryKey: ["cleanup", project],
      queryFn: ({ signal, pageParam }) => {
        const parameters = new URLSearchParams({ offset: String(pageParam) });
        if (project !== "") parameters.set("project", project);
        return request<{ readonly flags: readonly CleanupFlag[]; readonly total: number }>(
          `api/admin/cleanup?${parameters.toString()}`,
          { signal },
        );
      },
      initialPageParam: 0,
      getNextPageParam: ({ total }, pages) => {
        const loaded = pages.reduce((sum, { flags }) => sum + flags.length, 0);
        return loaded < total ? loaded : undefined;
      },
      placeholderData: keepPreviousData,
    }),

  /** Which of these flags applications have used in the last 7 days. */
  usedFlags: (project: string, names: readonly string[]) =>
    queryOptions({
      queryKey: ["flags", project, "used", names],
      queryFn: ({ signal }) =>
        request<{ readonly usedFeatures: readonly UsedFlag[] }>(
          adminPath`/projects/${project}/archive/validate`,
          { method: "POST", body: { features: names }, signal },
        ),
      select: ({ usedFeatures }) => usedFeatures,
      staleTime: 0,
    }),

  /** For how long flags of each type should exist. */
  lifetimes: () =>
    queryOptions({
      queryKey: ["flag-types"],
      queryFn: ({ signal }) =>
        request<{ readonly types: readonly FlagLifetime[] }>(adminPath`/feature-types`, { signal }),
      select: ({ types }) => types,
    }),
} as const;
