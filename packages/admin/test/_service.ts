import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { buildApp } from "../src/app.ts";
import type { Logger } from "flags-server-kit/neutral";
import type { Storage } from "../src/storage/storage.ts";
import { parseConfiguredTokens } from "../src/access/configured-tokens.ts";
import { createConfiguredTokens } from "../src/access/create-configured-tokens.ts";
import type { StorageSource } from "./_storages.ts";

export const ADMIN_TOKEN = "*:*.the-admin-of-the-tests";
export const BACKEND_TOKEN = "*:development.the-backend-of-the-tests";
export const PRODUCTION_TOKEN = "*:production.the-other-backend-of-the-tests";
export const FRONTEND_TOKEN = "*:development.the-frontend-of-the-tests";

/** Header of SDKs that support segments. */
export const KNOWS_SEGMENTS = { "unleash-client-spec": "5.2.0" } as const;

/** Options of a request; a GET without a token by default. */
interface Call {
  readonly method?: string;
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** @default "follow" */
  readonly redirect?: RequestInit["redirect"];
}

/** The service on a storage with tokens of all types, listening on a free port. */
export interface Service {
  readonly app: FastifyInstance;
  readonly url: string;
  /** Logged errors. */
  readonly errors: unknown[];
  request(path: string, call?: Call): Promise<Response>;
  /** Sends a request to the admin API that must succeed. Returns its parsed JSON, if any. */
  admin(method: string, path: string, body?: unknown): Promise<unknown>;
}

export async function seed(storage: Storage): Promise<void> {
  const { tokens } = parseConfiguredTokens({
    admin: [ADMIN_TOKEN],
    backend: [BACKEND_TOKEN, PRODUCTION_TOKEN],
    frontend: [FRONTEND_TOKEN],
  });
  await createConfiguredTokens(storage, tokens);
}

/** Starts the service, and stops it at the end of the test. */
export async function startService(
  storage: Storage,
  config: Partial<Parameters<typeof buildApp>[0]> = {},
  options: Parameters<typeof buildApp>[2] = {},
): Promise<Service> {
  const service = await start(storage, config, options);
  onTestFinished(() => endApp(service.app));
  return service;
}

/** Starts a service on a new storage, shared by all tests of a suite. */
export function useService(
  source: StorageSource,
  options: Parameters<typeof buildApp>[2] = {},
  config: Partial<Parameters<typeof buildApp>[0]> = {},
): Service & { readonly storage: Storage } {
  let storage: Storage | undefined;
  let service: Service | undefined;
  beforeAll(async () => {
    storage = await source.openFresh();
    service = await start(storage, config, options);
  });
  afterAll(async () => {
    if (service !== undefined) await endApp(service.app);
  });
  const running = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error("The service is available only while tests run");
    return value;
  };
  return {
    get storage() {
      return running(storage);
    },
    get app() {
      return running(service).app;
    },
    get url() {
      return running(service).url;
    },
    get errors() {
      return running(service).errors;
    },
    request: (...parameters) => running(service).request(...parameters),
    admin: (...parameters) => running(service).admin(...parameters),
  };
}

async function start(
  storage: Storage,
  config: Partial<Parameters<typeof buildApp>[0]> = {},
  options: Parameters<typeof buildApp>[2] = {},
): Promise<Service> {
  await seed(storage);
  const errors: unknown[] = [];
  const logger = collectErrors(errors);
  const app = await buildApp({ logger, maxConnections: 1000, ...config }, storage, options);
  return { app, errors, ...(await listen(app)) };
}

/** Closes an app without waiting for open connections of clients. */
export async function endApp(app: FastifyInstance): Promise<void> {
  app.server.closeAllConnections();
  await app.close();
}

/** Makes an app listen on a free port. Returns its URL and functions that send requests to it. */
export async function listen(app: FastifyInstance) {
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const request = (path: string, call: Call = {}): Promise<Response> => {
    const { method = "GET", token, body, headers, redirect = "follow" } = call;
    return fetch(url + path, {
      method,
      redirect,
      headers: {
        ...(token !== undefined && { authorization: token }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  };
  const admin = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await request(`/api/admin${path}`, { method, token: ADMIN_TOKEN, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  return { url, request, admin };
}

export function collectErrors(errors: unknown[]): Logger {
  const ignore = (): void => undefined;
  return {
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: (message, error) => errors.push([message, error]),
    fatal: (message, error) => errors.push([message, error]),
  };
}
