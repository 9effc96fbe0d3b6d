import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { adminPath, request } from "../api/request.ts";
import type { Flag, RecordedEvent, RestoringChange } from "../api/types.ts";
import { ChangeEvents } from "../change-requests/change-events.tsx";
import { describeRequestedChange } from "../change-requests/describe-requested-change.ts";
import { useAsksBeforeChange } from "../changes/asks-before-change.ts";
import {
  placesIn,
  type Proposal,
  type ProposedChange,
  proposeForFlag,
  type Requirement,
  useDialogWords,
  useRequirement,
} from "../changes/proposal.ts";
import { useChange } from "../changes/use-change.ts";
import { describeEvent } from "../events/describe-event.ts";
import { useNames } from "../strategies/use-names.ts";
import { Banner } from "../ui/banner.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Select } from "../ui/select.tsx";
import { Time } from "../ui/time.tsx";
import { joinWithAnd, sortDistinct } from "../ui/words.ts";

interface RestoreDialogProps {
  readonly flag: Flag;
  /** The recorded change before or after which the flag had the version to restore. */
  readonly event: RecordedEvent;
  readonly before: boolean;
  readonly onClose: () => void;
}

/** The id of the choice of all environments. NOTE: no environment can have this name. */
const EVERYWHERE = "(everywhere)";

/** Restores an earlier version of a flag, after it has shown what that changes. */
export function RestoreDialog({ flag, event, before, onClose }: RestoreDialogProps) {
  const { project, name } = flag;
  const names = useNames();
  const [place, setPlace] = useState(event.environment ?? EVERYWHERE);
  const body = {
    eventId: event.id,
    before,
    ...(place !== EVERYWHERE && { environment: place }),
  };
  const path = adminPath`/projects/${project}/features/${name}/restore`;
  const preview = useQuery({
    queryKey: ["flag", project, name, "restore", body],
    queryFn: ({ signal }) =>
      request<{ readonly changes: readonly RestoringChange[] }>(`${path}?dryRun=true`, {
        method: "POST",
        body,
        signal,
      }),
    staleTime: 0,
    retry: false,
  });
  const changes = preview.data?.changes ?? [];
  const requirement = useRequirement(proposeAll(flag, changes));
  const { proposal, left } = split(flag, changes, requirement);
  const restoring = useChange({
    run: () => request(path, { method: "POST", body }),
    proposes: () => proposal,
    invalidates: [["flag", project, name], ["flags", project], ["segments"], ["context-fields"]],
    success: () => `Restored an earlier version of ${name}`,
    showsErrors: true,
  });
  const words = useDialogWords(proposal, {
    submit: "Restore",
    consequence: useRestoringConsequence(flag, changes),
    isDangerous: false,
  });
  return (
    <FormDialog
      {...words}
      title={before ? "Go back to before this change" : "Restore this version"}
      size="wide"
      onClose={onClose}
      isPending={restoring.isPending}
      error={restoring.error}
      isDisabled={requirement === undefined ? changes.length === 0 : proposal === undefined}
      onSubmit={() => restoring.mutate(undefined, { onSuccess: onClose })}
    >
      <p>
        {describeEvent(event, names)}, <Time value={event.createdAt} />.
      </p>
      <Select
        label="Where"
        choices={[
          { id: EVERYWHERE, label: "Everywhere" },
          ...flag.environments.map((one) => ({ id: one.name, label: `Only ${one.name}` })),
        ]}
        value={place}
        onChange={setPlace}
        description="Tags, links and the project stay as they are."
      />
      <Loaded query={preview}>
        {(loaded) =>
          loaded.changes.length === 0 ? (
            <p>Nothing would change: the flag is like that now.</p>
          ) : (
            <RestoringChanges changes={loaded.changes} />
          )
        }
      </Loaded>
      {left.length === 0 ? null : (
        <Banner kind="warning">
          The change request does not contain these changes: {joinWithAnd(left.map(describe))}.
          Restore them separately, or by hand.
        </Banner>
      )}
    </FormDialog>
  );
}

function RestoringChanges({ changes }: { readonly changes: readonly RestoringChange[] }) {
  return (
    <section className="card" aria-label="What changes">
      {changes.map((change, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- the changes keep their order
        <div key={index} className="request-change">
          <div className="request-change-head">
            <h3>{describe(change)}</h3>
          </div>
          <div className="request-change-body">
            <ChangeEvents events={change.events} />
          </div>
        </div>
      ))}
    </section>
  );
}

/** Says in one sentence what a change restores. */
function describe({ action, feature, environment, events, payload }: RestoringChange): string {
  if (action === "updateSettings") return `Change the settings of ${feature}`;
  return describeRequestedChange({
    change: { action, events, payload },
    flag: feature,
    environment: environment ?? "",
  });
}

/** All of the changes as a part of a change request, to find out where they require approvals. */
function proposeAll(flag: Flag, changes: readonly RestoringChange[]): Proposal {
  const environments = changes.flatMap(({ environment }) => environment ?? []);
  const concernsAll = changes.some(
    ({ environment, action }) => environment === null && action !== "updateSettings",
  );
  const everywhere = concernsAll ? proposeForFlag(flag, { action: "archiveFeature" }).places : [];
  return { places: [...placesIn(flag.project, environments), ...everywhere], changes: [] };
}

interface Split {
  /** What is requested; undefined if nothing can be. */
  readonly proposal: Proposal | undefined;
  readonly left: readonly RestoringChange[];
}

/** A change request changes flags in one environment, and no settings. What it cannot contain is left. */
function split(
  { project }: Flag,
  changes: readonly RestoringChange[],
  requirement: Requirement | undefined,
): Split {
  if (requirement === undefined) return { proposal: undefined, left: [] };
  const { environment } = requirement;
  const requested: ProposedChange[] = [];
  const left: RestoringChange[] = [];
  for (const change of changes) {
    const { action, feature, payload } = change;
    const isElsewhere = change.environment !== null && change.environment !== environment;
    if (action === "updateSettings" || isElsewhere) left.push(change);
    else requested.push({ action, feature, payload });
  }
  return {
    proposal:
      requested.length === 0
        ? undefined
        : { places: placesIn(project, [environment]), changes: requested },
    left,
  };
}

/** Says where restoring changes who gets the flag, if people have to know it. */
function useRestoringConsequence(
  { name, environments }: Flag,
  changes: readonly RestoringChange[],
): string | undefined {
  const asksBeforeChange = useAsksBeforeChange();
  const isEverywhere = changes.some(
    ({ environment, action }) => environment === null && action !== "updateSettings",
  );
  const places = environments
    .filter(
      (one) =>
        asksBeforeChange(one) &&
        (isEverywhere || changes.some(({ environment }) => environment === one.name)),
    )
    .map((one) => one.name);
  if (places.length === 0) return undefined;
  return `This changes at once who gets ${name} in ${joinWithAnd(sortDistinct(places))}.`;
}
