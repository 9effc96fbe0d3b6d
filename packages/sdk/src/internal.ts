// The entry `flags-sdk/internal`: what flags-proxy needs of the client on Node, in addition to `flags-sdk/neutral`. It may change
// in every version.

// A client with connections that the proxy shares.
export { attachTo } from "./client/flags-client.ts";
export type { Attachment } from "./client/flags-client.ts";
export type { ClientParts, CreateSynchronizer, Following } from "./client/client-components.ts";
export { createSourceEmitter } from "./client/source-emitter.ts";
export { isUnleashClient } from "./sync/unleash-synchronizer.ts";
export type { Synchronizer } from "./sync/synchronizer.ts";

// Calls to an upstream.
export { resolveOptions } from "./options/resolve-options.ts";
export { createConnections } from "./transport/connections.ts";
export type { NodeConnections } from "./transport/connections.ts";
export { connectUpstream } from "./client/connect-upstream.ts";
export type { UpstreamConnection } from "./client/connect-upstream.ts";
export type { RequestObserver } from "./transport/http-client.ts";
export { sendTheRest } from "./usage/send-the-rest.ts";

// Names, timers and files.
export { generateInstanceId, HOST_NAME } from "./host.ts";
export { Loop } from "./scheduling/loop.ts";
export { deleteAbandoned, OWNER_ONLY, replaceFile, syncDirectory } from "./storage/durable-file.ts";
