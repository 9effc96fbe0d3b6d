import { useQueryClient } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { adminPath, request } from "../api/request.ts";
import type { FlagSummary } from "../api/types.ts";
import { askForReason } from "../changes/ask-for-reason.ts";
import type { Question } from "../changes/confirmations.tsx";
import { isGivenStrategy, placesIn, useRequiredApprovals } from "../changes/proposal.ts";
import { useChange } from "../changes/use-change.ts";
import { UsedFlags } from "../cleanup/used-flags.tsx";
import { useHasFavorites } from "../favorites/favorite-button.tsx";
import { sendFavorite } from "../favorites/use-favorites.ts";
import { Button } from "../ui/button.tsx";
import { Menu, type MenuEntry } from "../ui/menu.tsx";
import { NameList } from "../ui/name-list.tsx";
import { Selection } from "../ui/selection.tsx";
import { describeCount } from "../ui/numbers.ts";
import { AddTagToFlagsDialog, RemoveTagFromFlagsDialog } from "./bulk-tags.tsx";
import { describeArchiving, describeSwitch, describeTurnedOnReach } from "./consequence.ts";
import { useDefaultReach } from "./use-default-reach.ts";

interface BulkActionsProps {
  readonly project: string;
  readonly flags: readonly FlagSummary[];
  readonly onDone: () => void;
}

/** What can be done with all selected flags. */
export function BulkActions({ project, flags, onDone }: BulkActionsProps) {
  const count = describeCount(flags.length, "flag");
  const [dialog, setDialog] = useState<"owner" | "tag" | "untag">();
  const close = (): void => setDialog(undefined);
  const environments = [
    ...new Set(flags.flatMap((flag) => flag.environments.map(({ name }) => name))),
  ];
  const switching = useSwitchFlags(project, flags);
  const marking = useMarkFlags(project, flags);
  const archiving = useArchiveFlags(project, flags);
  const favorites = useFavoriteEntries(project, flags);
  return (
    <Selection label="Selected flags" count={count} onClear={onDone}>
      <Menu
        groups={[
          ...environments.map((environment) => ({
            heading: environment,
            entries: [switching(environment, true), switching(environment, false)],
          })),
          {
            heading: "All environments",
            entries: [
              marking(true),
              marking(false),
              { label: "Add a tag…", run: () => setDialog("tag") },
              {
                label: "Remove a tag…",
                isDisabled: flags.every(({ tags }) => tags.length === 0),
                run: () => setDialog("untag"),
              },
              { label: "Add an owner…", run: () => setDialog("owner") },
              ...favorites,
              {
                label: "Archive…",
                isDangerous: true,
                run: () => archiving.mutate(undefined, { onSuccess: onDone }),
              },
            ],
          },
        ]}
      >
        <Button size="small">
          Change {count} <ChevronDown aria-hidden />
        </Button>
      </Menu>
      {dialog === "tag" || dialog === "owner" ? (
        <AddTagToFlagsDialog
          project={project}
          flags={flags}
          {...(dialog === "owner" && { type: "owner" })}
          onClose={close}
        />
      ) : null}
      {dialog === "untag" ? (
        <RemoveTagFromFlagsDialog project={project} flags={flags} onClose={close} />
      ) : null}
    </Selection>
  );
}

function keysOf(project: string) {
  return [["flags", project], ["flag", project], ["projects"]];
}

interface Switching {
  readonly flags: readonly FlagSummary[];
  readonly environment: string;
  readonly enabled: boolean;
  /** Why they are turned off although changes require approvals. @default they do not */
  readonly reason?: string;
}

/** Returns a function that returns the action that turns flags on or off in an environment. */
function useSwitchFlags(project: string, flags: readonly FlagSummary[]) {
  const client = useQueryClient();
  const defaultReach = useDefaultReach(project);
  const requiredApprovals = useRequiredApprovals();
  const questionAbout = (input: Switching): Question =>
    askBeforeSwitching(input, defaultReach(input.environment));
  /** Whether a requested change gives a flag the default strategy. */
  const getsDefault = (flag: FlagSummary, { environment }: Switching): boolean =>
    !hasStrategy(flag, environment) &&
    !isGivenStrategy(client, flag.name, { project, environment });
  const change = useChange<Switching>({
    run: (input) => switchFlags(project, input),
    proposes: ({ flags: switched, environment, enabled, reason }) => ({
      places: placesIn(project, [environment]),
      changes: namesOf(switched).map((feature) => ({
        feature,
        action: "updateEnabled",
        payload: { enabled },
      })),
      isUrgent: reason !== undefined,
    }),
    asks: (input) =>
      input.reason === undefined
        ? {
            ...questionAbout(input),
            isAskedBeforeRequest:
              input.enabled && input.flags.some((flag) => getsDefault(flag, input)),
          }
        : undefined,
    invalidates: keysOf(project),
    success: (input) => `Turned ${describeSwitching(input)}`,
    undo: (input) => switchFlags(project, { ...input, enabled: !input.enabled }),
  });
  return (environment: string, enabled: boolean): MenuEntry => {
    // NOTE: only flags that change, so that Undo does not change the others.
    const changing = flags.filter((flag) => isEnabled(flag, environment) !== enabled);
    return {
      label: enabled ? "Turn on" : "Turn off",
      isDisabled: changing.length === 0,
      run: () => {
        const input = { flags: changing, environment, enabled };
        if (enabled || requiredApprovals(project, environment) === 0) change.mutate(input);
        else {
          askForReason(questionAbout(input), {
            request: () => change.mutate(input),
            makeNow: (reason) => change.mutate({ ...input, reason }),
          });
        }
      },
    };
  };
}

