import { useMutation } from "@tanstack/react-query";
import { Upload } from "lucide-react";
import { useMemo, useState } from "react";
import { FileTrigger } from "react-aria-components/FileTrigger";
import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";
import { describeError } from "../ui/describe-error.ts";
import { Checkbox, TextField } from "../ui/fields.tsx";
import { describeCount, formatCount } from "../ui/numbers.ts";
import { Select } from "../ui/select.tsx";
import { columnChoices, readValueFile, type ValueFile, valuesOf } from "./value-file.ts";
import { parseValues, withValues } from "./values.ts";
import "./long-lists.css";

interface ManyValuesProps {
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
  readonly onClose: () => void;
}

/** Adds or removes many values at once: pasted ones, or those of a file. */
export function ManyValues({ values, onChange, onClose }: ManyValuesProps) {
  const [text, setText] = useState("");
  const [file, setFile] = useState<ValueFile>();
  const reading = useMutation({ mutationFn: readValueFile, onSuccess: setFile });
  const given = useMemo(
    () => (file === undefined ? parseValues(text) : valuesOf(file)),
    [text, file],
  );
  const known = useMemo(() => {
    const present = new Set(values);
    return new Set(given.filter((value) => present.has(value)));
  }, [given, values]);
  const finish = (changed: readonly string[]): void => {
    onChange(changed);
    onClose();
  };
  return (
    <div className="many-values" role="group" aria-label="Add or remove many values">
      {file === undefined ? (
        <TextField
          label="Values to add or remove"
          description="One per line, or separated by commas."
          value={text}
          onChange={setText}
          rows={5}
          isCode
          autoFocus
        />
      ) : (
        <ColumnChoice file={file} onChange={setFile} />
      )}
      {reading.error === null ? null : <Banner kind="error">{describeError(reading.error)}</Banner>}
      <div className="row">
        <FileTrigger
          acceptedFileTypes={[".csv", ".tsv", ".txt", "text/csv", "text/plain"]}
          onSelect={(files) => {
            const [chosen] = files ?? [];
            if (chosen !== undefined) reading.mutate(chosen);
          }}
        >
          <Button size="small" isPending={reading.isPending}>
            <Upload aria-hidden /> Choose a CSV file
          </Button>
        </FileTrigger>
        <span className="muted" role="status">
          {given.length === 0
            ? ""
            : `${describeCount(given.length, "value")}, ${formatCount(known.size)} of them in the list`}
        </span>
      </div>
      <div className="row">
        <Button
          size="small"
          variant="primary"
          isDisabled={known.size === given.length}
          onPress={() => finish(withValues(values, given))}
        >
          Add {describeCount(given.length - known.size, "value")}
        </Button>
        <Button
          size="small"
          isDisabled={known.size === 0}
          onPress={() => finish(values.filter((value) => !known.has(value)))}
        >
          Remove {describeCount(known.size, "value")}
        </Button>
        <Button size="small" variant="quiet" onPress={onClose}>
          Close
        </Button>
      </div>
    </div>
  );
}

interface ColumnChoiceProps {
  readonly file: ValueFile;
  readonly onChange: (file: ValueFile) => void;
}

/** Which values of a file are meant. */
function ColumnChoice({ file, onChange }: ColumnChoiceProps) {
  const choices = columnChoices(file);
  const examples = valuesOf(file).slice(0, 3);
  return (
    <>
      {choices.length > 1 ? (
        <Select
          label={`Column of ${file.name}`}
          choices={choices}
          value={String(file.column)}
          onChange={(id) => onChange({ ...file, column: Number(id) })}
        />
      ) : null}
      <Checkbox
        label="The first row is a heading"
        isSelected={file.hasHeading}
        onChange={(hasHeading) => onChange({ ...file, hasHeading })}
      />
      <p className="muted">
        {examples.length === 0 ? "There are no values." : `Values: ${examples.join(", ")}, …`}
      </p>
    </>
  );
}
