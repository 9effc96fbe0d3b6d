// The entry `flags-server-kit/neutral`: what runs on every JavaScript runtime. Of Node it uses at most `crypto` and `Buffer`.

export { codeOf, toErrorMessage } from "./errors.ts";
export { FairShare } from "./fair-share.ts";
export { AttemptLimiter, AUTHENTICATION_LIMITS, networkOf } from "./http/attempt-limiter.ts";
export { canonicalAddress } from "./http/canonical-address.ts";
export { coalesceReadings } from "./http/coalesce-readings.ts";
export { matchesEntityTag } from "./http/entity-tag.ts";
export { GuessLimiter, MAX_VALIDATED_TOKENS, VALIDATION_LIMITS } from "./http/guess-limiter.ts";
export type { GuessProblem } from "./http/guess-limiter.ts";
export { completeOperations, nameSchemas } from "./http/openapi-document.ts";
export { describeRepeatedHeader, findRepeatedHeader } from "./http/repeated-header.ts";
export {
  BODY_LIMIT_BYTES,
  NO_ROUTE,
  NOT_JSON,
  SMALL_BODY_BYTES,
  VALIDATION_BODY_LIMIT_BYTES,
} from "./http/server-defaults.ts";
export { TokenBucket } from "./http/token-bucket.ts";
export { isRecord, tryParseJson } from "./json.ts";
export { LOG_LEVELS, toLogger } from "./logging/logger.ts";
export type { CustomLogger, Logger, LogLevel } from "./logging/logger.ts";
export { createRedact } from "./logging/redact.ts";
export { rewordSchemaMessage } from "./schema-message.ts";
export { acceptsGzip } from "./streams/accepts-gzip.ts";
export { writeEvent } from "./streams/write-event.ts";
export { tryDecode } from "./try-decode.ts";
