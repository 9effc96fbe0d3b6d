import { DocumentError, parseDocument } from "flags-engine";
import { codeOf, toErrorMessage } from "flags-server-kit/neutral";
import { explainUnreadable } from "flags-server-kit";
import type { FlagDocument } from "./project-exports.ts";
import { toFlagDocument } from "./to-flag-document.ts";
import { parseJson, type ParsedText, parseYaml, type ValuePath } from "./parse-text.ts";
import { combineStates, FileError, type FollowedFiles, readText } from "./read-file.ts";

/** As for a response of an upstream. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** A file with the flags of one environment. */
export interface FlagFile {
  readonly path: string;
  /** The environment that it is served as; undefined if none is named, and all keys may use it. */
  readonly environment: string | undefined;
  /** The directory whose files are served; undefined for a single file. */
  readonly directory?: string;
}

interface ReadFlagFile extends FollowedFiles {
  readonly document: FlagDocument;
  readonly warnings: readonly string[];
  readonly sizeBytes: number;
  /** Adds the position to an error about the document. */
  readonly locateError: (error: unknown) => Error;
}

/** @throws {FileError} if it is not readable or not in a known form */
export async function readFlagFile({ path, environment }: FlagFile): Promise<ReadFlagFile> {
  const { text, fingerprint } = await readText(path, MAX_FILE_BYTES).catch((error: unknown) => {
    throw new FileError([explainUnreadable(error)], followed(path, codeOf(error)));
  });
  const files = followed(path, fingerprint);
  try {
    const parsed = await parseFlagFile(text, path);
    const read = toFlagDocument(parsed, environment);
    const locateError = (error: unknown): Error => withPosition(error, parsed, files);
    return { ...files, ...read, sizeBytes: Buffer.byteLength(text), locateError };
  } catch (error) {
    if (error instanceof FileError) throw new FileError(error.problems, files);
    throw error;
  }
}

/** Parses YAML if the name of the file ends in `.yaml` or `.yml`, otherwise JSON. */
export async function parseFlagFile(text: string, path: string): Promise<ParsedText> {
  if (text.trim() === "") throw new FileError(["it is empty"]);
  return /\.ya?ml$/i.test(path) ? parseYaml(text) : parseJson(text);
}

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
    return toErrorMessage(error);
  }
}

function followed(path: string, state: string): FollowedFiles {
  return { paths: [path], fingerprint: combineStates([state]) };
}

/** NOTE: the message of an error about a document begins with the path of the value, if there is one. */
function withPosition(error: unknown, { locate }: ParsedText, files: FollowedFiles): Error {
  if (!(error instanceof DocumentError)) {
    return error instanceof Error ? error : new Error(String(error));
  }
  const { message } = error;
  const [, list = "", index, member] =
    /^(features|segments)(?:\[(\d+)\])?(?:\.(\w+))?/.exec(message) ?? [];
  const path: ValuePath = [
    ...(list === "" ? [] : [list]),
    ...(index === undefined ? [] : [Number(index)]),
    ...(member === undefined ? [] : [member]),
  ];
  return new FileError([`${locate(path)}: ${message}`], files);
}
