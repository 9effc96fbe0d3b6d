import type { FastifyInstance } from "fastify";
import type { Authentication } from "../access/authentication.ts";
import type { TypedApp } from "flags-server-kit/http";
import { describeRoutes } from "../http/openapi.ts";
import type { Storage } from "../storage/storage.ts";
import { registerStreams } from "./streaming/routes.ts";
import { ScopeFeeds } from "./streaming/scope-feeds.ts";
import { StreamHub, type StreamOptions } from "./streaming/stream-hub.ts";
import { registerUsageIngestion } from "../usage/ingestion-routes.ts";
import { scheduleUsageCleanup } from "../usage/write-usage.ts";
import { createUsageIngestion } from "../usage/ingestion.ts";
import { EnvironmentStates } from "./environment-states.ts";
import { registerFeatures } from "./features-routes.ts";
import { registerTokenValidation } from "./validate-routes.ts";

interface SdkApiParts {
  readonly storage: Storage;
  readonly authentication: Pick<Authentication, "requireBackend">;
  readonly streams?: StreamOptions;
}

/**
 * What server SDKs and proxies talk to: everything below `/api/client`, and `/edge/validate`.
 *
 * @returns how many streams are open, at any time
 */
export async function registerSdkApi(
  app: FastifyInstance,
  parts: SdkApiParts,
): Promise<Pick<StreamHub, "size">> {
  const { storage, authentication, streams } = parts;
  const states = new EnvironmentStates(storage);
  const feeds = new ScopeFeeds(states);
  const hub = new StreamHub(storage, feeds, streams);
  const stopCleaning = scheduleUsageCleanup(storage);
  // NOTE: before the server waits for open connections, which streams would keep it from ending.
  app.addHook("preClose", async () => {
    hub.close();
    stopCleaning();
  });

  registerTokenValidation(app, storage);
  await app.register(
    async (scope: TypedApp) => {
      describeRoutes(scope, "backendToken");
      scope.addHook("onRequest", authentication.requireBackend);
      registerFeatures(scope, states);
      registerStreams(scope, { feeds, hub });
      registerUsageIngestion(scope, createUsageIngestion(storage));
    },
    { prefix: "/api/client" },
  );
  return hub;
}
