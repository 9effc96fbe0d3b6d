import { ApiError } from "../api/request.ts";
import { describeError } from "../ui/describe-error.ts";

/** The largest file that the service accepts. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** A file with flags. The service checks its content. */
export interface ImportFile {
  readonly name: string;
  /** The content of a JSON file; the text of any other file, which the service parses. */
  readonly content: unknown;
}

/** Why a file cannot be imported, in words. */
export class FileProblem extends Error {}

/** @throws {FileProblem} if the file is too large, or invalid JSON */
export async function readImportFile(file: File): Promise<ImportFile> {
  if (file.size > MAX_FILE_BYTES) {
    throw new FileProblem(
      "The file is too large: an import can have up to 16 MiB and 5,000 flags.",
    );
  }
  return parseImportFile(file.name, await file.text());
}

/** @throws {FileProblem} if the text is invalid JSON */
export function parseImportFile(name: string, text: string): ImportFile {
  if (!/^\s*[[{]/.test(text)) return { name, content: text };
  try {
    return { name, content: JSON.parse(text) as unknown };
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    throw new FileProblem(`The file is not valid JSON: ${reason}.`);
  }
}

/** Says why a file cannot be imported. The service says where in the file the reason is. */
export function describeImportError(error: unknown): string {
  if (error instanceof FileProblem) return error.message;
  const isExplained = error instanceof ApiError && error.status < 500;
  return isExplained && /^(?:In|The file) /.test(error.message)
    ? `${error.message}.`
    : describeError(error);
}

/** The name of a downloaded file. */
export function toFileName(project: string, now: Date): string {
  return `${project}-flags-${now.toISOString().slice(0, 10)}.json`;
}
