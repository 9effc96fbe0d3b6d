import { dirname, resolve } from "node:path";
import { codeOf } from "flags-server-kit/neutral";
import { explainUnreadable } from "flags-server-kit";
import {
  combineStates,
  FileError,
  type FollowedFiles,
  ReadError,
  readText,
} from "../files/read-file.ts";
import { digestKey } from "../core/access/grant.ts";
import { parseTokenScope, type TokenScope } from "../sources/token-scope.ts";
import { type AccessFileKey, MAX_KEY_FILES } from "./access-schema.ts";
import { type DescribeProblem, parseAccessFile } from "./parse-access-file.ts";
import {
  type KeysAt,
  type ReadNamedFile,
  readSigning,
  type Signing,
} from "./signing/read-signing.ts";

export interface AccessEntry {
  readonly index: number;
  readonly fields: AccessFileKey;
  /** As in a grant. */
  readonly digest: string;
  /** Undefined if only the digest is given. */
  readonly key: string | undefined;
  readonly keyScope: TokenScope | undefined;
  /** How contexts are signed. @default they need not be */
  readonly signing: Signing | undefined;
}

export interface AccessFile extends FollowedFiles {
  readonly entries: readonly AccessEntry[];
  readonly describe: DescribeProblem;
  /** Problems of entries, which `entries` does not contain. The file must not be used then. */
  readonly problems: readonly string[];
}

const MAX_FILE_BYTES = 32 * 1024 * 1024;
const MAX_KEY_FILE_BYTES = 4096;

/** For reading a file without its keys at URLs. */
const noKeys: KeysAt = () => () => Promise.reject(new Error("The keys have not been read"));

/**
 * Reads an access file and the files with keys that it names.
 *
 * @throws {FileError} if it is not readable, or neither valid JSON nor valid YAML
 */
export async function readAccessFile(path: string, keysAt = noKeys): Promise<AccessFile> {
  const states = new Map<string, string>();
  const readFile = async (filePath: string, maxBytes: number): Promise<string> => {
    try {
      const { text, fingerprint } = await readText(filePath, maxBytes);
      states.set(filePath, fingerprint);
      return text;
    } catch (error) {
      states.set(filePath, codeOf(error));
      throw error;
    }
  };
  const followed = (): FollowedFiles => {
    return { paths: [...states.keys()], fingerprint: combineStates([...states.values()]) };
  };
  const text = await readFile(path, MAX_FILE_BYTES).catch((error: unknown) => {
    throw new FileError([explainUnreadable(error)], followed());
  });
  const parsed = await parseAccessFile(text).catch((error: unknown) => {
    throw error instanceof FileError ? new FileError(error.problems, followed()) : error;
  });

  const { keys, describe } = parsed;
  const problems = [...parsed.problems];
  const readNamedFile = createNamedFileReader(dirname(path), readFile);
  const entries: AccessEntry[] = [];
  for (const [index, fields] of keys) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- only a few keys are in files
      const key = await readKey(fields, readNamedFile);
      const digest = key === undefined ? fromHex(fields.keySha256 ?? "") : digestKey(key);
      entries.push({
        index,
        fields,
        digest,
        key,
        keyScope: key === undefined ? undefined : parseTokenScope(key),
        // oxlint-disable-next-line no-await-in-loop -- entries usually name the same files
        signing: await readSigning(fields.signedContext, readNamedFile, keysAt),
      });
    } catch (error) {
      if (!(error instanceof ReadError)) throw error;
      problems.push(describe({ path: ["keys", index], message: error.message }));
    }
  }
  problems.push(...findDuplicates(entries, describe));
  return { entries, describe, problems, ...followed() };
}

/** Reads each file once, however many entries name it. */
function createNamedFileReader(
  directory: string,
  readFile: (path: string, maxBytes: number) => Promise<string>,
): ReadNamedFile {
  const texts = new Map<string, Promise<string>>();
  return async (field, path, maxBytes = MAX_KEY_FILE_BYTES) => {
    const absolutePath = resolve(directory, path);
    const known = texts.get(absolutePath);
    if (known === undefined && texts.size >= MAX_KEY_FILES) {
      throw new ReadError(`has one of more than ${MAX_KEY_FILES} files in \`${field}\``);
    }
    const text = known ?? readFile(absolutePath, maxBytes);
    texts.set(absolutePath, text);
    try {
      return (await text).trim();
    } catch (error) {
      throw new ReadError(`has a \`${field}\` that cannot be used: ${explainUnreadable(error)}`);
    }
  };
}

/** Undefined if only the digest is given. */
async function readKey(
  { key, keyFile, keySha256 }: AccessFileKey,
  readNamedFile: ReadNamedFile,
): Promise<string | undefined> {
  const given = [key, keyFile, keySha256].filter((text) => text !== undefined);
  if (given.length !== 1) {
    throw new ReadError("must have exactly one of `key`, `keyFile` and `keySha256`");
  }
  if (keyFile === undefined) return key;
  const content = await readNamedFile("keyFile", keyFile);
  if (KEY.test(content)) return content;
  throw new ReadError("has a `keyFile` that does not contain one key, without spaces");
}

const KEY = /^[!-~]{1,1000}$/;

function fromHex(digest: string): string {
  return Buffer.from(digest, "hex").toString("base64url");
}

function findDuplicates(
  entries: readonly AccessEntry[],
  describe: DescribeProblem,
): readonly string[] {
  const names = new Map<string, number>();
  const digests = new Map<string, number>();
  const problems: string[] = [];
  for (const { index, fields, digest } of entries) {
    const sameName = names.get(fields.name);
    const sameKey = digests.get(digest);
    if (sameName !== undefined) {
      const message = `is also the name of \`keys[${sameName}]\`: names must be unique`;
      problems.push(describe({ path: ["keys", index, "name"], message }));
    }
    if (sameKey !== undefined) {
      const message = `has the same key as \`keys[${sameKey}]\`: keys must be unique`;
      problems.push(describe({ path: ["keys", index], message }));
    }
    names.set(fields.name, index);
    digests.set(digest, index);
  }
  return problems;
}
