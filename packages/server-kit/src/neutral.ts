// The entry `flags-server-kit/neutral`: what runs on every JavaScript runtime. Of Node it uses at most `crypto` and `Buffer`.

export { codeOf, toErrorMessage } from "./errors.ts";
export { FairShare } from "./fair-share.ts";
export { matchesEntityTag } from "./http/entity-tag.ts";
export { completeOperations, nameSchemas } from "./http/openapi-document.ts";
export { NO_ROUTE, NOT_JSON } from "./http/server-defaults.ts";
export { coalesceReadings } from "./http/coalesce-readings.ts";
export { describeRepeatedHeader, findRepeatedHeader } from "./http/repeated-header.ts";
export { TokenBucket } from "./http/token-bucket.ts";
export { isRecord, tryParseJson } from "./json.ts";
export type { CustomLogger, Logger, LogLevel } from "./logging/logger.ts";
export { createRedact } from "./logging/redact.ts";
export { rewordSchemaMessage } from "./schema-message.ts";
