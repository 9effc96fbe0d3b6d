import { useQuery } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { queries } from "../api/queries.ts";
import { ConstraintList } from "../constraints/constraint-summary.tsx";
import { IconButton } from "../ui/button.tsx";
import { Select } from "../ui/select.tsx";

/** Limit of the service. */
const MAX_SEGMENTS = 5;

interface SegmentPickerProps {
  readonly project: string;
  readonly value: readonly number[];
  readonly onChange: (segments: readonly number[]) => void;
}

/** Chooses segments, and shows the constraints of the chosen ones. */
export function SegmentPicker({ project, value, onChange }: SegmentPickerProps) {
  const { data: segments = [] } = useQuery(queries.segments());
  const choices = segments
    .filter(({ id, project: owner }) => !value.includes(id) && (owner ?? project) === project)
    .map(({ id, name, description }) => ({
      id: String(id),
      label: name,
      ...(description !== null && { description }),
    }));
  return (
    <div className="stack">
      {value.map((id) => {
        const segment = segments.find((entry) => entry.id === id);
        const name = segment?.name ?? String(id);
        return (
          <div key={id} className="constraint" role="group" aria-label={`Segment ${name}`}>
            <div className="constraint-title">
              <strong>{name}</strong>
              <IconButton
                label={`Remove segment ${name}`}
                onPress={() => onChange(value.filter((other) => other !== id))}
              >
                <Trash2 aria-hidden />
              </IconButton>
            </div>
            {segment === undefined ? null : <ConstraintList constraints={segment.constraints} />}
          </div>
        );
      })}
      {choices.length === 0 || value.length >= MAX_SEGMENTS ? (
        <p className="muted strategy-note">{describeLimit(value.length, segments.length)}</p>
      ) : (
        <Select
          label="Add a segment"
          placeholder="Choose a segment"
          choices={choices}
          value={null}
          onChange={(id) => onChange([...value, Number(id)])}
        />
      )}
    </div>
  );
}

function describeLimit(chosen: number, available: number): string {
  if (available === 0) {
    return "There are no segments yet. A segment is a list of constraints that several strategies share.";
  }
  return chosen >= MAX_SEGMENTS
    ? `A strategy has at most ${MAX_SEGMENTS} segments.`
    : "All segments are chosen.";
}
