import { useState } from "react";
import { adminPath, request } from "../api/request.ts";
import type { FlagSummary } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Menu } from "../ui/menu.tsx";
import { NameList } from "../ui/name-list.tsx";
import { Selection } from "../ui/selection.tsx";
import { describeCount } from "../ui/numbers.ts";
import { describeArchiving, describeSwitch, describeTurnedOnReach } from "./consequence.ts";

interface BulkActionsProps {
  readonly project: string;
  readonly flags: readonly FlagSummary[];
  readonly onDone: () => void;
}

/** What can be done with all selected flags. */
export function BulkActions({ project, flags, onDone }: BulkActionsProps) {
  const names = namesOf(flags);
  const count = describeCount(names.length, "flag");
  const [isArchiving, setArchiving] = useState(false);
  const [planned, setPlanned] = useState<Switching>();
  const environments = [
    ...new Set(flags.flatMap((flag) => flag.environments.map(({ name }) => name))),
  ];
  const invalidates = [["flags", project], ["flag", project], ["projects"]];

  const switching = useChange<Switching>({
    run: (input) => switchFlags(project, input),
    invalidates,
    success: (input) => `Turned ${describeSwitching(input)}`,
    undo: (input) => switchFlags(project, { ...input, enabled: !input.enabled }),
    showsErrors: true,
  });
  const marking = useChange<Marking>({
    run: (input) => markFlags(project, input),
    invalidates,
    success: (input) =>
      `Marked ${describeCount(input.names.length, "flag")} as ${input.stale ? "stale" : "active"}`,
    undo: (input) => markFlags(project, { ...input, stale: !input.stale }),
  });
  const archiving = useChange({
    run: () => send(adminPath`/projects/${project}/archive`, { features: names }),
    invalidates,
    success: () => `Archived ${count}`,
    // NOTE: cannot be undone, because reviving flags restores neither where they were on nor their dependencies.
    showsErrors: true,
  });
  // NOTE: only flags that change, so that Undo does not change the others.
  const toSwitching = (environment: string, enabled: boolean): Switching => ({
    environment,
    enabled,
    names: namesOf(flags.filter((flag) => isEnabled(flag, environment) !== enabled)),
  });
  const toMarking = (stale: boolean): Marking => ({
    stale,
    names: namesOf(flags.filter((flag) => flag.stale !== stale)),
  });

  return (
    <Selection label="Selected flags" count={count} onClear={onDone}>
      {environments.map((environment) => (
        <Menu
          key={environment}
          entries={[true, false].map((enabled) => {
            const input = toSwitching(environment, enabled);
            return {
              label: enabled ? "Turn on" : "Turn off",
              isDisabled: input.names.length === 0,
              run: () => {
                switching.reset();
                setPlanned(input);
              },
            };
          })}
        >
          <Button size="small">Turn on or off in {environment}</Button>
        </Menu>
      ))}
      <Menu
        entries={[true, false].map((stale) => {
          const input = toMarking(stale);
          return {
            label: stale ? "Mark as stale" : "Mark as active",
            isDisabled: input.names.length === 0,
            run: () => marking.mutate(input),
          };
        })}
      >
        <Button size="small">Mark as stale or active</Button>
      </Menu>
      <Button size="small" onPress={() => setArchiving(true)}>
        Archive
      </Button>
      {planned === undefined ? null : (
        <ConfirmDialog
          title={`Turn ${describeSwitching(planned)}?`}
          submit={planned.enabled ? "Turn on" : "Turn off"}
          isDangerous={!planned.enabled}
          onClose={() => setPlanned(undefined)}
          isPending={switching.isPending}
          error={switching.error}
          onConfirm={() => switching.mutate(planned, { onSuccess: () => setPlanned(undefined) })}
        >
          <p>
            {describeSwitch({
              ...planned,
              reached: flags
                .filter(({ name }) => planned.names.includes(name))
                .flatMap(({ environments: states }) =>
                  states
                    .filter(({ name }) => name === planned.environment)
                    .map(describeTurnedOnReach),
                ),
            })}
          </p>
          <NameList names={planned.names} />
        </ConfirmDialog>
      )}
      {isArchiving ? (
        <ConfirmDialog
          title={`Archive ${count}?`}
          submit="Archive"
          onClose={() => setArchiving(false)}
          isPending={archiving.isPending}
          error={archiving.error}
          consequence={describeArchiving(flags)}
          onConfirm={() =>
            archiving.mutate(undefined, {
              onSuccess: () => {
                setArchiving(false);
                onDone();
              },
            })
          }
        >
          <p>
            Applications no longer receive archived flags and treat them as off. You can revive them
            from the archive; they are then off in every environment and have no dependencies.
          </p>
          <NameList names={names} />
        </ConfirmDialog>
      ) : null}
    </Selection>
  );
}

interface Switching {
  readonly names: readonly string[];
  readonly environment: string;
  readonly enabled: boolean;
}

/** Says what changes, for example "on 2 flags in production". */
function describeSwitching({ names, environment, enabled }: Switching): string {
  return `${enabled ? "on" : "off"} ${describeCount(names.length, "flag")} in ${environment}`;
}

function switchFlags(project: string, { names, environment, enabled }: Switching): Promise<void> {
  return send(
    adminPath`/projects/${project}/bulk_features/environments/${environment}/${enabled ? "on" : "off"}`,
    { features: names },
  );
}

interface Marking {
  readonly names: readonly string[];
  readonly stale: boolean;
}

function markFlags(project: string, { names, stale }: Marking): Promise<void> {
  return send(adminPath`/projects/${project}/stale`, { features: names, stale });
}

function send(path: string, body: unknown): Promise<void> {
  return request(path, { method: "POST", body });
}

function namesOf(flags: readonly FlagSummary[]): readonly string[] {
  return flags.map(({ name }) => name);
}

function isEnabled(flag: FlagSummary, environment: string): boolean {
  return flag.environments.some(({ name, enabled }) => enabled && name === environment);
}
