import { useMutation, useQuery } from "@tanstack/react-query";
import { Upload } from "lucide-react";
import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import { DropZone, type DropZoneProps } from "react-aria-components/DropZone";
import { FileTrigger } from "react-aria-components/FileTrigger";
import { Text } from "react-aria-components/Text";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type {
  ChangeRequest,
  ImportReport,
  ImportValidation,
  ProjectEnvironment,
} from "../api/types.ts";
import { asksBeforeChange } from "../changes/asks-before-change.ts";
import { useChange } from "../changes/use-change.ts";
import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";
import { NameList } from "../ui/name-list.tsx";
import { describeCount } from "../ui/numbers.ts";
import { Select } from "../ui/select.tsx";
import {
  describeImportError,
  describeImportProblem,
  environmentsIn,
  type ImportFile,
  readImportFile,
  sourceEnvironment,
} from "./import-file.ts";
import { ImportPreview } from "./import-preview.tsx";

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

interface ChosenFileProps {
  readonly project: string;
  readonly file: ImportFile;
  readonly onClose: () => void;
}

/** A file that can be imported: what that would change, and for a file of Unleash in which environment. */
function ChosenFile({ project, file, onClose }: ChosenFileProps) {
  const id = useId();
  const possible = useProjectEnvironments(project);
  const environments = possible.map(({ name }) => name);
  const [chosen, setChosen] = useState<string>();
  const environment = chosen ?? environments.find((name) => name === sourceEnvironment(file));
  const target = { project, environment: environment ?? "" };
  const check = useQuery<ImportCheck>({
    queryKey: ["import", id, environment],
    queryFn: () => checkImport(file, target),
    enabled: !file.isOfUnleash || environment !== undefined,
    staleTime: Infinity,
    gcTime: 0,
  });
  const importing = useImport(file, target);
  const error = importing.error ?? check.error;
  const changes = check.data?.changes;
  const changing = file.isOfUnleash ? new Set([environment]) : environmentsIn(file);
  return (
    <>
      {file.isOfUnleash ? (
        <EnvironmentChoice
          file={file}
          environments={environments}
          value={environment ?? null}
          onChange={(name) => {
            importing.reset();
            setChosen(name);
          }}
        />
      ) : null}
      {check.isFetching ? (
        <p className="muted" role="status">
          Checking the file…
        </p>
      ) : null}
      {error === null ? null : <ImportFailure error={error} file={file} />}
      {check.data === undefined ? null : <Problems file={file} check={check.data} />}
      {changes === undefined ? null : (
        <ImportPreview
          fileName={file.name}
          report={changes}
          environment={environment}
          askingEnvironments={possible
            .filter((one) => asksBeforeChange(one) && changing.has(one.name))
            .map(({ name }) => name)}
          isPending={importing.isPending}
          onCancel={onClose}
          onImport={() => importing.mutate(changes, { onSuccess: onClose })}
        />
      )}
    </>
  );
}

function useImport(file: ImportFile, target: ImportTarget) {
  const { project } = target;
  const navigate = useNavigate();
  return useChange<ImportReport>({
    run: async () => {
      const result = await runImport(file, target);
      if (isChangeRequest(result)) {
        await navigate({
          to: "/projects/$project/change-requests/$id",
          params: { project, id: String(result.id) },
        });
      }
      return result;
    },
    invalidates: [
      ["change-requests"],
      ["flags", project],
      ["flag", project],
      ["projects"],
      ["segments"],
      ["context-fields"],
      ["tags"],
      ["tag-types"],
      ["strategy-types"],
    ],
    success: ({ created, updated }, result) =>
      isChangeRequest(result)
        ? "The import requires approvals, so it was sent to review"
        : `Imported ${describeCount(created.length + updated.length, "flag")}`,
    showsErrors: true,
  });
}

/** Whether the service has requested the import instead, because it changes flags where changes require approvals. */
function isChangeRequest(result: unknown): result is ChangeRequest {
  return typeof result === "object" && result !== null && "minApprovals" in result;
}

interface EnvironmentChoiceProps {
  readonly file: ImportFile;
  readonly environments: readonly string[];
  readonly value: string | null;
  readonly onChange: (environment: string) => void;
}

/** Says which environment a file of Unleash contains, and lets people choose where to import it. */
function EnvironmentChoice({ file, environments, ...props }: EnvironmentChoiceProps) {
  const source = sourceEnvironment(file);
  return (
    <div className="import-environment">
      <p>
        <strong>{file.name}</strong> is an Unleash export. It contains one environment
        {source === undefined ? "" : `, ${source}`}.
      </p>
      <Select
        {...props}
        label="Import it into the environment"
        placeholder="Choose an environment"
        // A list without entries does not open, and they may still be loading.
        isDisabled={environments.length === 0}
        choices={environments.map((name) => ({ id: name, label: name }))}
      />
    </div>
  );
}

/** Why an import would fail, and what to know before it. */
function Problems({ file, check }: { readonly file: ImportFile; readonly check: ImportCheck }) {
  return (["errors", "warnings"] as const).flatMap((kind) =>
    check[kind].map(({ message, affectedItems }) => (
      <Banner key={message} kind={kind === "errors" ? "error" : "warning"}>
        {affectedItems.length === 0 ? describeImportProblem(message, file) : `${message}:`}
        <NameList names={affectedItems} />
      </Banner>
    )),
  );
}

/** Says why a file cannot be imported. */
function ImportFailure({ error, file }: { error: unknown; file?: ImportFile }) {
  return <Banner kind="error">{describeImportError(error, file)} Nothing was imported.</Banner>;
}

function useProjectEnvironments(project: string): readonly ProjectEnvironment[] {
  const { data = [] } = useQuery(queries.projectEnvironments(project));
  return data.filter(({ visible }) => visible);
}

/** Where the flags of a file are imported to. */
interface ImportTarget {
  readonly project: string;
  /** For files of Unleash, which contain one environment. */
  readonly environment: string;
}

/** What an import would do. */
type ImportCheck = Pick<ImportValidation, "changes" | "errors" | "warnings">;

/** Finds out what an import would change, without changing anything. */
async function checkImport(file: ImportFile, target: ImportTarget): Promise<ImportCheck> {
  if (file.isOfUnleash) return sendBatch("validate", file, target);
  return { errors: [], warnings: [], changes: await sendProject(file, target, true) };
}

function runImport(file: ImportFile, target: ImportTarget): Promise<unknown> {
  return file.isOfUnleash ? sendBatch("import", file, target) : sendProject(file, target, false);
}

function sendBatch<Body>(action: string, file: ImportFile, target: ImportTarget): Promise<Body> {
  return request(adminPath`/features-batch/${action}`, {
    method: "POST",
    body: { ...target, data: file.content },
  });
}

function sendProject(
  { content }: ImportFile,
  { project }: ImportTarget,
  isDryRun: boolean,
): Promise<ImportReport> {
  return request(`${adminPath`/projects/${project}/import`}?dryRun=${isDryRun}`, {
    method: "POST",
    body: content,
  });
}
