import { useQueryClient } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { Flag, FlagSummary } from "../api/types.ts";
import { useAsksBeforeChange } from "../changes/asks-before-change.ts";
import { askForReason } from "../changes/ask-for-reason.ts";
import type { Question } from "../changes/confirmations.tsx";
import {
  isGivenStrategy,
  placesIn,
  type Proposal,
  useRequiredApprovals,
} from "../changes/proposal.ts";
import { showError } from "../changes/use-add-to-draft.ts";
import { useChange } from "../changes/use-change.ts";
import { useStable } from "../ui/use-stable.ts";
import { describeSwitch } from "./consequence.ts";
import {
  type CopiedRules,
  copyAndTurnOn,
  proposeCopy,
  readCopiedRules,
  revertCopy,
} from "./copied-rules.ts";

interface Switching {
  readonly flag: string;
  readonly environment: { readonly name: string; readonly type: string };
  readonly enabled: boolean;
  /** For whom the flag is on when it is turned on, for example "for everyone". */
  readonly reached: string;
  /** Whether it has an active strategy there. If not, turning it on adds the default strategy. */
  readonly hasStrategy: boolean;
  /** What it could get instead of the default strategy, which people choose. @default nothing */
  readonly offered?: readonly CopiedRules[];
  /** What it gets instead of the default strategy. @default nothing */
  readonly copied?: CopiedRules | undefined;
  /** Why it is turned off although changes require approvals. @default they do not */
  readonly reason?: string;
}

/**
 * Turns a flag on or off in an environment. The page shows the new state at once. Where changes require approvals, turning
 * it on is requested, and turning it off asks for a reason. Where people have to know what a change does and the flag has no
 * strategy, they choose for whom it is turned on.
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
  const placeOf = ({ flag, environment }: Switching) => ({
    project,
    flag,
    environment: environment.name,
  });
  const send = ({ flag, environment, enabled, reason }: Switching): Promise<void> =>
    request(
      adminPath`/projects/${project}/features/${flag}/environments/${environment.name}/${enabled ? "on" : "off"}`,
      { method: "POST", ...(reason !== undefined && { body: { reason } }) },
    );
  /** Shows the new state at once. If the change fails, the page must not show what is not stored. */
  const showDuring = async <Result>(
    switching: Switching,
    change: () => Promise<Result>,
  ): Promise<Result> => {
    show(switching);
    try {
      return await change();
    } catch (error) {
      show(reverse(switching));
      throw error;
    }
  };
  const propose = ({ flag, environment, enabled, reason, copied }: Switching): Proposal => ({
    places: placesIn(project, [environment.name]),
    changes: [
      ...(copied === undefined ? [] : proposeCopy(flag, copied)),
      { feature: flag, action: "updateEnabled", payload: { enabled } },
    ],
    isUrgent: reason !== undefined,
  });
  const needsApproval = (environment: string): boolean =>
    requiredApprovals(project, environment) > 0;
  /** Whether people are asked before a flag without a strategy is turned on. */
  const asksForWhom = (environment: Switching["environment"]): boolean =>
    asksBeforeChange(environment) || needsApproval(environment.name);
  const isAsked = ({ enabled, environment, hasStrategy }: Switching): boolean =>
    enabled && !hasStrategy ? asksForWhom(environment) : asksBeforeChange(environment);
  const switching = useChange<Switching, string | undefined>({
    run: (input) => {
      const { copied } = input;
      return showDuring(input, () =>
        copied === undefined
          ? send(input).then(() => undefined)
          : copyAndTurnOn(placeOf(input), copied),
      );
    },
    proposes: propose,
    asks: (input) =>
      input.reason === undefined && isAsked(input) ? askBeforeSwitch(input) : undefined,
    withChoice: (input, choice) => ({
      ...input,
      copied: input.offered?.find(({ source }) => toChoiceId(source) === choice),
    }),
    invalidates: ({ flag }) => [
      ["flags", project],
      ["flag", project, flag],
    ],
    success: ({ flag, environment, enabled }) =>
      `${flag} is now ${enabled ? "on" : "off"} in ${environment.name}`,
    undo: (input, etag) => {
      const { copied } = input;
      const back = reverse(input);
      return showDuring(back, () =>
        copied === undefined ? send(back) : revertCopy(placeOf(input), copied, etag),
      );
    },
  });
  const offerAndSwitch = async (input: Switching): Promise<void> => {
    try {
      switching.mutate({ ...input, offered: await readCopiedRules(client, placeOf(input)) });
    } catch (error) {
      showError(error);
    }
  };
  const mutate = useStable((given: Switching): void => {
    const { flag, environment } = given;
    const isGiven =
      needsApproval(environment.name) &&
      isGivenStrategy(client, flag, { project, environment: environment.name });
    const input = isGiven ? { ...given, hasStrategy: true } : given;
    if (input.enabled || !needsApproval(input.environment.name)) {
      if (input.enabled && !input.hasStrategy && isAsked(input)) void offerAndSwitch(input);
      else switching.mutate(input);
      return;
    }
    askForReason(askBeforeSwitch(input), {
      request: () => switching.mutate(input),
      makeNow: (reason) => switching.mutate({ ...input, reason }),
    });
  });
  return { ...switching, mutate, asksForWhom };
}

function askBeforeSwitch(input: Switching): Question {
  const { flag, environment, enabled, reached, hasStrategy, offered = [] } = input;
  const action = enabled ? "Turn on" : "Turn off";
  const hasChoice = offered.length > 0;
  return {
    title: `${action} ${flag} in ${environment.name}?`,
    consequence: hasChoice
      ? `The flag has no strategy in ${environment.name}. Choose for whom this turns it on.`
      : describeSwitch({ environment: environment.name, enabled, reached: [reached] }),
    submit: action,
    isDangerous: !enabled,
    isAskedBeforeRequest: enabled && !hasStrategy,
    ...(hasChoice && {
      choice: {
        label: "Audience",
        choices: [
          ...offered.map(({ source, reached: others }) => ({
            id: toChoiceId(source),
            label: `As in ${source}: ${others}`,
          })),
          { id: DEFAULT_CHOICE, label: `A new strategy: ${reached}` },
        ],
      },
    }),
  };
}

/** The id of the default strategy among the choices. */
const DEFAULT_CHOICE = "default";

function toChoiceId(environment: string): string {
  return `environment:${environment}`;
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
