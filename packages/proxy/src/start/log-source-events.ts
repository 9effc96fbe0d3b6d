import { UpstreamSource } from "../upstream/upstream-source.ts";
import type { FlagSource } from "../upstream/flag-source.ts";
import type { SharingRole } from "../upstream/sharing/shared-synchronizer.ts";
import type { Logger } from "flags-server-kit/neutral";
import type { Source } from "../sources/sources.ts";
import type { StoredFlags } from "../store/stored-flags.ts";

/** With several sources, each message names its source. Returns a function that stops this. */
export function logSourceEvents(sources: readonly Source[], logger: Logger): () => void {
  const stops = sources.map((source) =>
    logEvents(source, logger, sources.length === 1 ? "" : `${source.name}: `),
  );
  return () => stops.forEach((stop) => stop());
}

const ROLE_MESSAGES: Readonly<Record<SharingRole, string>> = {
  holder: "This replica follows the upstream, and shares its flags with the others",
  follower: "Another replica follows the upstream, and shares its flags with this one",
  alone: "This replica follows the upstream on its own and does not share its flags",
};

function logEvents(
  { flags, storedFlags, onFailure }: Source,
  logger: Logger,
  prefix: string,
): () => void {
  let isSynchronized = false;
  const onError = (error: Error): void => {
    if (prefix === "") logger.error(error);
    else logger.error(`${prefix}${error.message}`, error);
  };
  const onWarn = (message: string): void => logger.warn(prefix + message);
  const onSynchronized = (origin: "bootstrap" | "upstream"): void => {
    isSynchronized = true;
    // A file is logged each time it is read.
    if (flags.origin === "file") return;
    logger.info(
      prefix +
        (origin === "bootstrap"
          ? "Started with the flags of the bootstrap, until the upstream responds"
          : "Synchronized with the upstream"),
    );
  };
  let hasFailed = false;
  let lastState: Fallback | undefined;
  // NOTE: not before a failure, because stored flags usually arrive shortly before those of the upstream.
  const warnOfFallback = (): void => {
    const state = hasFailed ? findFallback(flags, storedFlags) : undefined;
    if (state === undefined || state === lastState) return;
    lastState = state;
    if (state === "none") {
      logger.warn(
        `${prefix}Requests get a 503 until the upstream sends flags: flags-proxy check with the same settings says what to do`,
      );
    } else if (state === "stored") {
      logger.warn(
        `${prefix}Serving the flags of the store, which the upstream confirmed ${storedFlags?.describeAge()}, until the upstream sends flags`,
      );
    } else {
      logger.warn(
        `${prefix}The store ${storedFlags?.store.address} contains no flags of this upstream and token, so requests get a 503 until the upstream sends flags`,
      );
    }
  };
  onFailure(() => {
    hasFailed = true;
    // After the reason, which is logged next.
    queueMicrotask(warnOfFallback);
  });
  // NOTE: stored flags do not count as synchronized. Those of another replica are logged with the role.
  const onReady = (): void => {
    warnOfFallback();
    if (isSynchronized || storedFlags === undefined || flags.origin !== "store") return;
    logger.info(
      `${prefix}Started with the flags of the store, which the upstream confirmed ${storedFlags.describeAge()}`,
    );
  };
  flags.on("error", onError).on("warn", onWarn).on("synchronized", onSynchronized);
  flags.on("ready", onReady);
  const onRole = (role: SharingRole): void => logger.info(prefix + ROLE_MESSAGES[role]);
  if (flags instanceof UpstreamSource) flags.events.on("role", onRole);
  return () => {
    if (flags instanceof UpstreamSource) flags.events.off("role", onRole);
    flags.off("error", onError).off("warn", onWarn).off("synchronized", onSynchronized);
    flags.off("ready", onReady);
  };
}

/** What a source serves until the upstream has sent flags: those of its store, or none, with or without a store. */
type Fallback = "stored" | "empty store" | "none";

/** Undefined if the source has other flags, or while it reads its store. */
function findFallback(
  flags: FlagSource,
  storedFlags: StoredFlags | undefined,
): Fallback | undefined {
  if (flags.lastFetchAtMs !== undefined) return undefined;
  // Otherwise, they are those of another replica.
  if (flags.origin === "store") return storedFlags?.hasRestored === true ? "stored" : undefined;
  if (flags.snapshot !== undefined || !(flags instanceof UpstreamSource)) return undefined;
  if (storedFlags === undefined) return "none";
  return storedFlags.isEmpty ? "empty store" : undefined;
}
