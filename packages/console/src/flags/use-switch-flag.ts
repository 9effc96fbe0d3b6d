import { useQueryClient } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { Flag, FlagSummary } from "../api/types.ts";
import { useAsksBeforeChange } from "../changes/asks-before-change.ts";
import { askForReason } from "../changes/ask-for-reason.ts";
import type { Question } from "../changes/confirmations.tsx";
import { placesIn, type Proposal, useRequiredApprovals } from "../changes/proposal.ts";
import { useChange } from "../changes/use-change.ts";
import { useStable } from "../ui/use-stable.ts";
import { describeSwitch } from "./consequence.ts";

interface Switching {
  readonly flag: string;
  readonly environment: { readonly name: string; readonly type: string };
  readonly enabled: boolean;
  /** For whom the flag is on when it is turned on, for example "for everyone". */
  readonly reached: string;
  /** Why it is turned off although changes require approvals. @default they do not */
  readonly reason?: string;
}

/**
 * Turns a flag on or off in an environment. The page shows the new state at once. Where changes require approvals, turning
 * it on is requested, and turning it off asks for a reason.
 */
export function useSwitchFlag(project: string) {
  const client = useQueryClient();
  const asksBeforeChange = useAsksBeforeChange();
  const requiredApprovals = useRequiredApprovals();
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
  const send = ({ flag, environment, enabled, reason }: Switching): Promise<void> =>
    request(
      adminPath`/projects/${project}/features/${flag}/environments/${environment.name}/${enabled ? "on" : "off"}`,
      { method: "POST", ...(reason !== undefined && { body: { reason } }) },
    );
  /** Shows the new state at once. If the change fails, the page must not show what is not stored. */
  const sendAndShow = (switching: Switching): Promise<void> => {
    show(switching);
    return send(switching).catch((error: unknown) => {
      show(reverse(switching));
      throw error;
    });
  };
  const propose = ({ flag, environment, enabled, reason }: Switching): Proposal => ({
    places: placesIn(project, [environment.name]),
    changes: [{ feature: flag, action: "updateEnabled", payload: { enabled } }],
    isUrgent: reason !== undefined,
  });
  const switching = useChange<Switching>({
    run: sendAndShow,
    proposes: propose,
    asks: (input) =>
      input.reason === undefined && asksBeforeChange(input.environment)
        ? askBeforeSwitch(input)
        : undefined,
    invalidates: ({ flag }) => [
      ["flags", project],
      ["flag", project, flag],
    ],
    success: ({ flag, environment, enabled }) =>
      `${flag} is now ${enabled ? "on" : "off"} in ${environment.name}`,
    undo: (input) => sendAndShow(reverse(input)),
  });
  const mutate = useStable((input: Switching): void => {
    if (input.enabled || requiredApprovals(project, input.environment.name) === 0) {
      switching.mutate(input);
      return;
    }
    askForReason(askBeforeSwitch(input), {
      request: () => switching.mutate(input),
      makeNow: (reason) => switching.mutate({ ...input, reason }),
    });
  });
  return { ...switching, mutate };
}

function askBeforeSwitch({ flag, environment, enabled, reached }: Switching): Question {
  const action = enabled ? "Turn on" : "Turn off";
  return {
    title: `${action} ${flag} in ${environment.name}?`,
    consequence: describeSwitch({ environment: environment.name, enabled, reached: [reached] }),
    submit: action,
    isDangerous: !enabled,
  };
}

function reverse({ reason: _reason, ...switching }: Switching): Switching {
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
