import { findWeakSecrets, MIN_PUBLIC_KEY_LENGTH, MIN_SECRET_LENGTH } from "flags-server-kit";
import { digestKey } from "../core/access/grant.ts";
import type { TokenScope } from "../sources/token-scope.ts";
import { assignSources } from "./create-grants.ts";
import { type AccessEntry, readAccessFile } from "./read-access-file.ts";
import { FileError } from "../files/read-file.ts";

interface RelatedSettings {
  /** None if settings are missing. */
  readonly sources: readonly { readonly scope: TokenScope | undefined }[];
  /** The keys in settings. */
  readonly keys: readonly string[];
  readonly isLoopback: boolean;
}

interface AccessFileCheck {
  /** Reasons not to start; each begins with its position. */
  readonly problems: readonly string[];
  /** Keys that are easy to guess or have expired, by name. */
  readonly risks: readonly string[];
}

/** More of these keys are not listed: they usually have the same cause. */
const MAX_RISKS = 20;

export async function checkAccessFile(
  path: string,
  { sources, keys, isLoopback }: RelatedSettings,
): Promise<AccessFileCheck> {
  try {
    const file = await readAccessFile(path);
    const risks = file.entries
      .flatMap((entry) => [...findRisks(entry, isLoopback)])
      .slice(0, MAX_RISKS);
    if (sources.length === 0) return { problems: file.problems, risks };
    assignSources(file, { sources, staticKeys: new Set(keys.map(digestKey)) });
    return { problems: [], risks };
  } catch (error) {
    if (error instanceof FileError) return { problems: error.problems, risks: [] };
    throw error;
  }
}

function* findRisks(
  { key, fields: { name, kind, expiresAt = "" } }: AccessEntry,
  isLoopback: boolean,
): Generator<string, undefined> {
  if (Date.parse(expiresAt) <= Date.now()) {
    yield `the key ${name} expired at ${expiresAt}, so it is rejected: remove it, or correct the time`;
  }
  // NOTE: the length of a key that is given as a digest is not known.
  if (key === undefined) return undefined;
  const minLength = kind === "server" ? MIN_SECRET_LENGTH : MIN_PUBLIC_KEY_LENGTH;
  yield* findWeakSecrets(`the key ${name}`, key, { minLength, isLoopback });
  return undefined;
}
