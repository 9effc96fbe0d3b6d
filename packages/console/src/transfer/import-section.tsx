import { useMutation } from "@tanstack/react-query";
import { Upload } from "lucide-react";
import { DropZone, type DropZoneProps } from "react-aria-components/DropZone";
import { FileTrigger } from "react-aria-components/FileTrigger";
import { Text } from "react-aria-components/Text";
import { Button } from "../ui/button.tsx";
import { ChosenFile, ImportFailure } from "./chosen-file.tsx";
import { readImportFile } from "./import-file.ts";

/** Imports a file in two steps: a preview changes nothing. */
export function ImportSection({ project }: { readonly project: string }) {
  const reading = useMutation({ mutationFn: readImportFile });
  const { data: file, error, submittedAt } = reading;
  return (
    <section className="card card-body" aria-labelledby="import-heading">
      <h2 id="import-heading">Import</h2>
      <p>
        New flags are created, and flags with the same name get the state and the strategies of the
        file. Flags that are not in the file stay as they are. You see what would change before
        anything does. You can also import Unleash exports.
      </p>
      <DropZone
        className="drop-zone"
        getDropOperation={() => "copy"}
        onDrop={({ items }: DropEvent) => {
          const item = items.find((entry) => entry.kind === "file");
          if (item !== undefined) void item.getFile().then((dropped) => reading.mutate(dropped));
        }}
      >
        <Upload aria-hidden />
        <Text slot="label">Drop a file with flags here, or</Text>
        <FileTrigger
          acceptedFileTypes={["application/json", ".json"]}
          onSelect={(files) => {
            const [chosen] = files ?? [];
            if (chosen !== undefined) reading.mutate(chosen);
          }}
        >
          <Button isPending={reading.isPending}>Choose a file</Button>
        </FileTrigger>
      </DropZone>
      {error === null ? null : <ImportFailure error={error} />}
      {file === undefined ? null : (
        <ChosenFile key={submittedAt} project={project} file={file} onClose={reading.reset} />
      )}
    </section>
  );
}

type DropEvent = Parameters<NonNullable<DropZoneProps["onDrop"]>>[0];
