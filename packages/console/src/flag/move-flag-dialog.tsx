import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { Flag, FlagMove, FlagMovePreview, Project } from "../api/types.ts";
import { placesIn, type Proposal, proposeForFlag, useDialogWords } from "../changes/proposal.ts";
import { useChange } from "../changes/use-change.ts";
import { useEditableProjects } from "../projects/use-project-role.ts";
import { Banner } from "../ui/banner.tsx";
import { withFullStop } from "../ui/describe-error.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { NameList } from "../ui/name-list.tsx";
import { describeCount } from "../ui/numbers.ts";
import { Select } from "../ui/select.tsx";
import { joinWithAnd, sortDistinct } from "../ui/words.ts";

interface MoveFlagDialogProps {
  readonly flag: Pick<Flag, "environments" | "name" | "project">;
  readonly onClose: () => void;
}

/** Moves a flag to another project, after saying what moves and what stands in the way. */
export function MoveFlagDialog({ flag, onClose }: MoveFlagDialogProps) {
  const { name, project } = flag;
  const navigate = useNavigate();
  const { data: projects = [] } = useQuery(queries.projects());
  const targets = useEditableProjects().filter(({ id }) => id !== project);
  const [target, setTarget] = useState<string | null>(null);
  const chosen = targets.find(({ id }) => id === target);
  const current = projects.find(({ id }) => id === project);
  const preview = useQuery({
    ...queries.flagMove(project, name, target ?? ""),
    enabled: target !== null,
  });
  const move = (from: string, to: string): Promise<FlagMove> =>
    request(adminPath`/projects/${from}/features/${name}/changeProject`, {
      method: "POST",
      body: { newProjectId: to },
    });
  const open = (to: string): Promise<void> =>
    navigate({
      to: "/projects/$project/flags/$flag",
      params: { project: to, flag: name },
      replace: true,
    });
  const proposal = proposeMove(flag, target ?? project);
  const words = useDialogWords(proposal, { submit: "Move" });
  const moving = useChange<void, FlagMove>({
    proposes: () => proposal,
    run: async () => {
      const moved = await move(project, target ?? project);
      // NOTE: first, because this page would try to read the flag again.
      await open(moved.newProject);
      return moved;
    },
    invalidates: [["projects"], ["flags"], ["flag"], ["segments"], ["context-fields"]],
    success: (_, { features }) =>
      `Moved ${features.length === 1 ? name : describeCount(features.length, "flag")} to ${chosen?.name ?? target}`,
    // What was deleted does not come back.
    ...(preview.data?.removed.length === 0 && {
      undo: (_, { oldProject, newProject }) => move(newProject, oldProject),
    }),
    showsErrors: true,
  });
  return (
    <FormDialog
      title={`Move ${name} to another project`}
      {...words}
      onClose={onClose}
      isDisabled={preview.data === undefined || preview.data.problems.length > 0}
      isPending={moving.isPending}
      error={moving.error}
      onSubmit={() => moving.mutate(undefined, { onSuccess: onClose })}
    >
      <Select
        label="Project"
        choices={targets.map(({ id, name: label }) => ({ id, label }))}
        value={target}
        onChange={setTarget}
        isRequired
        description="Only projects whose flags you may change."
      />
      {chosen === undefined || current === undefined ? null : (
        <Loaded query={preview}>
          {(move) => (
            <MoveSummary flag={name} move={move} oldProject={current} newProject={chosen} />
          )}
        </Loaded>
      )}
    </FormDialog>
  );
}

/** A move concerns the old and the new project. */
function proposeMove(flag: MoveFlagDialogProps["flag"], newProjectId: string): Proposal {
  const change = { action: "moveFeature", payload: { newProjectId } } as const;
  const { changes, places } = proposeForFlag(flag, change);
  const others = placesIn(
    newProjectId,
    places.map(({ environment }) => environment),
  );
  return { changes, project: flag.project, places: [...places, ...others] };
}

interface MoveSummaryProps {
  readonly flag: string;
  readonly move: FlagMovePreview;
  readonly oldProject: Project;
  readonly newProject: Project;
}

function MoveSummary({ flag, move, oldProject, newProject }: MoveSummaryProps) {
  const { features, problems } = move;
  const others = features.filter((feature) => feature !== flag);
  if (problems.length > 0) {
    return (
      <Banner kind="error">
        <p>
          {flag} cannot move to {newProject.name} yet:
        </p>
        <ul className="move-problems">
          {problems.map((problem) => (
            <li key={problem}>{withFullStop(problem)}</li>
          ))}
        </ul>
      </Banner>
    );
  }
  return (
    <div className="stack">
      {others.length === 0 ? null : (
        <div>
          <p>
            {describeCount(others.length, "flag moves", "flags move")} along, because one depends on
            the other:
          </p>
          <NameList names={others} />
        </div>
      )}
      <p>
        Strategies, variants, tags, usage and history stay. Applications with a token for all
        projects notice nothing.
      </p>
      <Losses move={move} newProject={newProject} />
      <TokenNote oldProject={oldProject} newProject={newProject} />
      {oldProject.mode === "private" && newProject.mode !== "private" ? (
        <Banner kind="warning">
          Only members see {oldProject.name}. In {newProject.name}, everybody who signs in sees the
          flag.
        </Banner>
      ) : null}
      {newProject.mode === "private" && oldProject.mode !== "private" ? (
        <Banner kind="info">Only members of {newProject.name} and admins will see the flag.</Banner>
      ) : null}
    </div>
  );
}

/** What is deleted, and where the flags are off. */
function Losses({ move, newProject }: Pick<MoveSummaryProps, "move" | "newProject">) {
  const { removed, addedEnvironments } = move;
  const environments = sortDistinct(removed.map(({ environment }) => environment));
  return (
    <>
      {environments.length === 0 ? null : (
        <Banner kind="warning">
          {newProject.name} does not have {joinWithAnd(environments)}. The flag is off there, and
          what is set up there is deleted: {joinWithAnd(describeRemoved(removed))}.
        </Banner>
      )}
      {addedEnvironments.length === 0 ? null : (
        <p>It will be off in {joinWithAnd(addedEnvironments)}.</p>
      )}
    </>
  );
}

function describeRemoved(removed: FlagMovePreview["removed"]): readonly string[] {
  const sum = (kind: "strategies" | "variants"): number =>
    removed.reduce((total, one) => total + one[kind], 0);
  const [strategies, variants] = [sum("strategies"), sum("variants")];
  return [
    ...(strategies === 0 ? [] : [describeCount(strategies, "strategy", "strategies")]),
    ...(variants === 0 ? [] : [describeCount(variants, "variant")]),
  ];
}

/** How many tokens a sentence lists. */
const SHOWN_TOKENS = 5;

/** Says which applications lose the flag. */
function TokenNote({
  oldProject,
  newProject,
}: Pick<MoveSummaryProps, "newProject" | "oldProject">) {
  const { data: tokens = [] } = useQuery(queries.projectTokens(oldProject.id));
  const losing = tokens.filter(({ projects }) => !projects.includes(newProject.id));
  if (losing.length === 0) return null;
  const names = losing.slice(0, SHOWN_TOKENS).map(({ tokenName }) => tokenName);
  const others = losing.length - names.length;
  return (
    <Banner kind="warning">
      {describeCount(losing.length, "token is", "tokens are")} for {oldProject.name} but not for{" "}
      {newProject.name}: {joinWithAnd(others > 0 ? [...names, `${others} more`] : names)}.
      Applications with {losing.length === 1 ? "it" : "them"} no longer receive the flag, and treat
      it as off.
    </Banner>
  );
}
