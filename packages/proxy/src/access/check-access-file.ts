import { digestKey } from "../key-digest.ts";
import type { TokenScope } from "../token-scope.ts";
import { assignSources } from "./create-grants.ts";
import { AccessFileError, readAccessFile } from "./read-access-file.ts";

interface RelatedSettings {
  /** The sources; none if settings are missing. */
  readonly sources: readonly { readonly scope: TokenScope | undefined }[];
  /** The keys in settings. */
  readonly keys: readonly string[];
}

/** Returns the problems of an access file, each as a sentence that begins with its position. */
export async function checkAccessFile(
  path: string,
  { sources, keys }: RelatedSettings,
): Promise<readonly string[]> {
  const survey = {
    sources,
    staticKeys: new Set(keys.map(digestKey)),
  };
  try {
    const file = await readAccessFile(path);
    if (sources.length === 0) return file.problems;
    assignSources(file, survey);
    return [];
  } catch (error) {
    if (error instanceof AccessFileError) return error.problems;
    throw error;
  }
}
