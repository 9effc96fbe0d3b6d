import { adminPath, request } from "../api/request.ts";
import type { ImportReport, ImportValidation } from "../api/types.ts";
import type { ImportFile } from "./import-file.ts";

/** Where the flags of a file are imported to. */
export interface ImportTarget {
  readonly project: string;
  /** For files of Unleash, which contain one environment. */
  readonly environment: string;
}

/** What an import would do. */
export type ImportCheck = Pick<ImportValidation, "changes" | "errors" | "warnings">;

/** Finds out what an import would change, without changing anything. */
export async function checkImport(file: ImportFile, target: ImportTarget): Promise<ImportCheck> {
  if (file.isOfUnleash) return sendBatch("validate", file, target);
  return { errors: [], warnings: [], changes: await sendProject(file, target, true) };
}

export function runImport(file: ImportFile, target: ImportTarget): Promise<unknown> {
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
