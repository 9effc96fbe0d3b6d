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
  let lastWarning: StoreUse | undefined;
  // NOTE: not before a failure, because stored flags usually arrive shortly before those of the upstream.
  const warnOfStore = (): void => {
    const use = storedFlags && hasFailed ? findStoreUse(flags, storedFlags) : undefined;
    if (storedFlags === undefined || use === undefined || use === lastWarning) return;
    lastWarning = use;
    logger.warn(
      prefix +
        (use === "serving"
          ? `Serving the flags of the store, which the upstream confirmed ${storedFlags.describeAge()}, until the upstream sends flags`
          : `The store ${storedFlags.store.address} contains no flags of this upstream and token, so requests get a 503 until the upstream sends flags`),
    );
  };
  onFailure(() => {
    hasFailed = true;
    warnOfStore();
  });
  // NOTE: stored flags do not count as synchronized. Those of another replica are logged with the role.
  const onReady = (): void => {
    warnOfStore();
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

type StoreUse = "serving" | "empty";

/** How a source uses its store while the upstream has not sent any flags; undefined if it does not. */
function findStoreUse(flags: FlagSource, storedFlags: StoredFlags): StoreUse | undefined {
  if (flags.lastFetchAtMs !== undefined) return undefined;
  // Otherwise, they are those of another replica.
  if (flags.origin === "store") return storedFlags.hasRestored ? "serving" : undefined;
  return flags.snapshot === undefined && storedFlags.isEmpty ? "empty" : undefined;
}
