import { toLogger, type CustomLogger, type Logger } from "./logger.ts";
import { createRedact } from "./redact.ts";

/** Wraps a logger of the embedding program so that it receives no secrets and has `fatal`. */
export function wrapLogger(custom: CustomLogger, secrets: readonly string[]): Logger {
  const redact = createRedact(secrets);
  return toLogger((level, message, details) => {
    const parts = details.map(redact);
    if (level !== "fatal") custom[level](redact(message), ...parts);
    else if (custom.fatal === undefined) custom.error(redact(message), ...parts);
    else custom.fatal(redact(message), ...parts);
  });
}
