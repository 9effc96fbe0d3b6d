import { diag, DiagLogLevel } from "@opentelemetry/api";
import { setGlobalErrorHandler } from "@opentelemetry/core";
import { TokenBucket } from "../http/token-bucket.ts";
import type { Logger } from "../logging/logger.ts";

const ONE_PER_MINUTE = { burst: 1, perSecond: 1 / 60 };
const MAX_CHARACTERS = 500;

const ignore = (): void => {};

/** Logs why telemetry cannot be exported, at most once per minute. */
export function logExportFailures(logger: Logger): void {
  const budget = new TokenBucket(ONE_PER_MINUTE, performance.now());
  let suppressed = 0;
  const report = (reason: string): void => {
    if (budget.tryTake(1, performance.now()) > 0) {
      suppressed += 1;
      return;
    }
    const more =
      suppressed === 0 ? "" : ` (and ${suppressed} more failures since the last message)`;
    suppressed = 0;
    logger.warn(`Cannot export telemetry: ${reason.slice(0, MAX_CHARACTERS)}${more}`);
  };
  setGlobalErrorHandler((error) =>
    report(error instanceof Error ? describe(error) : JSON.stringify(error)),
  );
  const write = (...parts: readonly unknown[]): void => report(parts.map(String).join(" "));
  diag.setLogger(
    { error: write, warn: write, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/** NOTE: several addresses of one host fail with an error that has no message of its own. */
function describe(error: Error): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  const { message, name } = first instanceof Error ? first : error;
  return message === "" ? name : message;
}
