import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { ProjectEnvironment, ProjectSettings } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { useRequiredApprovals } from "../changes/proposal.ts";
import { describeEnvironmentType } from "../environments/environment-types.ts";
import { useDefaultReach } from "../flags/use-default-reach.ts";
import { Badge } from "../ui/badge.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { describeCount, formatCount } from "../ui/numbers.ts";
import { DefaultStrategyDialog } from "./default-strategy-dialog.tsx";
import { RequiredApprovalsDialog } from "./required-approvals-dialog.tsx";

interface ProjectEnvironmentsProps {
  readonly project: ProjectSettings;
  readonly canChange: boolean;
}

/** Adds environments to a project and removes them. */
export function ProjectEnvironments({ project, canChange }: ProjectEnvironmentsProps) {
  const environments = useQuery(queries.projectEnvironments(project.id));
  const defaultReach = useDefaultReach(project.id);
  const [removed, setRemoved] = useState<ProjectEnvironment>();
  const [shaped, setShaped] = useState<ProjectEnvironment>();
  const requiredApprovals = useRequiredApprovals();
  const [configured, setConfigured] = useState<ProjectEnvironment>();
  const adding = useChange<string>({
    run: (environment) =>
      request(adminPath`/projects/${project.id}/environments`, {
        method: "POST",
        body: { environment },
      }),
    invalidates: [["projects"], ["environments"], ["flags", project.id], ["flag", project.id]],
    success: (environment) => `Added ${environment}. All flags are off there`,
  });
  return (
    <section className="settings-section" aria-labelledby="environments-heading">
      <h2 id="environments-heading">Environments</h2>
      <p className="muted">
        The flags of this project have a state and strategies in each of these environments.
      </p>
      <Loaded query={environments}>
        {(all) => (
          <ul className="settings-list">
            {all.map((environment) => (
              <li key={environment.name}>
                <span className="settings-list-text">
                  <strong>{environment.name}</strong>{" "}
                  <Badge>{describeEnvironmentType(environment.type)}</Badge>{" "}
                  <span className="muted">
                    {environment.visible
                      ? describeApprovals(requiredApprovals(project.id, environment.name))
                      : "not in this project"}
                  </span>
                  {environment.visible ? (
                    <span className="muted settings-list-note">
                      A flag without a strategy that is turned on is on{" "}
                      {defaultReach(environment.name)}.
                    </span>
                  ) : null}
                </span>
                {canChange && environment.visible ? (
                  <Button
                    size="small"
                    aria-label={`Default strategy in ${environment.name}`}
                    onPress={() => setShaped(environment)}
                  >
                    Default strategy
                  </Button>
                ) : null}
                {canChange ? (
                  environment.visible ? (
                    <>
                      <Button
                        size="small"
                        aria-label={`Required approvals in ${environment.name}`}
                        onPress={() => setConfigured(environment)}
                      >
                        Approvals
                      </Button>
                      <Button
                        size="small"
                        aria-label={`Remove ${environment.name}`}
                        onPress={() => setRemoved(environment)}
                      >
                        Remove
                      </Button>
                    </>
                  ) : (
                    <Button
                      size="small"
                      aria-label={`Add ${environment.name}`}
                      isPending={adding.isPending && adding.variables === environment.name}
                      onPress={() => adding.mutate(environment.name)}
                    >
                      Add
                    </Button>
                  )
                ) : null}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {shaped === undefined ? null : (
        <DefaultStrategyDialog
          project={project}
          environment={shaped}
          onClose={() => setShaped(undefined)}
        />
      )}
      {configured === undefined ? null : (
        <RequiredApprovalsDialog
          project={project.id}
          environment={configured}
          before={requiredApprovals(project.id, configured.name)}
          onClose={() => setConfigured(undefined)}
        />
      )}
      {removed === undefined ? null : (
        <RemoveEnvironmentDialog
          project={project}
          environment={removed.name}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </section>
  );
}

function describeApprovals(count: number): string {
  return count === 0
    ? "in this project"
    : `in this project, where changes require ${describeCount(count, "approval")}`;
}

interface RemoveEnvironmentDialogProps {
  readonly project: ProjectSettings;
  readonly environment: string;
  readonly onClose: () => void;
}

function RemoveEnvironmentDialog({ project, environment, onClose }: RemoveEnvironmentDialogProps) {
  const flags = useQuery({
    ...queries.flags(project.id),
    select: ({ features }) => ({
      on: features.filter((flag) =>
        flag.environments.some(({ name, enabled }) => name === environment && enabled),
      ).length,
      withStrategies: features.filter((flag) =>
        flag.environments.some(({ name, hasStrategies }) => name === environment && hasStrategies),
      ).length,
    }),
  });
  const removal = useChange({
    run: () =>
      request(adminPath`/projects/${project.id}/environments/${environment}`, { method: "DELETE" }),
    invalidates: [["projects"], ["environments"], ["flags", project.id], ["flag", project.id]],
    success: () => `Removed ${environment} from ${project.name}`,
    showsErrors: true,
  });
  // Until the flags are counted, strategies might be lost.
  const isHarmless = flags.data?.on === 0 && flags.data.withStrategies === 0;
  return (
    <ConfirmDialog
      title={`Remove ${environment} from ${project.name}?`}
      submit="Remove"
      isPending={removal.isPending}
      error={removal.error}
      {...(!isHarmless && { typed: environment })}
      onClose={onClose}
      onConfirm={() => removal.mutate(undefined, { onSuccess: onClose })}
    >
      <p>
        Applications in {environment} no longer receive the flags of this project, and treat them as
        off. The strategies of the flags there are deleted. Adding the environment again does not
        bring them back.
      </p>
      <Loaded query={flags}>
        {({ on, withStrategies }) => (
          <p>
            Now {describeCount(on, "flag")} {on === 1 ? "is" : "are"} on there, and{" "}
            {formatCount(withStrategies)} {withStrategies === 1 ? "has" : "have"} strategies.
          </p>
        )}
      </Loaded>
    </ConfirmDialog>
  );
}