function askBeforeSwitching(input: Switching, whenNone: string): Question {
  return {
    title: `Turn ${describeSwitching(input)}?`,
    consequence: describeSwitch({ ...input, reached: reachedBy(input, whenNone) }),
    submit: input.enabled ? "Turn on" : "Turn off",
    isDangerous: !input.enabled,
    details: <NameList names={namesOf(input.flags)} />,
  };
}

function hasStrategy({ environments }: FlagSummary, environment: string): boolean {
  return environments.some(({ name, reach }) => name === environment && reach.strategyCount > 0);
}

/** Says what changes, for example "on 2 flags in production". */
function describeSwitching({ flags, environment, enabled }: Switching): string {
  return `${enabled ? "on" : "off"} ${describeCount(flags.length, "flag")} in ${environment}`;
}

function reachedBy({ flags, environment }: Switching, whenNone: string): readonly string[] {
  return flags.flatMap(({ environments }) =>
    environments
      .filter(({ name }) => name === environment)
      .map((state) => describeTurnedOnReach(state, whenNone)),
  );
}

function switchFlags(
  project: string,
  { flags, environment, enabled, reason }: Switching,
): Promise<void> {
  return send(
    adminPath`/projects/${project}/bulk_features/environments/${environment}/${enabled ? "on" : "off"}`,
    { features: namesOf(flags), reason },
  );
}

function isEnabled(flag: FlagSummary, environment: string): boolean {
  return flag.environments.some(({ name, enabled }) => enabled && name === environment);
}

interface Marking {
  readonly names: readonly string[];
  readonly stale: boolean;
}

/** Returns a function that returns the action that marks flags as stale or active. */
function useMarkFlags(project: string, flags: readonly FlagSummary[]) {
  const mark = ({ names, stale }: Marking): Promise<void> =>
    send(adminPath`/projects/${project}/stale`, { features: names, stale });
  const change = useChange<Marking>({
    run: mark,
    invalidates: keysOf(project),
    success: ({ names, stale }) =>
      `Marked ${describeCount(names.length, "flag")} as ${stale ? "stale" : "active"}`,
    undo: (input) => mark({ ...input, stale: !input.stale }),
  });
  return (stale: boolean): MenuEntry => {
    const names = namesOf(flags.filter((flag) => flag.stale !== stale));
    return {
      label: stale ? "Mark as stale" : "Mark as active",
      isDisabled: names.length === 0,
      run: () => change.mutate({ names, stale }),
    };
  };
}

function environmentsWithStrategies(flags: readonly FlagSummary[]): readonly string[] {
  const used = flags.flatMap(({ environments }) =>
    environments.filter(({ hasStrategies }) => hasStrategies),
  );
  return [...new Set(used.map(({ name }) => name))];
}

function useArchiveFlags(project: string, flags: readonly FlagSummary[]) {
  const count = describeCount(flags.length, "flag");
  return useChange({
    run: () => send(adminPath`/projects/${project}/archive`, { features: namesOf(flags) }),
    proposes: () => ({
      places: placesIn(project, environmentsWithStrategies(flags)),
      changes: namesOf(flags).map((feature) => ({ feature, action: "archiveFeature" })),
    }),
    asks: () => ({
      title: `Archive ${count}?`,
      consequence:
        describeArchiving(flags) ??
        `This changes nothing for anybody: ${count} are off everywhere.`,
      submit: "Archive",
      details: (
        <>
          <p>
            Applications no longer receive archived flags and treat them as off. You can revive them
            from the archive; they are then off in every environment and have no dependencies.
          </p>
          <UsedFlags project={project} names={namesOf(flags)} />
          <NameList names={namesOf(flags)} />
        </>
      ),
    }),
    invalidates: keysOf(project),
    success: () => `Archived ${count}`,
    // NOTE: cannot be undone, because reviving flags restores neither where they were on nor their dependencies.
  });
}

/** How many flags become favourites at once: each of them is a request. */
const MAX_FAVORITES = 50;

/** Returns the actions that make the flags favourites of the user, or no longer. */
function useFavoriteEntries(project: string, flags: readonly FlagSummary[]): readonly MenuEntry[] {
  const hasFavorites = useHasFavorites();
  const mark = async (names: readonly string[], isFavorite: boolean): Promise<void> => {
    for (const flag of names) {
      // oxlint-disable-next-line no-await-in-loop -- changes run one at a time anyway
      await sendFavorite({ project, flag, isFavorite });
    }
  };
  const change = useChange<{ readonly names: readonly string[]; readonly isFavorite: boolean }>({
    run: ({ names, isFavorite }) => mark(names, isFavorite),
    invalidates: keysOf(project),
    success: ({ names, isFavorite }) =>
      `${isFavorite ? "Added" : "Removed"} ${describeCount(names.length, "flag")} ${isFavorite ? "to" : "from"} your favourites`,
    undo: ({ names, isFavorite }) => mark(names, !isFavorite),
  });
  if (!hasFavorites) return [];
  return [true, false].map((isFavorite) => {
    const names = namesOf(flags.filter((flag) => flag.favorite !== isFavorite));
    return {
      label: isFavorite ? "Add to favourites" : "Remove from favourites",
      isDisabled: names.length === 0 || names.length > MAX_FAVORITES,
      run: () => change.mutate({ names, isFavorite }),
    };
  });
}

function send(path: string, body: unknown): Promise<void> {
  return request(path, { method: "POST", body });
}

function namesOf(flags: readonly FlagSummary[]): readonly string[] {
  return flags.map(({ name }) => name);
}
