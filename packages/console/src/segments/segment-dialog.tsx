import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath, type Versioned } from "../api/request.ts";
import type { SegmentDefinition } from "../api/types.ts";
import { EditedResource, type EditedVersion, SaveDialog } from "../changes/edit-dialog.tsx";
import { asksBeforeChange } from "../changes/asks-before-change.ts";
import { useSave } from "../changes/use-save.ts";
import { ConstraintEditor } from "../constraints/constraint-editor.tsx";
import { describeSegmentChange } from "../flags/consequence.ts";
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
      {(version) => <SegmentDialog version={version} onClose={onClose} />}
    </EditedResource>
  );
}

/** A choice that is not the id of a project: those contain no brackets. */
const ALL_PROJECTS = "[all]";

interface SegmentDialogProps {
  /** The segment that is edited; undefined for a new one. */
  readonly version?: EditedVersion<SegmentDefinition>;
  readonly onClose: () => void;
}

/** Creates or edits a segment. */
export function SegmentDialog({ version, onClose }: SegmentDialogProps) {
  const segment = version?.value;
  const [draft, setDraft] = useState(() => toDraft(segment));
  const { name, description, project, constraints } = draft;
  const { data: projects = [] } = useQuery(queries.projects());
  const saving = useSaveSegment(version, draft);
  const consequence = useSegmentConsequence(segment?.id);
  return (
    <SaveDialog
      title={segment?.name ?? "New segment"}
      size="wide"
      submit={segment === undefined ? "Create segment" : "Save"}
      version={version}
      draft={draft}
      saving={saving}
      consequence={consequence}
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
        validate={(text) => (text !== "" && text.trim() === "" ? "Enter a name." : undefined)}
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
          A user belongs to the segment if all constraints are met.
        </p>
        {constraints.length === 0 ? (
          <Banner kind="info">Without constraints, this segment contains all users.</Banner>
        ) : null}
        <ConstraintEditor
          isSegment
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

/** @param version undefined for a new segment */
function useSaveSegment(
  version: Versioned<SegmentDefinition> | undefined,
  { project, ...draft }: SegmentDraft,
) {
  const body = {
    ...draft,
    name: draft.name.trim(),
    ...(project !== ALL_PROJECTS && { project }),
  };
  const { data: references = [] } = useQuery({
    ...queries.segmentReferences(version?.value.id ?? 0),
    enabled: version !== undefined,
  });
  const isSame = JSON.stringify(draft.constraints) === JSON.stringify(version?.value.constraints);
  return useSave({
    ...(version !== undefined && {
      proposal: {
        // Its name does not change who gets flags.
        places: isSame
          ? []
          : references.map(({ projectId, environment }) => ({ project: projectId, environment })),
        changes: [{ action: "updateSegment", payload: { ...body, id: version.value.id } }],
      },
    }),
    path:
      version === undefined
        ? adminPath`/segments`
        : adminPath`/segments/${String(version.value.id)}`,
    version,
    body,
    invalidates: [["segments"], ["flag"]],
    success: `${version === undefined ? "Created" : "Saved"} ${body.name}`,
  });
}

/** Says what saving the segment does to whom, where people have to know it. */
function useSegmentConsequence(id: number | undefined): string | undefined {
  const { data: environments = [] } = useQuery(queries.environments());
  const { data: references = [] } = useQuery({
    ...queries.segmentReferences(id ?? 0),
    enabled: id !== undefined,
  });
  const asking = new Set(environments.filter(asksBeforeChange).map(({ name }) => name));
  return describeSegmentChange(
    references
      .filter(({ environment }) => asking.has(environment))
      .map(({ featureName, environment }) => ({ flag: featureName, environment })),
  );
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
