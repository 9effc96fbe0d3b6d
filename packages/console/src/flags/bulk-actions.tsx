import { useState } from "react";
import { adminPath, request } from "../api/request.ts";
import type { FlagSummary } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { Button } from "../ui/button.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { Menu } from "../ui/menu.tsx";
import { NameList } from "../ui/name-list.tsx";
import { Selection } from "../ui/selection.tsx";
import { describeCount } from "../ui/numbers.ts";

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
  const environments = [
    ...new Set(flags.flatMap((flag) => flag.environments.map(({ name }) => name))),
  ];
  const invalidates = [["flags", project], ["flag", project], ["projects"]];

  const switching = useChange<Switching>({
    run: (input) => switchFlags(project, input),
    invalidates,
    success: ({ environment, enabled }) =>
      `Switched ${count} ${enabled ? "on" : "off"} in ${environment}`,
    undo: (input) => switchFlags(project, { ...input, enabled: !input.enabled }),
  });
  const marking = useChange<Marking>({
    run: (input) => markFlags(project, input),
    invalidates,
    success: ({ stale }) => `Marked ${count} as ${stale ? "stale" : "active"}`,
    undo: (input) => markFlags(project, { ...input, stale: !input.stale }),
  });
  const archiving = useChange({
    run: () => send(adminPath`/projects/${project}/archive`, { features: names }),
    invalidates,
    success: () => `Archived ${count}`,
    undo: () => send(adminPath`/projects/${project}/revive`, { features: names }),
    showsErrors: true,
  });
  // NOTE: only flags that change, so that Undo does not change the others.
  const switchTo = (environment: string, enabled: boolean): void =>
    switching.mutate({
      environment,
      enabled,
      names: namesOf(flags.filter((flag) => isEnabled(flag, environment) !== enabled)),
    });
  const mark = (stale: boolean): void =>
    marking.mutate({ stale, names: namesOf(flags.filter((flag) => flag.stale !== stale)) });

  return (
    <Selection label="Selected flags" count={count} onClear={onDone}>
      {environments.map((environment) => (
        <Menu
          key={environment}
          entries={[true, false].map((enabled) => ({
            label: enabled ? "Switch on" : "Switch off",
            run: () => switchTo(environment, enabled),
          }))}
        >
          <Button size="small">Switch in {environment}</Button>
        </Menu>
      ))}
      <Button size="small" onPress={() => mark(true)}>
        Mark as stale
      </Button>
      <Button size="small" onPress={() => mark(false)}>
        Mark as active
      </Button>
      <Button size="small" onPress={() => setArchiving(true)}>
        Archive
      </Button>
      {isArchiving ? (
        <FormDialog
          title={`Archive ${count}?`}
          submit="Archive"
          isDangerous
          onClose={() => setArchiving(false)}
          isPending={archiving.isPending}
          error={archiving.error}
          onSubmit={() =>
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
            from the archive.
          </p>
          <NameList names={names} />
        </FormDialog>
      ) : null}
    </Selection>
  );
}

interface Switching {
  readonly names: readonly string[];
  readonly environment: string;
  readonly enabled: boolean;
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
