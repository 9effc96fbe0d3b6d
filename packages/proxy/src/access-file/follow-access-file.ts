import { describeCount } from "flags-sdk/neutral";
import { ConfigError } from "flags-server-kit";
import { type Logger, toErrorMessage } from "flags-server-kit/neutral";
import { FileFollower } from "../files/file-follower.ts";
import { FileError } from "../files/read-file.ts";
import type { Source } from "../sources/sources.ts";
import type { AccessControl } from "../core/access/access-control.ts";
import { createFileGrants } from "./create-grants.ts";
import { readAccessFile } from "./read-access-file.ts";
import { createKeysClient, createRemoteKeys, type KeySet } from "./signing/remote-keys.ts";

/** How often expired keys are noticed, to end their streams. Requests are checked exactly. */
const EXPIRY_CHECK_INTERVAL_MS = 250;

interface AccessFileOptions {
  readonly logger: Logger;
  readonly httpProxy: string | undefined;
  readonly httpsProxy: string | undefined;
  readonly noProxy: string | undefined;
}

/**
 * Adds the keys of an access file, and follows its changes until the keys are closed. NOTE: loaded only if there is a
 * file, since compiling its schema would slow down every start.
 *
 * @throws {ConfigError} if the file is invalid
 */
export async function followAccessFile(
  path: string,
  access: AccessControl,
  sources: readonly Source[],
  { logger, httpProxy = "", httpsProxy = "", noProxy = "" }: AccessFileOptions,
): Promise<void> {
  const staticKeys = new Set(access.static.map(({ key }) => key));
  const keySets = new Map<string, KeySet>();
  let http: ReturnType<typeof createKeysClient> | undefined;
  const keysAt = (href: string): KeySet => {
    http ??= createKeysClient({ httpProxy, httpsProxy, noProxy });
    const keys = keySets.get(href) ?? createRemoteKeys(new URL(href), http, logger);
    keySets.set(href, keys);
    return keys;
  };
  const load = async () => {
    const file = await readAccessFile(path, keysAt);
    const grants = createFileGrants(file, { sources, staticKeys }, access.visibility);
    access.replaceFileGrants(grants);
    return { file, count: describeCount(grants.length, "key") };
  };
  const { file: first } = await load().catch((error: unknown) => {
    if (!(error instanceof FileError)) throw error;
    throw new ConfigError(error.problems.map((problem) => `${path}: ${problem}`));
  });

  let logged = "";
  const follower = new FileFollower(first, async () => {
    try {
      const { file, count } = await load();
      if (logged === "") logger.info(`Read ${count} from ${path}`);
      else logger.warn(`${path} can be used again: read ${count}`);
      logged = "";
      return file;
    } catch (error) {
      access.rejectFile();
      const reason = toErrorMessage(error);
      // A file that cannot be decoded is read again and again.
      if (reason !== logged)
        logger.error(`Cannot use ${path}; the previous keys stay in use: ${reason}`);
      logged = reason;
      return error instanceof FileError ? error.files : undefined;
    }
  });
  const stopChecking = followExpiry(access);
  access.onClose(() => {
    follower.close();
    stopChecking();
    void http?.close();
  });
}

function followExpiry(access: AccessControl): () => void {
  let checkedMs = Date.now();
  const timer = setInterval(() => {
    const nowMs = Date.now();
    const hasExpired = access.fileGrants.some(({ rules }) => {
      const timeMs = rules?.expiresAtMs ?? 0;
      return timeMs > checkedMs && timeMs <= nowMs;
    });
    if (hasExpired) access.notify();
    checkedMs = nowMs;
  }, EXPIRY_CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
