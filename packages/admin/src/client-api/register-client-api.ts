import type { FastifyInstance } from "fastify";
import { configureRoutes } from "../http/protect-routes.ts";
import type { TypedApp } from "../http/typed-app.ts";
import type { Authentication } from "../access/authentication.ts";
import { describeRoutes } from "../http/openapi.ts";
import type { Storage } from "../storage/storage.ts";
import { registerUsageIngestion } from "../usage/ingestion-routes.ts";
import { EnvironmentCache } from "./environment-cache.ts";
import { registerClientFeatures, registerDelta, registerStreaming } from "./routes.ts";
import { EnvironmentFeeds } from "./environment-feed.ts";
import { SdkStreams, type SdkStreamsOptions } from "./sdk-streams.ts";
import { registerTokenValidation } from "./token-validation-routes.ts";

interface ClientApiOptions {
  readonly storage: Storage;
  readonly authentication: Pick<Authentication, "markSeen" | "requireBackend">;
  readonly streams?: SdkStreamsOptions;
}

/**
 * Registers the API for server SDKs and proxies: everything below `/api/client`, and `/edge/validate`.
 *
 * @returns an object with the number of open streams, and of closed ones by reason
 */
export async function registerClientApi(
  app: FastifyInstance,
  { storage, authentication, streams: streamsOptions }: ClientApiOptions,
): Promise<Pick<SdkStreams, "closed" | "size">> {
  const states = new EnvironmentCache(storage);
  const feeds = new EnvironmentFeeds(states);
  const streams = new SdkStreams(storage, feeds, streamsOptions);
  const stopListening = storage.onReconnect((hasLostChanges) => {
    // NOTE: even if this replica misses no changes. Otherwise its feeds could mistake the revision
    // of a change that only other replicas have seen, and that the database has lost, for one of
    // their own.
    feeds.clear();
    if (!hasLostChanges) return;
    states.clear();
    streams.endAll();
  });
  // NOTE: must run before the server waits for open connections, which streams would keep open.
  app.addHook("preClose", async () => {
    stopListening();
    streams.close();
  });

  registerTokenValidation(app, storage, authentication);
  await app.register(
    async (scope: TypedApp) => {
      describeRoutes(scope, "backendToken");
      configureRoutes(scope, { checksHost: false, pathForm: "lenient" });
      scope.addHook("onRequest", authentication.requireBackend);
      registerClientFeatures(scope, states);
      registerDelta(scope, feeds);
      registerStreaming(scope, { feeds, streams });
      registerUsageIngestion(scope, storage);
    },
    { prefix: "/api/client" },
  );
  return streams;
}
