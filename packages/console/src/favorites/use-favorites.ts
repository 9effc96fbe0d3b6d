import { useQueryClient } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { Flag, FlagSummary } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";

interface Marking {
  readonly project: string;
  readonly flag: string;
  readonly isFavorite: boolean;
}

/** Marks a flag as a favourite of the user, or no longer. The page shows it at once. */
export function useFavoriteFlag() {
  const client = useQueryClient();
  const show = ({ project, flag, isFavorite: favorite }: Marking): void => {
    client.setQueryData<{ features: readonly FlagSummary[] }>(
      queries.flags(project).queryKey,
      (list) =>
        list && {
          features: list.features.map((one) => (one.name === flag ? { ...one, favorite } : one)),
        },
    );
    client.setQueryData<Flag>(
      queries.flag(project, flag).queryKey,
      (one) => one && { ...one, favorite },
    );
  };
  return useChange<Marking>({
    run: async (marking) => {
      show(marking);
      try {
        await sendFavorite(marking);
      } catch (error) {
        show({ ...marking, isFavorite: !marking.isFavorite });
        throw error;
      }
    },
    invalidates: ({ project, flag }) => [
      ["flags", project],
      ["flags", "all"],
      ["flag", project, flag],
    ],
  });
}

/** Marks a flag without showing it. */
export function sendFavorite({ project, flag, isFavorite }: Marking): Promise<void> {
  return request(adminPath`/projects/${project}/features/${flag}/favorites`, {
    method: isFavorite ? "POST" : "DELETE",
  });
}

interface ProjectMarking {
  readonly project: string;
  readonly isFavorite: boolean;
}

/** Marks a project as a favourite of the user, or no longer. */
export function useFavoriteProject() {
  return useChange<ProjectMarking>({
    run: ({ project, isFavorite }) =>
      request(adminPath`/projects/${project}/favorites`, {
        method: isFavorite ? "POST" : "DELETE",
      }),
    invalidates: [["projects"]],
  });
}
