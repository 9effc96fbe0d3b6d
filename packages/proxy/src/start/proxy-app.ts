import type { IncomingMessage, ServerResponse } from "node:http";
import { InvalidValue } from "flags-server-kit/settings";
import { portKind } from "../config/settings/listening.ts";
import type { EvaluatePage } from "../core/pages/evaluate-page.ts";
import type { App } from "./app.ts";
import { type FetchInfo, readInvocation } from "../fetch/fetch-info.ts";

/** Where an application listens. */
export interface ListenOptions {
  /** 0 chooses any free port. */
  readonly port: number;
  /** @default all addresses */
  readonly host?: string;
}

/**
 * A proxy that a program serves itself. It is a request listener, so that it can be passed to `http.createServer()`, and
 * mounted in Express and similar frameworks; it calls `next` for paths that it does not have.
 */
export interface ProxyApp extends AsyncDisposable {
  (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void;
  /**
   * Resolves when the configuration is loaded. Rejects with a `ConfigError` if it is invalid. It need not be handled if
   * `listen()`, `flagsReady()` or `fetch()` is called at once: they reject too.
   */
  readonly ready: Promise<void>;
  /** Handles a request of the Fetch API, as in Next.js, Hono, Deno or Bun. It has no streams. */
  readonly fetch: (request: Request, info?: FetchInfo) => Promise<Response>;
  /** Resolves as soon as there are flags, from the upstream or a store. Rejects if the application is closed first. */
  flagsReady(): Promise<void>;
  /** Evaluates flags for a page that the program renders. */
  readonly evaluate: EvaluatePage;
  /**
   * Listens on a port. Resolves to the address, such as `http://localhost:3000`. Rejects with a `TypeError` if the port is not
   * one, and with the error of the system if it cannot be opened.
   */
  listen(options: ListenOptions): Promise<string>;
  listen(port: number, callback?: () => void): Promise<string>;
  listen(port: number, host: string, callback?: () => void): Promise<string>;
  /** Finishes requests in progress, within 5 s, and delivers the pending usage. Can be called more than once. */
  close(): Promise<void>;
}

/** Methods of applications of Fastify and Express that programs may call, as on the Unleash proxy. */
const MISSING_METHODS: readonly string[] =
  "addHook all decorate delete get head inject options patch post printRoutes put register route routing set setErrorHandler setNotFoundHandler use".split(
    " ",
  );

/** Makes an application that is being built callable. Requests wait until it is. */
export function createProxyApp(building: Promise<App>): ProxyApp {
  let built: App | undefined;
  const ready = building.then((app) => {
    built = app;
  });
  /** For methods whose caller gets the error. */
  const untilBuilt = (): Promise<App> => {
    ready.catch(() => undefined);
    return building;
  };
  const listener = (
    request: IncomingMessage,
    response: ServerResponse,
    next?: (error?: unknown) => void,
  ): void => {
    building.then(
      (app) => app.listener(request, response, next),
      () => void response.writeHead(503).end("The proxy could not start: see its log\n"),
    );
  };
  const close = (): Promise<void> =>
    building.then(
      ({ main }) => main.close(),
      () => undefined,
    );
  const app = Object.assign(listener, {
    ready,
    fetch: async (request: Request, info?: FetchInfo) => {
      const { fetch } = await untilBuilt();
      return fetch(request, readInvocation(request, info).address);
    },
    flagsReady: async () => (await untilBuilt()).flagsReady(),
    evaluate: (...given: Parameters<EvaluatePage>) => {
      if (built !== undefined) return built.evaluate(...given);
      throw new Error("The proxy has not started: await `app.ready` before `app.evaluate()`");
    },
    listen: async (first: ListenOptions | number, ...others: ListenRest): Promise<string> => {
      const { main } = await untilBuilt();
      const given = typeof first === "object" && first !== null ? first : { port: first };
      const { host = others.find((parameter) => typeof parameter === "string") } = given;
      const callback = others.find((parameter) => typeof parameter === "function");
      const origin = await main.listen({ port: readPort(given.port), host });
      callback?.();
      return origin;
    },
    close,
    [Symbol.asyncDispose]: close,
  });
  for (const name of MISSING_METHODS) {
    Object.defineProperty(app, name, {
      value: () => {
        throw new TypeError(
          `app.${name}() does not exist: mount the application in yours with yourApp.use(app), call app(request, response), or call app.fetch(request)`,
        );
      },
    });
  }
  return app;
}

/** Like the setting, it may be text, because it often comes from the environment. */
function readPort(given: unknown): number {
  const port = portKind.parse(given);
  if (!(port instanceof InvalidValue)) return port;
  throw new TypeError(`\`port\` must be ${portKind.allowed}: current value is ${String(given)}`);
}

type ListenRest = readonly (string | (() => void) | undefined)[];
