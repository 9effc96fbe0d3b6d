import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import type { Project } from "../api/types.ts";
import { useHasRole } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { ArchiveProjectDialog } from "./archive-project-dialog.tsx";
import { ProjectContextFields } from "./project-context-fields.tsx";
import { ProjectEnvironments } from "./project-environments.tsx";
import { ProjectForm } from "./project-form.tsx";
import { ProjectTokens } from "./project-tokens.tsx";
import "./project-settings.css";

const route = getRouteApi("/shell/projects/$project/settings");

/** The name, environments and tokens of a project. */
export function ProjectSettingsPage() {
  const { project: id } = route.useParams();
  const projects = useQuery(queries.projects());
  const isAdmin = useHasRole("admin");
  return (
    <Loaded query={projects}>
      {(all) => {
        const project = all.find((entry) => entry.id === id);
        if (project === undefined) return null;
        return (
          <Page
            title="Project settings"
            description={
              isAdmin
                ? `What belongs to the project ${project.name}.`
                : `What belongs to the project ${project.name}. Administrators can change it.`
            }
          >
            <ProjectForm
              key={`${id} ${project.updatedAt}`}
              project={project}
              isDisabled={!isAdmin}
            />
            <ProjectEnvironments key={`environments ${id}`} project={project} isAdmin={isAdmin} />
            <ProjectContextFields key={`context-fields ${id}`} project={id} />
            <ProjectTokens key={`tokens ${id}`} project={id} isAdmin={isAdmin} />
            {isAdmin && id !== "default" ? <ArchiveSection project={project} /> : null}
          </Page>
        );
      }}
    </Loaded>
  );
}

function ArchiveSection({ project }: { readonly project: Project }) {
  const navigate = useNavigate();
  const [isArchiving, setArchiving] = useState(false);
  return (
    <section className="settings-section" aria-labelledby="archive-heading">
      <h2 id="archive-heading">Archive the project</h2>
      <p className="muted">
        For a project that nobody needs any more. You can revive it with everything in it.
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
