import { useQueryClient } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { Flag, FlagSummary } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";

interface Switching {
  readonly flag: string;
  readonly environment: string;
  readonly enabled: boolean;
}

/** Turns a flag on or off in an environment. The page shows the new state at once. */
export function useSwitchFlag(project: string) {
  const client = useQueryClient();
  const show = (switching: Switching): void => {
    client.setQueryData<{ features: readonly FlagSummary[] }>(
      queries.flags(project).queryKey,
      (list) => list && { features: list.features.map((flag) => withState(flag, switching)) },
    );
    client.setQueryData<Flag>(
      queries.flag(project, switching.flag).queryKey,
      (flag) => flag && withState(flag, switching),
    );
  };
  const send = ({ flag, environment, enabled }: Switching): Promise<void> =>
    request(
      adminPath`/projects/${project}/features/${flag}/environments/${environment}/${enabled ? "on" : "off"}`,
      { method: "POST" },
    );
  /** Shows the new state at once. If the change fails, the page must not show what is not stored. */
  const sendAndShow = (switching: Switching): Promise<void> => {
    show(switching);
    return send(switching).catch((error: unknown) => {
      show(reverse(switching));
      throw error;
    });
  };
  return useChange<Switching>({
    run: sendAndShow,
    invalidates: ({ flag }) => [
      ["flags", project],
      ["flag", project, flag],
    ],
    success: ({ flag, environment, enabled }) =>
      `${flag} is now ${enabled ? "on" : "off"} in ${environment}`,
    undo: (switching) => sendAndShow(reverse(switching)),
  });
}

function reverse(switching: Switching): Switching {
  return { ...switching, enabled: !switching.enabled };
}

function withState<Item extends FlagSummary | Flag>(flag: Item, switching: Switching): Item {
  if (flag.name !== switching.flag) return flag;
  return {
    ...flag,
    environments: flag.environments.map((environment) =>
      environment.name === switching.environment
        ? { ...environment, enabled: switching.enabled }
        : environment,
    ),
  };
}
