import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { FastifyServerFactory, FastifyServerOptions } from "fastify";
import type { FlagSource } from "flags-sdk";
import {
  type ConnectionGuard,
  createClientErrorHandler,
  createGuardedServer,
  SERVER_DEFAULTS,
} from "flags-server-kit/http";
import type { ProxyConfig } from "../config/config.ts";
import { createTrust } from "../evaluation/caller-address.ts";
import { notReady, toHttpError } from "../errors.ts";
import { isReady } from "./readiness.ts";
import type { SendFailure } from "./send-failure.ts";
import { serializerCompiler } from "./serialization.ts";
import { validatorCompiler } from "./validation.ts";

interface ServerDependencies {
  readonly sources: readonly FlagSource[];
  readonly sendFailure: SendFailure;
  readonly guard: ConnectionGuard;
}

/** How the HTTP server behaves, whatever it serves. */
export function serverOptions(
  { trustProxy }: ProxyConfig,
  { sources, sendFailure, guard }: ServerDependencies,
) {
  return {
    ...SERVER_DEFAULTS,
    // As a function, since the framework does not accept a number of proxies.
    trustProxy: trustProxy === false ? false : createTrust(trustProxy),
    // Keys such as `__proto__` are ordinary names here; nothing is ever merged by them.
    onProtoPoisoning: "ignore",
    onConstructorPoisoning: "ignore",
    clientErrorHandler: createClientErrorHandler({
      toBody: ({ message }) => ({ error: message }),
      headersHint: "send a large context with POST",
      isResponding: (socket) => guard.isResponding(socket),
    }),
    // Paths that cannot even be routed pass by all hooks, the readiness gate among them.
    frameworkErrors: (error, _request, reply) => {
      sendFailure(reply, isReady(sources) ? toHttpError(error) : notReady());
    },
  } as const satisfies FastifyServerOptions;
}

type SchemaController = NonNullable<FastifyServerOptions["schemaController"]>;

/**
 * For an app to which nobody else adds routes. The framework would load compilers of its own, for
 * schemas that no route of ours uses, which takes a good part of a start.
 */
export const ownCompilersOnly: { readonly schemaController: SchemaController } = {
  // NOTE: the framework has types for the factories of its own compilers only.
  schemaController: {
    compilersFactory: {
      buildValidator: () => validatorCompiler,
      buildSerializer: () => serializerCompiler,
    },
  } as unknown as SchemaController,
};

/** Answers a request, or leaves it to the framework, be it later. */
export type Shortcut = (
  request: IncomingMessage,
  response: ServerResponse,
  leave: RequestListener,
) => void;

/** Creates the HTTP server: every request goes to the shortcut, ahead of the framework. */
export function serverFactory(shortcut: Shortcut, guard: ConnectionGuard): FastifyServerFactory {
  return (handle) =>
    createGuardedServer(guard, (request, response) => shortcut(request, response, handle));
}
