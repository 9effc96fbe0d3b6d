import { toErrorMessage } from "../errors.ts";
import { toLogger, type CustomLogger, type Logger } from "./logger.ts";
import { createRedact } from "./redact.ts";

/**
 * Wraps a logger of the embedding program so that it receives no secrets and has `fatal`. If it throws, neither a request nor
 * the program fails; the console shows the first error.
 */
export function wrapLogger(custom: CustomLogger, secrets: readonly string[]): Logger {
  const redact = createRedact(secrets);
  let hasFailed = false;
  return toLogger((level, message, details) => {
    const parts = details.map(redact);
    try {
      if (level !== "fatal") custom[level](redact(message), ...parts);
      else if (custom.fatal === undefined) custom.error(redact(message), ...parts);
      else custom.fatal(redact(message), ...parts);
    } catch (error) {
      if (!hasFailed) {
        globalThis.console.error(redact(`The logger failed: ${toErrorMessage(error)}`));
      }
      hasFailed = true;
    }
  });
}
