import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { ContextFieldDialog } from "../context-fields/context-field-dialog.tsx";
import { ContextFieldTable } from "../context-fields/context-field-table.tsx";
import { useHasRole } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Loaded } from "../ui/loaded.tsx";

/** The context fields that only the project may use. */
export function ProjectContextFields({ project }: { readonly project: string }) {
  const fields = useQuery({
    ...queries.contextFields(project),
    select: (all) => all.filter((field) => field.project === project),
  });
  const canEdit = useHasRole("editor");
  const [isCreating, setCreating] = useState(false);
  return (
    <section className="settings-section" aria-labelledby="context-fields-heading">
      <h2 id="context-fields-heading">Context fields</h2>
      <p className="muted">
        Fields that only strategies and segments of this project can use, besides the{" "}
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
