import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import type { Project } from "../api/types.ts";
import { ContextFieldDialog } from "../context-fields/context-field-dialog.tsx";
import { ContextFieldTable } from "../context-fields/context-field-table.tsx";
import { CreateTokenDialog } from "../tokens/create-token-dialog.tsx";
import { FavoriteButton } from "../favorites/favorite-button.tsx";
import { useFavoriteProject } from "../favorites/use-favorites.ts";
import { TokenTable } from "../tokens/token-table.tsx";
import { Button } from "../ui/button.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { ArchiveProjectDialog } from "./archive-project-dialog.tsx";
import { FlagShape } from "./flag-shape.tsx";
import { ProjectAccess } from "./project-access.tsx";
import { ProjectEnvironments } from "./project-environments.tsx";
import { ProjectForm } from "./project-form.tsx";
import { useHasProjectRole } from "./use-project-role.ts";
import "./project-settings.css";

const route = getRouteApi("/shell/projects/$project/settings");

/** The name, environments and tokens of a project. */
export function ProjectSettingsPage() {
  const { project: id } = route.useParams();
  const settings = useQuery(queries.project(id));
  const { data: projects } = useQuery(queries.projects());
  const isOwner = useHasProjectRole(id, "owner");
  const isAdmin = useHasProjectRole(id, "admin");
  const marking = useFavoriteProject();
  const listed = projects?.find((entry) => entry.id === id);
  const contents = `The access, environments, context fields and tokens of the project ${listed?.name ?? id}.`;
  return (
    <Page
      title="Project settings"
      besideTitle={
        listed === undefined ? undefined : (
          <FavoriteButton
            name={listed.name}
            isFavorite={listed.favorite}
            onChange={(isFavorite) => marking.mutate({ project: id, isFavorite })}
          />
        )
      }
      description={isOwner ? contents : `${contents} Its owners and admins can change it.`}
    >
      <Loaded query={settings}>
        {(current) => (
          <>
            <ProjectForm key={`general ${id}`} current={current} isDisabled={!isOwner} />
            <FlagShape key={`shape ${id}`} project={current.value} canChange={isOwner} />
            {listed === undefined ? null : (
              <ProjectAccess key={`access ${id}`} project={listed} canChange={isOwner} />
            )}
            <ProjectEnvironments
              key={`environments ${id}`}
              project={current.value}
              canChange={isOwner}
            />
            <ProjectContextFields key={`context-fields ${id}`} project={id} />
            <ProjectTokens key={`tokens ${id}`} project={id} canChange={isOwner} />
            {isAdmin && id !== "default" && listed !== undefined ? (
              <ArchiveSection project={listed} />
            ) : null}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function ArchiveSection({ project }: { readonly project: Project }) {
  const navigate = useNavigate();
  const [isArchiving, setArchiving] = useState(false);
  return (
    <section className="settings-section" aria-labelledby="archive-heading">
      <h2 id="archive-heading">Archive the project</h2>
      <p className="muted">
        For a project that is no longer needed. You can revive it with everything in it.
      </p>
      <div>
        <Button onPress={() => setArchiving(true)}>Archive {project.name}</Button>
      </div>
      {isArchiving ? (
        <ArchiveProjectDialog
          project={project}
          onClose={() => setArchiving(false)}
          onDone={() => void navigate({ to: "/projects" })}
        />
      ) : null}
    </section>
  );
}

/** The context fields that only the project may use. */
function ProjectContextFields({ project }: { readonly project: string }) {
  const fields = useQuery({
    ...queries.contextFields(project),
    select: (all) => all.filter((field) => field.project === project),
  });
  const canEdit = useHasProjectRole(project, "editor");
  const [isCreating, setCreating] = useState(false);
  return (
    <section className="settings-section" aria-labelledby="context-fields-heading">
      <h2 id="context-fields-heading">Context fields</h2>
      <p className="muted">
        Fields that only strategies and segments of this project can use, in addition to the{" "}
        <Link to="/context-fields">context fields of all projects</Link>.
      </p>
      <Loaded query={fields}>
        {(own) =>
          own.length === 0 ? (
            <p className="muted">This project has no context fields of its own.</p>
          ) : (
            <ContextFieldTable fields={own} canEdit={canEdit} />
          )
        }
      </Loaded>
      {canEdit ? (
        <div>
          <Button onPress={() => setCreating(true)}>New context field for this project</Button>
        </div>
      ) : null}
      {isCreating ? (
        <ContextFieldDialog project={project} onClose={() => setCreating(false)} />
      ) : null}
    </section>
  );
}

interface ProjectTokensProps {
  readonly project: string;
  readonly canChange: boolean;
}

/** The tokens that name the project. */
function ProjectTokens({ project, canChange }: ProjectTokensProps) {
  const tokens = useQuery(queries.projectTokens(project));
  const [isCreating, setCreating] = useState(false);
  return (
    <section className="settings-section" aria-labelledby="tokens-heading">
      <h2 id="tokens-heading">API tokens</h2>
      <p className="muted">
        Tokens for this project. <Link to="/tokens">All API tokens</Link> also lists tokens for all
        projects, which work here too.
      </p>
      <Loaded query={tokens}>
        {(all) =>
          all.length === 0 ? (
            <p className="muted">This project has no tokens of its own.</p>
          ) : (
            <TokenTable tokens={all} canChange={canChange} project={project} />
          )
        }
      </Loaded>
      {canChange ? (
        <div>
          <Button onPress={() => setCreating(true)}>New token for this project</Button>
        </div>
      ) : null}
      {isCreating ? (
        <CreateTokenDialog project={project} onClose={() => setCreating(false)} />
      ) : null}
    </section>
  );
}
