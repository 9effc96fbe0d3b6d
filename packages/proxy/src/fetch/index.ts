// The entry `flags-proxy/fetch`, for every JavaScript runtime. Of Node it uses at most `crypto` and `Buffer`.

export { ConfigError } from "flags-server-kit/settings";
export type { CustomLogger } from "flags-server-kit/neutral";
export type { Context, CustomStrategy } from "flags-engine";
export { type PageFlags, serializeForScript, Strategy } from "flags-sdk/neutral";
export type { ContextEnricher, EnricherRequest } from "../core/context/enrichers.ts";
export type { EvaluateOptions } from "../core/pages/evaluate-page.ts";
export { cacheApi } from "./cache-api.ts";
export { createFetchApp } from "./create-fetch-app.ts";
export type { FetchApp, FetchAppHandler } from "./create-fetch-app.ts";
export { denoKv } from "./deno-kv.ts";
export type { DenoKv } from "./deno-kv.ts";
export type { BackgroundWork, BunServer, FetchInfo } from "./fetch-info.ts";
export type { CachedFlags, FlagCache } from "./flag-cache.ts";
export type { FetchAppOptions } from "./options.ts";
export { workersKv } from "./workers-kv.ts";
export type { KvNamespace } from "./workers-kv.ts";
