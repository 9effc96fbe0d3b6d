import { useQueryClient } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { Flag, FlagSummary } from "../api/types.ts";
import { asksBeforeChange } from "../changes/asks-before-change.ts";
import type { Question } from "../changes/confirmations.tsx";
import { useChange } from "../changes/use-change.ts";
import { describeSwitch } from "./consequence.ts";

interface Switching {
  readonly flag: string;
  readonly environment: { readonly name: string; readonly type: string };
  readonly enabled: boolean;
  /** For whom the flag is on when it is turned on, for example "for everyone". */
  readonly reached: string;
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
      adminPath`/projects/${project}/features/${flag}/environments/${environment.name}/${enabled ? "on" : "off"}`,
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
    asks: askBeforeSwitch,
    invalidates: ({ flag }) => [
      ["flags", project],
      ["flag", project, flag],
    ],
    success: ({ flag, environment, enabled }) =>
      `${flag} is now ${enabled ? "on" : "off"} in ${environment.name}`,
    undo: (switching) => sendAndShow(reverse(switching)),
  });
}

function askBeforeSwitch({ flag, environment, enabled, reached }: Switching): Question | undefined {
  if (!asksBeforeChange(environment)) return undefined;
  const action = enabled ? "Turn on" : "Turn off";
  return {
    title: `${action} ${flag} in ${environment.name}?`,
    consequence: describeSwitch({ environment: environment.name, enabled, reached: [reached] }),
    submit: action,
    isDangerous: !enabled,
  };
}

function reverse(switching: Switching): Switching {
  return { ...switching, enabled: !switching.enabled };
}

function withState<Item extends FlagSummary | Flag>(flag: Item, switching: Switching): Item {
  if (flag.name !== switching.flag) return flag;
  return {
    ...flag,
    environments: flag.environments.map((environment) =>
      environment.name === switching.environment.name
        ? { ...environment, enabled: switching.enabled }
        : environment,
    ),
  };
}
