import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { EnvironmentSummary } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { useHasRole } from "../session/session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Empty } from "../ui/empty.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { describeCount } from "../ui/numbers.ts";
import { Page } from "../ui/page.tsx";
import { menuColumn } from "../ui/menu.tsx";
import { Switch } from "../ui/switch.tsx";
import { CloneEnvironmentDialog } from "./clone-environment-dialog.tsx";
import { CreateEnvironmentDialog } from "./create-environment-dialog.tsx";
import { DeleteEnvironmentDialog } from "./delete-environment-dialog.tsx";
import { EditEnvironmentDialog } from "./edit-environment-dialog.tsx";
import { describeEnvironmentType } from "./environment-types.ts";
import "../ui/name-list.css";

/** The environments of all projects. */
export function EnvironmentsPage() {
  const environments = useQuery(queries.environments());
  const isAdmin = useHasRole("admin");
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title="Environments"
      description="The places where your applications run, such as development and production. A flag has its own state and strategies in each of them."
      actions={
        isAdmin ? (
          <Button variant="primary" onPress={() => setCreating(true)}>
            <Plus aria-hidden /> New environment
          </Button>
        ) : undefined
      }
    >
      <Loaded query={environments}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="There are no environments yet">
              <p>Create one for each place where your applications run.</p>
            </Empty>
          ) : (
            <Environments environments={all} isAdmin={isAdmin} />
          )
        }
      </Loaded>
      <p className="muted">
        The switches decide which environments a new project starts with. Existing projects keep
        theirs: change them in the project settings.
      </p>
      {isCreating ? <CreateEnvironmentDialog onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}

interface EnvironmentsProps {
  readonly environments: readonly EnvironmentSummary[];
  readonly isAdmin: boolean;
}

function Environments({ environments, isAdmin }: EnvironmentsProps) {
  const switching = useSwitchEnvironment();
  const [opened, setOpened] = useState<Opened>();
  const open = (dialog: Opened["dialog"], environment: EnvironmentSummary) => (): void =>
    setOpened({ dialog, environment });
  const columns: readonly Column<EnvironmentSummary>[] = [
    {
      id: "name",
      header: "Name",
      isRowHeader: true,
      cell: ({ name, type }) => (
        <span className="row">
          {name}
          <Badge kind={type === "production" ? "accent" : "neutral"}>
            {describeEnvironmentType(type)}
          </Badge>
        </span>
      ),
    },
    {
      id: "protection",
      header: "Changes require",
      width: "11rem",
      cell: ({ protection, requiredApprovals }) =>
        protection === "approvals" ? (
          <Badge kind="warning">{describeCount(requiredApprovals ?? 1, "approval")}</Badge>
        ) : (
          <span className="muted">{protection === "confirm" ? "a confirmation" : "nothing"}</span>
        ),
    },
    {
      id: "use",
      header: "Use",
      width: "30%",
      cell: ({ projectCount, apiTokenCount, enabledToggleCount }) => (
        <span>
          {describeCount(enabledToggleCount, "flag")} on
          <p className="data-detail">
            {describeCount(projectCount, "project")} · {describeCount(apiTokenCount, "API token")}
          </p>
        </span>
      ),
    },
    {
      id: "enabled",
      header: "For new projects",
      width: "10rem",
      cell: ({ name, enabled }) => (
        <Switch
          label={`Add ${name} to new projects`}
          hidesLabel
          isSelected={enabled}
          isDisabled={!isAdmin}
          onChange={(isEnabled) => switching.mutate({ name, enabled: isEnabled })}
        />
      ),
    },
    menuColumn(
      ({ name }) => name,
      (environment) => [
        { label: "Show its projects", run: open("projects", environment) },
        ...(isAdmin
          ? [
              { label: "Edit", run: open("edit", environment) },
              { label: "Clone", run: open("clone", environment) },
              { label: "Delete", isDangerous: true, run: open("delete", environment) },
            ]
          : []),
      ],
    ),
  ];
  return (
    <>
      <DataTable
        label="Environments"
        rows={environments}
        keyOf={({ name }) => name}
        columns={columns}
      />
      {opened === undefined ? null : (
        <EnvironmentDialog {...opened} all={environments} onClose={() => setOpened(undefined)} />
      )}
    </>
  );
}

/** A dialog about an environment. */
interface Opened {
  readonly dialog: "clone" | "delete" | "edit" | "projects";
  readonly environment: EnvironmentSummary;
}

interface EnvironmentDialogProps extends Opened {
  readonly all: readonly EnvironmentSummary[];
  readonly onClose: () => void;
}

function EnvironmentDialog({ dialog, environment, all, onClose }: EnvironmentDialogProps) {
  if (dialog === "edit") {
    return <EditEnvironmentDialog environment={environment} all={all} onClose={onClose} />;
  }
  if (dialog === "clone") {
    return <CloneEnvironmentDialog environment={environment} onClose={onClose} />;
  }
  if (dialog === "delete") {
    return <DeleteEnvironmentDialog environment={environment} onClose={onClose} />;
  }
  return <EnvironmentProjectsDialog environment={environment.name} onClose={onClose} />;
}

interface Switching {
  readonly name: string;
  readonly enabled: boolean;
}

/** Decides whether new projects contain an environment. */
function useSwitchEnvironment() {
  const send = ({ name, enabled }: Switching): Promise<void> =>
    request(adminPath`/environments/${name}/${enabled ? "on" : "off"}`, { method: "POST" });
  return useChange<Switching>({
    run: send,
    invalidates: [["environments"]],
    success: ({ name, enabled }) =>
      enabled ? `New projects now contain ${name}` : `New projects no longer contain ${name}`,
    undo: ({ name, enabled }) => send({ name, enabled: !enabled }),
  });
}

interface EnvironmentProjectsDialogProps {
  readonly environment: string;
  readonly onClose: () => void;
}

/** Shows which projects contain an environment. */
function EnvironmentProjectsDialog({ environment, onClose }: EnvironmentProjectsDialogProps) {
  const projects = useQuery(queries.projects());
  return (
    <Dialog title={`Projects with ${environment}`} onClose={onClose}>
      <div className="dialog-content">
        <Loaded query={projects}>
          {(all) => {
            const found = all.filter(({ environments }) => environments.includes(environment));
            return found.length === 0 ? (
              <p>No project contains this environment. Add it in the settings of a project.</p>
            ) : (
              <ul className="name-list">
                {found.map(({ id, name }) => (
                  <li key={id}>
                    <Link to="/projects/$project/settings" params={{ project: id }}>
                      {name}
                    </Link>
                  </li>
                ))}
              </ul>
            );
          }}
        </Loaded>
      </div>
    </Dialog>
  );
}
