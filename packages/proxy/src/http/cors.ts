import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";
import type { CorsOrigin, ProxyConfig } from "../config/config.ts";

/** Headers that client SDKs send, over all their versions. */
const SDK_HEADERS = [
  "authorization",
  "content-type",
  "accept",
  "if-none-match",
  "last-event-id",
  "x-api-key",
  "unleash-appname",
  "unleash-connection-id",
  "unleash-instanceid",
  "unleash-sdk",
  "unleash-sdk-flavor",
  "unleash-sdk-flavor-version",
  "x-unleash-appname",
  "x-unleash-connection-id",
  "x-unleash-sdk",
  "cache",
] as const;

const REQUESTED_HEADERS = "access-control-request-headers";

/** Answers preflights, ahead of every other hook, and marks answers as readable across origins. */
export async function registerCors(
  app: FastifyInstance,
  { cors: config, clientKeysHeaderName }: Pick<ProxyConfig, "cors" | "clientKeysHeaderName">,
): Promise<void> {
  if (config.allowedHeaders === undefined) allowSdkHeaders(app, clientKeysHeaderName);
  await app.register(cors, {
    origin: isList(config.origin) ? [...config.origin] : config.origin,
    methods: [...config.methods],
    ...(config.allowedHeaders && { allowedHeaders: [...config.allowedHeaders] }),
    exposedHeaders: [...config.exposedHeaders],
    credentials: config.credentials,
    maxAge: config.maxAgeSeconds,
    preflightContinue: config.preflightContinue,
    optionsSuccessStatus: config.optionsSuccessStatus,
    strictPreflight: false,
  });
}

function isList(origin: CorsOrigin): origin is readonly (string | RegExp)[] {
  return Array.isArray(origin);
}

/** Has a preflight ask for the headers of the SDKs too: the plugin allows what is asked for. */
function allowSdkHeaders(app: FastifyInstance, keyHeaderName: string): void {
  const always = [...SDK_HEADERS, keyHeaderName.toLowerCase()];
  app.addHook("onRequest", (request, _reply, done) => {
    if (request.method === "OPTIONS") {
      const asked = request.headers[REQUESTED_HEADERS]?.toString().toLowerCase().split(",") ?? [];
      const names = new Set([...always, ...asked.map((name) => name.trim())].filter(Boolean));
      request.headers[REQUESTED_HEADERS] = [...names].join(", ");
    }
    done();
  });
}
