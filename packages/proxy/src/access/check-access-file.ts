import { digestKey } from "../key-digest.ts";
import { parseTokenScope } from "../token-scope.ts";
import { assignSources } from "./create-grants.ts";
import { AccessFileError, readAccessFile } from "./read-access-file.ts";

interface RelatedSettings {
  /** The upstream tokens. */
  readonly tokens: readonly string[];
  /** The keys in settings. */
  readonly keys: readonly string[];
}

/** Returns the problems of an access file, each as a sentence that begins with its position. */
export async function checkAccessFile(
  path: string,
  { tokens, keys }: RelatedSettings,
): Promise<readonly string[]> {
  const survey = {
    sources: tokens.map((token) => ({ scope: parseTokenScope(token) })),
    staticKeys: new Set(keys.map(digestKey)),
  };
  try {
    const file = await readAccessFile(path);
    if (tokens.length === 0) return file.problems;
    assignSources(file, survey);
    return [];
  } catch (error) {
    if (error instanceof AccessFileError) return error.problems;
    throw error;
  }
}
