import type { FlagSource } from "flags-sdk";
import type { Logger } from "flags-server-kit";

/** Writes down what a source has to say. Returns a function that stops it. */
export function logFailures(source: FlagSource, logger: Logger): () => void {
  const onError = (error: Error): void => logger.error(error);
  const onWarn = (message: string): void => logger.warn(message);
  const onSynchronized = (origin: "bootstrap" | "upstream"): void =>
    logger.info(
      origin === "bootstrap"
        ? "Started with the flags of the bootstrap, until the upstream answers"
        : "Synchronized with the upstream",
    );
  source.on("error", onError).on("warn", onWarn).on("synchronized", onSynchronized);
  return () => {
    source.off("error", onError).off("warn", onWarn).off("synchronized", onSynchronized);
  };
}
