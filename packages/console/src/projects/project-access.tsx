import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { Project, ProjectMember } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { nameOfUser } from "../users/user-names.ts";
import { Loaded } from "../ui/loaded.tsx";
import { Select } from "../ui/select.tsx";
import { PROJECT_MODES } from "./project-modes.ts";

type RoleId = "4" | "5";

const ROLES: readonly {
  readonly id: RoleId;
  readonly label: string;
  readonly description: string;
}[] = [
  { id: "5", label: "Member", description: "Changes flags" },
  { id: "4", label: "Owner", description: "Also changes settings, tokens and who has access" },
];

const KEYS = [["access"], ["projects"], ["session"]] as const;

interface ProjectAccessProps {
  readonly project: Project;
  readonly canChange: boolean;
}

/** Who can see and change a project. */
export function ProjectAccess({ project, canChange }: ProjectAccessProps) {
  const members = useQuery(queries.projectMembers(project.id));
  const [isAdding, setAdding] = useState(false);
  return (
    <section className="settings-section" aria-labelledby="access-heading">
      <h2 id="access-heading">Access</h2>
      <ModeField project={project} canChange={canChange} />
      <Loaded query={members}>
        {(all) => (
          <>
            {all.length === 0 ? (
              <p className="muted">
                Nobody has a role in this project. Admins can change everything.
              </p>
            ) : (
              <ul className="settings-list" aria-label="Members">
                {all.map((member) => (
                  <Member key={member.id} project={project} member={member} canChange={canChange} />
                ))}
              </ul>
            )}
            {isAdding ? (
              <AddMemberDialog project={project} members={all} onClose={() => setAdding(false)} />
            ) : null}
          </>
        )}
      </Loaded>
      {canChange ? (
        <div>
          <Button onPress={() => setAdding(true)}>Give somebody access</Button>
        </div>
      ) : null}
    </section>
  );
}

function ModeField({ project, canChange }: ProjectAccessProps) {
  const write = (mode: Project["mode"]): Promise<unknown> =>
    request(adminPath`/projects/${project.id}/settings`, { method: "PUT", body: { mode } });
  const change = useChange<Project["mode"]>({
    run: write,
    invalidates: KEYS,
    success: (mode) => `The project ${project.name} is now ${mode}`,
    undo: () => write(project.mode),
  });
  const { description = "" } = PROJECT_MODES.find(({ id }) => id === project.mode) ?? {};
  return (
    <Select
      label="Who sees and changes the project"
      choices={PROJECT_MODES}
      value={project.mode}
      isDisabled={!canChange || change.isPending}
      description={description}
      onChange={(mode) => {
        if (mode !== project.mode) change.mutate(mode);
      }}
    />
  );
}

interface MemberProps extends ProjectAccessProps {
  readonly member: ProjectMember;
}

function Member({ project, member, canChange }: MemberProps) {
  const [isRemoving, setRemoving] = useState(false);
  const name = nameOfUser(member);
  const path = adminPath`/projects/${project.id}/users/${String(member.id)}/roles`;
  const write = (roleId: string): Promise<unknown> =>
    request(path, { method: "PUT", body: { roles: [Number(roleId)] } });
  const change = useChange<RoleId>({
    run: write,
    invalidates: KEYS,
    success: (roleId) => `${name} is now ${roleId === "4" ? "an owner" : "a member"}`,
    undo: () => write(String(member.roleId)),
  });
  const removal = useChange({
    run: () => request(path, { method: "DELETE" }),
    invalidates: KEYS,
    success: () => `${name} has no role in ${project.name} any longer`,
    undo: () => write(String(member.roleId)),
    showsErrors: true,
  });
  const isFromClaims = member.rolesFromClaims.length > 0;
  return (
    <li>
      <span className="settings-list-text">
        <strong>{name}</strong>{" "}
        {member.email === undefined ? null : <span className="muted">{member.email}</span>}{" "}
        {member.disabled ? <Badge kind="warning">disabled</Badge> : null}{" "}
        {isFromClaims ? <Badge>from OpenID Connect</Badge> : null}
      </span>
      {canChange && !isFromClaims ? (
        <>
          <Select
            label={`Role of ${name}`}
            hidesLabel
            choices={ROLES}
            value={String(member.roleId) as RoleId}
            isDisabled={change.isPending}
            onChange={(roleId) => {
              if (roleId !== String(member.roleId)) change.mutate(roleId);
            }}
          />
          <Button size="small" aria-label={`Remove ${name}`} onPress={() => setRemoving(true)}>
            Remove
          </Button>
        </>
      ) : (
        <span className="muted">{member.roleId === 4 ? "Owner" : "Member"}</span>
      )}
      {isRemoving ? (
        <ConfirmDialog
          title={`Remove ${name} from ${project.name}?`}
          submit="Remove"
          isPending={removal.isPending}
          error={removal.error}
          onClose={() => setRemoving(false)}
          onConfirm={() => removal.mutate(undefined, { onSuccess: () => setRemoving(false) })}
        >
          <p>
            {project.mode === "private"
              ? `The project no longer exists for ${name}, at once and also with personal tokens.`
              : `${name} still sees the project, and can change its flags only if it is open and ${name} is an editor.`}
          </p>
        </ConfirmDialog>
      ) : null}
    </li>
  );
}

interface AddMemberDialogProps {
  readonly project: Project;
  readonly members: readonly ProjectMember[];
  readonly onClose: () => void;
}

function AddMemberDialog({ project, members, onClose }: AddMemberDialogProps) {
  const people = useQuery(queries.people());
  const [user, setUser] = useState<string | null>(null);
  const [role, setRole] = useState<RoleId>("5");
  const addition = useChange({
    run: () =>
      request(adminPath`/projects/${project.id}/access`, {
        method: "POST",
        body: { roles: [Number(role)], users: [Number(user)] },
      }),
    invalidates: KEYS,
    success: () => `Gave access to ${project.name}`,
    showsErrors: true,
  });
  const known = new Set(members.map(({ id }) => id));
  return (
    <FormDialog
      title={`Give somebody access to ${project.name}`}
      submit="Give access"
      draft={[user, role]}
      isDisabled={user === null}
      isPending={addition.isPending}
      error={addition.error}
      onClose={onClose}
      onSubmit={() => addition.mutate(undefined, { onSuccess: onClose })}
    >
      <Loaded query={people}>
        {(all) => {
          const others = all.filter(({ id }) => !known.has(id));
          return others.length === 0 ? (
            <p className="muted">
              Everybody with an account has a role here. Admins create accounts on the page Users.
            </p>
          ) : (
            <Select
              label="Person"
              choices={others.map((person) => ({
                id: String(person.id),
                label: nameOfUser(person),
                ...(person.email !== undefined && { description: person.email }),
              }))}
              value={user}
              onChange={setUser}
              isRequired
            />
          );
        }}
      </Loaded>
      <Select label="Role" choices={ROLES} value={role} onChange={setRole} />
    </FormDialog>
  );
}
