import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { queries } from "../api/queries.ts";
import { showToast } from "../ui/toast.tsx";

/**
 * Follows a flag that is not found in a project to the one that it has moved to. Returns whether it has not moved, so
 * that there is no such flag.
 */
export function useMissingFlag(project: string, flag: string, isUnknown: boolean): boolean {
  const navigate = useNavigate();
  const { data: lastProject, isPending } = useQuery({
    ...queries.lastMove(flag),
    enabled: isUnknown,
  });
  const target = isUnknown && lastProject !== project ? lastProject : undefined;
  useEffect(() => {
    if (target === undefined || target === null) return;
    showToast({ kind: "success", text: `${flag} has moved to the project ${target}` });
    void navigate({
      to: "/projects/$project/flags/$flag",
      params: { project: target, flag },
      search: (search) => search,
      replace: true,
    });
  }, [navigate, target, flag]);
  return isUnknown && !isPending && (target ?? null) === null;
}
