import { useMutation } from "@tanstack/react-query";
import { Upload } from "lucide-react";
import { DropZone, type DropZoneProps } from "react-aria-components/DropZone";
import { FileTrigger } from "react-aria-components/FileTrigger";
import { Text } from "react-aria-components/Text";
import { useState } from "react";
import { adminPath, request } from "../api/request.ts";
import type { ImportReport } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { Button } from "../ui/button.tsx";
import { describeCount } from "../ui/count.ts";
import { Banner } from "../ui/page.tsx";
import { ImportPreview } from "./import-preview.tsx";
import {
  describeImportError,
  FileProblem,
  MAX_FILE_BYTES,
  parseProjectFile,
} from "./project-file.ts";

interface Preview {
  readonly name: string;
  readonly content: object;
  readonly report: ImportReport;
}

/** Imports a file in two steps: a preview changes nothing. */
export function ImportSection({ project }: { readonly project: string }) {
  const [content, setContent] = useState<object>();
  const [preview, setPreview] = useState<Preview>();
  const send = (file: object, isDryRun: boolean): Promise<ImportReport> =>
    request(`${adminPath`/projects/${project}/import`}?dryRun=${isDryRun}`, {
      method: "POST",
      body: file,
    });
  const checking = useMutation({
    mutationFn: async (file: File) => {
      setPreview(undefined);
      setContent(undefined);
      const parsed = await readProjectFile(file);
      setContent(parsed);
      setPreview({ name: file.name, content: parsed, report: await send(parsed, true) });
    },
  });
  const importing = useChange<Preview, ImportReport>({
    run: ({ content: file }) => send(file, false),
    outdates: [
      ["flags", project],
      ["flag", project],
      ["projects"],
      ["segments"],
      ["context-fields"],
      ["tags"],
      ["tag-types"],
      ["strategy-types"],
    ],
    success: (_input, { created, updated }) =>
      `Imported ${describeCount(created.length + updated.length, "flag")}`,
    showsErrors: true,
  });
  const error = importing.error ?? checking.error;
  const choose = (file: File): void => {
    importing.reset();
    checking.mutate(file);
  };
  return (
    <section className="card card-body" aria-labelledby="import-heading">
      <h2 id="import-heading">Import</h2>
      <p>
        New flags are created, and flags with the same name get the state and the strategies of the
        file. Flags that are not in the file stay as they are. You see what will change before
        anything does.
      </p>
      <DropZone
        className="drop-zone"
        getDropOperation={() => "copy"}
        onDrop={({ items }: DropEvent) => {
          const item = items.find((entry) => entry.kind === "file");
          if (item !== undefined) void item.getFile().then(choose);
        }}
      >
        <Upload aria-hidden />
        <Text slot="label">Drop a file with flags here, or</Text>
        <FileTrigger
          acceptedFileTypes={["application/json", ".json"]}
          onSelect={(files) => {
            const [file] = files ?? [];
            if (file !== undefined) choose(file);
          }}
        >
          <Button isPending={checking.isPending}>Choose a file</Button>
        </FileTrigger>
      </DropZone>
      {error === null ? null : (
        <Banner kind="error">{describeImportError(error, content)} Nothing was imported.</Banner>
      )}
      {preview === undefined ? null : (
        <ImportPreview
          fileName={preview.name}
          report={preview.report}
          isPending={importing.isPending}
          onCancel={() => setPreview(undefined)}
          onImport={() => importing.mutate(preview, { onSuccess: () => setPreview(undefined) })}
        />
      )}
    </section>
  );
}

type DropEvent = Parameters<NonNullable<DropZoneProps["onDrop"]>>[0];

async function readProjectFile(file: File): Promise<object> {
  if (file.size > MAX_FILE_BYTES) {
    throw new FileProblem("The file is larger than 16 MB, which is more than 5,000 flags need.");
  }
  return parseProjectFile(await file.text());
}
