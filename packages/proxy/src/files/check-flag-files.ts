import { parseDocument } from "flags-engine";
import { type FlagFile, readFlagFile } from "./read-flag-file.ts";

/** Returns the problems of files with flags, each as a sentence that begins with the path. */
export async function checkFlagFiles(files: readonly FlagFile[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const file of files) {
    // oxlint-disable-next-line no-await-in-loop -- so that only one document is in memory
    const problem = await findProblem(file);
    if (problem !== undefined) problems.push(`${file.path}: ${problem}`);
  }
  return problems;
}

async function findProblem(file: FlagFile): Promise<string | undefined> {
  try {
    const { document, locateError } = await readFlagFile(file);
    try {
      parseDocument(document);
      return undefined;
    } catch (error) {
      return locateError(error).message;
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
