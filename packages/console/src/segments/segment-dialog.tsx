import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath, request, type Versioned } from "../api/request.ts";
import type { SegmentDefinition } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { EditedResource, SaveDialog, type SaveInput } from "../changes/edit-dialog.tsx";
import { ConstraintEditor } from "../constraints/constraint-editor.tsx";
import { Banner } from "../ui/banner.tsx";
import { describeCount } from "../ui/numbers.ts";
import { TextField } from "../ui/fields.tsx";
import { Select } from "../ui/select.tsx";

interface EditSegmentDialogProps {
  readonly id: number;
  readonly onClose: () => void;
}

/** Edits a segment as it is at the moment. */
export function EditSegmentDialog({ id, onClose }: EditSegmentDialogProps) {
  return (
    <EditedResource<SegmentDefinition>
      path={adminPath`/segments/${String(id)}`}
      title="Segment"
      size="wide"
      onClose={onClose}
    >
      {(version, reload) => <SegmentDialog version={version} onLoad={reload} onClose={onClose} />}
    </EditedResource>
  );
}

/** A choice that is not the id of a project: those contain no brackets. */
const ALL_PROJECTS = "[all]";

interface SegmentDialogProps {
  /** The segment that is edited; undefined for a new one. */
  readonly version?: Versioned<SegmentDefinition>;
  /** Reads the segment again after a conflict. */
  readonly onLoad?: () => void;
  readonly onClose: () => void;
}

/** Creates or edits a segment. */
export function SegmentDialog({ version, onLoad, onClose }: SegmentDialogProps) {
  const segment = version?.value;
  const [draft, setDraft] = useState(() => toDraft(segment));
  const { name, description, project, constraints } = draft;
  const { data: projects = [] } = useQuery(queries.projects());
  const saving = useSaveSegment(segment?.id, draft);
  return (
    <SaveDialog
      title={segment?.name ?? "New segment"}
      size="wide"
      submit={segment === undefined ? "Create segment" : "Save"}
      version={version}
      saving={saving}
      onLoad={onLoad}
      onClose={onClose}
    >
      {segment === undefined ? null : <Effect id={segment.id} />}
      <TextField
        label="Name"
        name="name"
        value={name}
        onChange={(text) => setDraft({ ...draft, name: text })}
        isRequired
        autoFocus={segment === undefined}
        maxLength={100}
        validate={(text) =>
          text !== "" && text.trim() === "" ? "A segment needs a name" : undefined
        }
      />
      <TextField
        label="Description"
        value={description}
        onChange={(text) => setDraft({ ...draft, description: text })}
        rows={2}
      />
      <Select
        label="Available in"
        choices={[
          { id: ALL_PROJECTS, label: "All projects" },
          ...projects.map(({ id, name: label }) => ({ id, label: `Only ${label}` })),
        ]}
        value={project}
        onChange={(id) => setDraft({ ...draft, project: id })}
      />
      <div className="stack-tight" role="group" aria-labelledby="constraints-heading">
        <strong id="constraints-heading">Constraints</strong>
        <p className="field-description">
          A user belongs to the segment if all constraints are met. A segment without constraints
          includes everyone.
        </p>
        <ConstraintEditor
          value={constraints}
          onChange={(changed) => setDraft({ ...draft, constraints: changed })}
        />
      </div>
    </SaveDialog>
  );
}

/** What the form contains. */
interface SegmentDraft extends Pick<SegmentDefinition, "name" | "constraints"> {
  readonly description: string;
  /** The id of a project, or `ALL_PROJECTS`. */
  readonly project: string;
}

function toDraft(segment: SegmentDefinition | undefined): SegmentDraft {
  const { name = "", description, project = ALL_PROJECTS, constraints = [] } = segment ?? {};
  return { name, description: description ?? "", project, constraints };
}

/** @param id undefined for a new segment */
function useSaveSegment(id: number | undefined, { project, ...draft }: SegmentDraft) {
  const body = {
    ...draft,
    name: draft.name.trim(),
    ...(project !== ALL_PROJECTS && { project }),
  };
  return useChange<SaveInput>({
    run: ({ ifMatch }) =>
      id === undefined
        ? request(adminPath`/segments`, { method: "POST", body })
        : request(adminPath`/segments/${String(id)}`, { method: "PUT", body, ifMatch }),
    invalidates: [["segments"], ["flag"]],
    success: () => (id === undefined ? `Created ${body.name}` : `Saved ${body.name}`),
    showsErrors: true,
  });
}

/** Says whom a change of the segment concerns. */
function Effect({ id }: { readonly id: number }) {
  const { data: segments = [] } = useQuery(queries.segments());
  const count = segments.find((segment) => segment.id === id)?.usedInFeatures ?? 0;
  if (count === 0) return null;
  return (
    <Banner kind="info">
      {describeCount(count, "flag")} {count === 1 ? "uses" : "use"} this segment. Saving changes who
      gets {count === 1 ? "it" : "them"}, at once.
    </Banner>
  );
}
