// The entry `flags-sdk/internal`: what flags-proxy needs of the client. It may change in every version.

// A client with connections that the proxy shares.
export { attachTo } from "./client/flags-client.ts";
export type { Attachment } from "./client/flags-client.ts";
export type { ClientParts, CreateSynchronizer, Following } from "./client/client-components.ts";
export { Emitter, toEventSink } from "./events.ts";
export { isUnleashClient } from "./sync/unleash-synchronizer.ts";
export type { Synchronizer, SyncSink } from "./sync/synchronizer.ts";

// Flags that are not from an upstream.
export { FlagState } from "./sync/flag-state.ts";
export { FlagUpdater } from "./sync/flag-updater.ts";
export { createDocumentFilter } from "./sync/filter-documents.ts";

// Calls to an upstream.
export { resolveOptions } from "./options/resolve-options.ts";
export type { Settings } from "./options/resolve-options.ts";
export { createConnections } from "./transport/connections.ts";
export type { Connections } from "./transport/connections.ts";
export { connectUpstream } from "./client/connect-upstream.ts";
export type { UpstreamConnection } from "./client/connect-upstream.ts";
export { FailureLog } from "./transport/failure-log.ts";
export type { EventSink } from "./transport/failure-log.ts";
export { HttpClient } from "./transport/http-client.ts";
export type {
  RequestObserver,
  UpstreamRequest,
  UpstreamResponse,
} from "./transport/http-client.ts";
export { isNotOffered } from "./transport/status-error.ts";
export type { StatusHints } from "./transport/status-error.ts";
export { describeCause, describeUrl, toUpstreamError } from "./transport/upstream-error.ts";
export { toMetricsBody } from "./transport/wire-bodies.ts";
export { sendTheRest } from "./usage/send-the-rest.ts";

// Time, names and files.
export { describeCount } from "./describe-count.ts";
export { generateInstanceId, HOST_NAME } from "./identity.ts";
export { nextDelayMs } from "./scheduling/backoff.ts";
export { forEachConcurrently } from "./scheduling/for-each-concurrently.ts";
export { Loop } from "./scheduling/loop.ts";
export { deleteAbandoned, OWNER_ONLY, replaceFile, syncDirectory } from "./storage/durable-file.ts";
export { abortable, Deadline } from "./transport/deadline.ts";
export { readJson } from "./transport/read-json.ts";

// For workers.
export { ClientEventTarget } from "./events.ts";
export { Compiler } from "./sync/compiler.ts";
export { Revisions } from "./sync/revision.ts";
