import type { FastifyServerOptions } from "fastify";
import {
  type ConnectionGuard,
  createClientErrorHandler,
  SERVER_DEFAULTS,
  toTrustOption,
} from "flags-server-kit/http";
import type { Source } from "../sources.ts";
import type { ProxyConfig } from "../config/config.ts";
import { addressNotAllowed, notReady, toHttpError } from "../errors.ts";
import type { AllowRequest } from "./access-lists.ts";
import { isReady } from "./readiness.ts";
import type { SendError } from "./error-handler.ts";
import { validatorCompiler } from "./validation.ts";

interface ServerDependencies {
  readonly sources: readonly Source[];
  readonly sendError: SendError;
  readonly guard: ConnectionGuard;
  /** Undefined: all requests are allowed. */
  readonly isAllowed?: AllowRequest | undefined;
}

/** Returns the Fastify options of the HTTP server. */
export function serverOptions(
  { trustProxy }: ProxyConfig,
  { sources, sendError, guard, isAllowed }: ServerDependencies,
) {
  return {
    ...SERVER_DEFAULTS,
    trustProxy: toTrustOption(trustProxy),
    // Keys such as `__proto__` are ordinary names here: no object is ever merged by its keys.
    onProtoPoisoning: "ignore",
    onConstructorPoisoning: "ignore",
    clientErrorHandler: createClientErrorHandler({
      toBody: ({ message }) => ({ error: message }),
      headersHint: "send a large context with POST",
      isResponding: (socket) => guard.isResponding(socket),
    }),
    // Requests whose path cannot be routed run no hooks, so these checks are repeated here.
    frameworkErrors: (error, request, reply) => {
      if (isAllowed?.(request.raw) === false) sendError(reply, addressNotAllowed());
      else sendError(reply, isReady(sources) ? toHttpError(error) : notReady());
    },
  } as const satisfies FastifyServerOptions;
}

/** Response schemas are only documentation: the routes write JSON themselves, checked by tests. */
export const serializerCompiler = (): typeof JSON.stringify => JSON.stringify;

type SchemaController = NonNullable<FastifyServerOptions["schemaController"]>;

/**
 * For an app to which nobody else adds routes. The framework would otherwise load its own schema
 * compilers, which none of our routes use and which would take a large part of the start time.
 */
export const ownCompilersOnly: { readonly schemaController: SchemaController } = {
  // NOTE: the types of the framework only allow the factories of the default compilers.
  schemaController: {
    compilersFactory: {
      buildValidator: () => validatorCompiler,
      buildSerializer: () => serializerCompiler,
    },
  } as unknown as SchemaController,
};
