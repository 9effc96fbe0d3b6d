import type { CustomLogger, Logger } from "./logger.ts";
import { createRedact } from "./redact.ts";
import { toLogger } from "./to-logger.ts";

/** Keeps secrets away from a logger of the embedding program, and gives it a `fatal`. */
export function wrapLogger(custom: CustomLogger, secrets: readonly string[]): Logger {
  const redact = createRedact(secrets);
  return toLogger((level, message, details) => {
    const parts = details.map(redact);
    if (level !== "fatal") custom[level](redact(message), ...parts);
    else if (custom.fatal === undefined) custom.error(redact(message), ...parts);
    else custom.fatal(redact(message), ...parts);
  });
}
