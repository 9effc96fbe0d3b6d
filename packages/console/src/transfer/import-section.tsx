import { useMutation, useQuery } from "@tanstack/react-query";
import { Upload } from "lucide-react";
import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import { DropZone, type DropZoneProps } from "react-aria-components/DropZone";
import { FileTrigger } from "react-aria-components/FileTrigger";
import { Text } from "react-aria-components/Text";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { ChangeRequest, ImportReport, ProjectEnvironment } from "../api/types.ts";
import { asksBeforeChange } from "../changes/asks-before-change.ts";
import { useChange } from "../changes/use-change.ts";
import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";
import { describeCount } from "../ui/numbers.ts";
import { describeImportError, type ImportFile, readImportFile } from "./import-file.ts";
import { ImportPreview } from "./import-preview.tsx";
import { ImportResult } from "./import-result.tsx";
import { NOTHING_CHOSEN, targetOf, toImportBody } from "./import-selection.ts";
import { countFlags, listMissing } from "./import-items.ts";
import { SelectionFields } from "./selection-fields.tsx";

/** Imports a file in two steps: a preview changes nothing. */
export function ImportSection({ project }: { readonly project: string }) {
  const reading = useMutation({ mutationFn: readImportFile });
  const { data: file, error, submittedAt } = reading;
  return (
    <section className="card card-body" aria-labelledby="import-heading">
      <h2 id="import-heading">Import</h2>
      <p>
        Choose a file that was exported here, or an export or a state file of an Unleash server, in
        JSON or YAML. You see what would change before anything does. Flags that are not in the file
        stay as they are.
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
          acceptedFileTypes={["application/json", ".json", ".yaml", ".yml"]}
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

interface ChosenFileProps {
  readonly project: string;
  readonly file: ImportFile;
  readonly onClose: () => void;
}

/** A file that can be imported: what of it, where to, and what that would change. */
function ChosenFile({ project, file, onClose }: ChosenFileProps) {
  const possible = useProjectEnvironments(project);
  const target = { project, environments: possible.map(({ name }) => name) };
  const [selection, setSelection] = useState(NOTHING_CHOSEN);
  const [result, setResult] = useState<ImportReport>();
  const id = useId();
  const inspected = usePreview(id, toImportBody(file, undefined, selection, target));
  const contents = inspected.data?.contents;
  const body = contents && toImportBody(file, contents, selection, target);
  const preview = usePreview(id, body);
  const importing = useImport(project, (report) => {
    if (listMissing(report).length > 0) setResult(report);
    else onClose();
  });
  const error = importing.error ?? preview.error ?? inspected.error;
  const report = body === undefined ? undefined : preview.data;
  const changing = new Set(
    (contents?.environments ?? []).map((name) => targetOf(name, selection, target)),
  );
  if (result !== undefined) {
    return <ImportResult fileName={file.name} report={result} onClose={onClose} />;
  }
  return (
    <>
      {inspected.data === undefined ? null : (
        <SelectionFields
          fileName={file.name}
          report={inspected.data}
          selection={selection}
          target={target}
          onChange={(changed) => {
            importing.reset();
            setSelection(changed);
          }}
        />
      )}
      {inspected.isFetching || preview.isFetching ? (
        <p className="muted" role="status">
          Checking the file…
        </p>
      ) : null}
      {error === null ? null : <ImportFailure error={error} />}
      {body === undefined || report === undefined ? null : (
        <ImportPreview
          report={report}
          overwrites={selection.overwrites}
          onOverwrite={(overwrites) => setSelection({ ...selection, overwrites })}
          askingEnvironments={possible
            .filter((one) => asksBeforeChange(one) && changing.has(one.name))
            .map(({ name }) => name)}
          isPending={importing.isPending}
          onCancel={onClose}
          onImport={() => importing.mutate(body)}
        />
      )}
    </>
  );
}

/** Finds out what an import would do, without doing it. */
function usePreview(id: string, body: object | undefined) {
  return useQuery<ImportReport>({
    queryKey: ["import", id, { ...body, file: undefined }],
    queryFn: () => sendImport(body ?? {}, true),
    enabled: body !== undefined,
    staleTime: Infinity,
    gcTime: 0,
  });
}

function useImport(project: string, onImported: (report: ImportReport) => void) {
  const navigate = useNavigate();
  return useChange<object, ImportReport | ChangeRequest>({
    run: async (body) => {
      const result = await sendImport<ChangeRequest | ImportReport>(body, false);
      if (isChangeRequest(result)) {
        await navigate({
          to: "/projects/$project/change-requests/$id",
          params: { project, id: String(result.id) },
        });
      } else onImported(result);
      return result;
    },
    // Everything that an import can create.
    invalidates: [
      ["change-requests"],
      ["flags"],
      ["flag"],
      ["projects"],
      ["environments"],
      ["segments"],
      ["context-fields"],
      ["tags"],
      ["tag-types"],
      ["strategy-types"],
    ],
    success: (_body, result) =>
      isChangeRequest(result)
        ? "The import requires approvals, so it was sent to review"
        : `Imported ${describeCount(countFlags(result.items, "created", "updated"), "flag")}`,
    showsErrors: true,
  });
}

/** Whether the service has requested the import instead, because it changes flags where changes require approvals. */
function isChangeRequest(result: ChangeRequest | ImportReport): result is ChangeRequest {
  return "minApprovals" in result;
}

/** Says why a file cannot be imported. */
function ImportFailure({ error }: { readonly error: unknown }) {
  return <Banner kind="error">{describeImportError(error)} Nothing was imported.</Banner>;
}

function useProjectEnvironments(project: string): readonly ProjectEnvironment[] {
  const { data = [] } = useQuery(queries.projectEnvironments(project));
  return data.filter(({ visible }) => visible);
}

function sendImport<Result>(body: object, isDryRun: boolean): Promise<Result> {
  return request(`${adminPath`/import`}?dryRun=${isDryRun}`, { method: "POST", body });
}
