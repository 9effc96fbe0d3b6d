import { FlagsClient, type SharingRole } from "flags-sdk";
import type { Logger } from "flags-server-kit";
import type { UpstreamSource } from "./sources.ts";

/**
 * Logs errors, warnings and the first synchronization of sources; with several sources, each message
 * names its source. Returns a function that stops this.
 */
export function logSourceEvents(sources: readonly UpstreamSource[], logger: Logger): () => void {
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
  { flags, storedFlags }: Pick<UpstreamSource, "flags" | "storedFlags">,
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
  // NOTE: stored flags do not count as synchronized. Those of another replica are logged with the role.
  const onReady = (): void => {
    if (isSynchronized || storedFlags === undefined || flags.origin !== "store") return;
    logger.info(
      `${prefix}Started with the flags of the store, which the upstream confirmed ${storedFlags.describeAge()}`,
    );
  };
  flags.on("error", onError).on("warn", onWarn).on("synchronized", onSynchronized);
  flags.on("ready", onReady);
  const onRole = (role: SharingRole): void => logger.info(prefix + ROLE_MESSAGES[role]);
  if (flags instanceof FlagsClient) flags.on("role", onRole);
  return () => {
    if (flags instanceof FlagsClient) flags.off("role", onRole);
    flags.off("error", onError).off("warn", onWarn).off("synchronized", onSynchronized);
    flags.off("ready", onReady);
  };
}
