import { ApiError } from "../api/request.ts";
import { describeError } from "../ui/describe-error.ts";
import { describePlace } from "./describe-place.ts";

/** The largest file that the service accepts. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Why a file cannot be imported, in words. */
export class FileProblem extends Error {}

/**
 * Reads the text of a project file. The service checks its content.
 *
 * @throws {FileProblem} if it is not a project file
 */
export function parseProjectFile(text: string): object {
  const file = parseJson(text);
  if (typeof file !== "object" || file === null || !("features" in file)) {
    throw new FileProblem("This is not a file with flags: choose one that was exported here.");
  }
  if ("featureStrategies" in file) {
    throw new FileProblem(
      "This file was exported by Unleash: import it with POST /api/admin/features-batch/import instead.",
    );
  }
  return file;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    throw new FileProblem(`The file is not valid JSON: ${reason}`);
  }
}

/** Says why the service rejects a file, and where in the file the reason is. */
export function describeImportError(error: unknown, file: unknown): string {
  if (error instanceof FileProblem) return error.message;
  const [detail] = error instanceof ApiError && error.status < 500 ? error.details : [];
  if (detail?.path === undefined || !detail.path.startsWith("/body")) return describeError(error);
  const place = describePlace(detail.path, file);
  return place === "" ? `The file ${detail.message}.` : `In ${place}: ${detail.message}.`;
}

/** The name of a downloaded file. */
export function toFileName(project: string, now: Date): string {
  return `${project}-flags-${now.toISOString().slice(0, 10)}.json`;
}
