import { useHasRole } from "../session/session.ts";
import type { ImportReport } from "../api/types.ts";
import { type Choice, Select } from "../ui/select.tsx";
import { ALL_PROJECTS, type ImportSelection, sourceOf, targetOf } from "./import-selection.ts";

/** Stands for no environment: names contain no slash. */
const NOWHERE = "/";

interface SelectionFieldsProps {
  readonly fileName: string;
  readonly report: ImportReport;
  readonly selection: ImportSelection;
  readonly target: Parameters<typeof sourceOf>[2];
  readonly onChange: (selection: ImportSelection) => void;
}

/** Says what a file is, and lets people choose what of it is imported, and into which environments. */
export function SelectionFields({
  fileName,
  report,
  selection,
  target,
  onChange,
}: SelectionFieldsProps) {
  const isAdmin = useHasRole("admin");
  const { contents, source } = report;
  const choicesFor = (name: string): readonly Choice[] => [
    ...target.environments.map((id) => ({ id, label: id })),
    ...(isAdmin && !target.environments.includes(name)
      ? [{ id: name, label: `${name}, added here` }]
      : []),
    { id: NOWHERE, label: "Leave out" },
  ];
  return (
    <div className="import-selection">
      <p>
        <strong>{fileName}</strong> ({source})
      </p>
      {contents.projects.length > 1 ? (
        <Select
          label="Flags to import"
          placeholder="Choose a project of the file"
          choices={[
            ...contents.projects.map((id) => ({
              id,
              label: `Project ${id}`,
              description: `Into ${target.project}`,
            })),
            ...(isAdmin
              ? [
                  {
                    id: ALL_PROJECTS,
                    label: "All projects",
                    description: "Each into the project with the same id",
                  },
                ]
              : []),
          ]}
          value={sourceOf(contents, selection, target) ?? null}
          onChange={(chosen) => onChange({ ...selection, source: chosen })}
        />
      ) : null}
      {contents.environments.map((name) => (
        <Select
          key={name}
          label={`Import ${name} into`}
          placeholder="Choose an environment"
          choices={choicesFor(name)}
          value={toChoice(targetOf(name, selection, target))}
          onChange={(chosen) =>
            onChange({
              ...selection,
              environments: {
                ...selection.environments,
                [name]: chosen === NOWHERE ? null : chosen,
              },
            })
          }
        />
      ))}
    </div>
  );
}

function toChoice(target: string | null | undefined): string | null {
  if (target === undefined) return null;
  return target ?? NOWHERE;
}
