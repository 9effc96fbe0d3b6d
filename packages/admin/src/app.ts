import Fastify, { type FastifyInstance } from "fastify";
import { ConnectionGuard, createHostCheck, observeConnections } from "flags-server-kit/http";
import type { Telemetry } from "flags-server-kit/telemetry";
import { nameSetting, streamsWithin } from "flags-server-kit";
import type { Registry } from "prom-client";
import { compressResponses } from "./http/compress-responses.ts";
import { configureRoutes, protectRoutes } from "./http/protect-routes.ts";
import { limitBodyMemory, releaseRequests } from "./http/request-memory.ts";
import { observeRequests, traceRequests } from "./http/observe-requests.ts";
import { callerIdOf, tokenIdOf } from "./access/request-identity.ts";
import { type Authentication, createAuthentication } from "./access/authentication.ts";
import type { AdminConfig } from "./config/config.ts";
import { misdirected, notFound, tooManyBodies } from "./errors.ts";
import { handleErrors } from "./http/error-handler.ts";
import { addSecurityHeaders, forbidCaching, readJsonBodies, serverOptions } from "./http/server.ts";
import { compileSchemasOnUse } from "./http/validation.ts";
import { SETTINGS } from "./config/settings.ts";
import { LIMITS } from "./limits.ts";
import { rejectUnknownParameters } from "./http/reject-unknown-parameters.ts";
import { rejectUnstorable } from "./http/reject-unstorable.ts";
import { requireRoles } from "./access/operation.ts";
import { describeRoutes, registerOpenApi } from "./http/openapi.ts";
import { registerConsole } from "./http/console-routes.ts";
import { registerAdminRoutes } from "./admin-routes.ts";
import { createMetrics, METRICS_PREFIX } from "./monitoring/metrics.ts";
import { parseAllowList } from "./notifications/allow-list.ts";
import { observeNotifications } from "./notifications/metrics.ts";
import { Notifier } from "./notifications/notifier.ts";
import { type NotificationRoutesOptions, registerNotifications } from "./notifications/routes.ts";
import type { SendOptions } from "./notifications/send.ts";
import { registerMonitoring } from "./monitoring/routes.ts";
import { registerClientApi } from "./client-api/register-client-api.ts";
import { registerOpenId } from "./openid/routes.ts";
import { registerAdminSessions } from "./sessions/admin-routes.ts";
import { registerSessions } from "./sessions/routes.ts";
import { Sessions } from "./sessions/sessions.ts";
import { ChangeStreams } from "./changes/change-streams.ts";
import { registerChanges } from "./changes/routes.ts";
import { applyDue } from "./change-requests/apply-scheduled.ts";
import { advancePlans } from "./rollout-plans/advance-plans.ts";
import { examineRegularly } from "./lifecycle/examine-regularly.ts";
import { runAtInterval } from "./scheduling/run-at-interval.ts";
import { DEFAULT_RETENTION, deleteRegularly, type Retention } from "./retention.ts";
import { registerAccounts } from "./accounts/routes.ts";
import { PasswordSignIn } from "./accounts/password-sign-in.ts";
import { registerSignIn } from "./accounts/sign-in-routes.ts";
import { isConnectionError } from "./storage/errors.ts";
import type { Storage } from "./storage/storage.ts";

/**
 * Memory for responses that SDKs have not read. More than that of the proxy, as the flags of a large environment take
 * some MB, and a deployment starts many SDKs at a time.
 */
const MAX_UNREAD_BYTES = 256 * 1024 * 1024;

/** Memory for imports: enough for large ones of two callers at a time, and only one of each caller. */
const MAX_FILE_BYTES = 3 * LIMITS.importBytes;

/** The settings that the app uses. Those that have a default can be omitted. */
type AppConfig = Pick<AdminConfig, "logger" | "maxConnections"> &
  Partial<
    Pick<
      AdminConfig,
      | "allowedHosts"
      | "frontendKey"
      | "frontendUrl"
      | "host"
      | "openId"
      | "publicUrl"
      | "retention"
      | "sessionHours"
      | "trustProxy"
      | "webhookAllowList"
    >
  >;

/** How changes are made that were asked for earlier. */
interface Scheduling extends Pick<Parameters<typeof applyDue>[0], "clock"> {
  /** How often to look for changes that are due. @default 2000 */
  readonly intervalMs?: number;
  /** When to look for flags that can be removed, and which time it is. */
  readonly examination?: Pick<Parameters<typeof examineRegularly>[0], "clock" | "intervalMs">;
}

interface AppOptions {
  /** Folder with the built console. @default the one that the build writes */
  readonly consoleDirectory?: string;
  /** Exports metrics, and traces requests. The caller closes it. @default none */
  readonly telemetry?: Pick<Telemetry, "exportMetrics" | "tracer"> | undefined;
  /** The clock for sessions. @default the system clock */
  readonly now?: () => Date;
  readonly scheduling?: Scheduling;
  /** How notifications are sent. */
  readonly sending?: Pick<SendOptions, "resolve" | "timeoutMs">;
}

/** Builds the app on a storage. The caller closes the storage after the app. */
export async function buildApp(
  config: AppConfig,
  storage: Storage,
  { consoleDirectory, telemetry, now, scheduling, sending }: AppOptions = {},
): Promise<FastifyInstance> {
  const { logger, maxConnections, retention = DEFAULT_RETENTION, trustProxy = false } = config;
  const { publicUrl, openId, sessionHours = SETTINGS.sessionHours.default } = config;
  const guard = new ConnectionGuard({
    maxConnections,
    logger,
    hint: `raise ${nameSetting(SETTINGS.maxConnections)} or run more replicas`,
    maxUnreadBytes: MAX_UNREAD_BYTES,
  });
  const tracer = telemetry?.tracer;
  const app = Fastify(serverOptions(guard, trustProxy, tracer));
  releaseRequests(app);
  const sessions = new Sessions(storage, {
    publicUrl,
    sessionHours,
    issuer: openId?.issuer,
    now,
  });
  const authentication = createAuthentication(storage, (request) => sessions.find(request));
  app.addHook("onClose", () => authentication.close());
  workInBackground(app, { storage, retention, logger, ...scheduling });
  const metrics = createMetrics(storage);
  const notifier = sendNotifications(app, config, storage, {
    registry: metrics.registry,
    ...sending,
    ...scheduling,
  });
  observeConnections(metrics.registry, METRICS_PREFIX, guard);
  telemetry?.exportMetrics(metrics);
  observeRequests(app, metrics.requests.observe);
  handleErrors(app, { logger, observe: metrics.observeError, tracer });
  if (tracer !== undefined) traceRequests(app, tracer);
  addSecurityHeaders(app);
  const isOwnHost = createHostCheck(config);
  protectRoutes(app, {
    isOwnHost,
    defaults: { checksHost: true, pathForm: "exact" },
    misdirected,
    unknownPath: () => notFound("No such path"),
  });
  limitBodyMemory(app, {
    toError: tooManyBodies,
    maxFileBytes: MAX_FILE_BYTES,
    keyOf: (request) => callerIdOf(request) ?? tokenIdOf(request),
  });
  readJsonBodies(app);
  compileSchemasOnUse(app);
  // Responses are serialized as returned. Their schemas only document them.
  app.setSerializerCompiler(() => JSON.stringify);
  await registerOpenApi(app);
  await registerConsole(app, {
    isOwnHost,
    directory: consoleDirectory,
    ...(publicUrl !== undefined && { basePath: new URL(publicUrl).pathname }),
  });
  registerMonitoring(app, { storage, registry: metrics.registry });

  const passwords = new PasswordSignIn(storage);
  const maxStreams = limitStreams(maxConnections);
  const changes = openChangeStreams(app, metrics, {
    storage,
    sessions,
    maxStreams: maxStreams.console,
  });
  await app.register(
    async (scope) => {
      prepareAdminApi(scope, storage, authentication);
      registerAdminRoutes(scope, {
        storage,
        retention,
        publicUrl,
        frontendUrl: config.frontendUrl,
        frontendKey: config.frontendKey,
        hasOpenId: openId !== undefined,
      });
      registerNotifications(scope, notifier);
      registerChanges(scope, changes);
      registerAdminSessions(scope, sessions);
      registerAccounts(scope, { storage, sessions, passwords, publicUrl });
    },
    { prefix: "/api/admin" },
  );
  await registerSignIns(app, { storage, sessions, passwords, authentication, openId, logger });
  metrics.observeStreams(
    "streams",
    "Open streams of SDKs that listen for changes",
    await registerClientApi(app, {
      storage,
      authentication,
      streams: { maxStreams: maxStreams.sdk },
    }),
  );
  return app;
}

/** Decides who may use the admin API, and what it accepts. */
function prepareAdminApi(
  scope: FastifyInstance,
  storage: Storage,
  authentication: Authentication,
): void {
  describeRoutes(scope, "adminToken");
  configureRoutes(scope, { pathForm: "lenient" });
  forbidCaching(scope);
  compressResponses(scope);
  scope.addHook("onRequest", authentication.requireCaller);
  requireRoles(scope, storage);
  rejectUnstorable(scope);
  rejectUnknownParameters(scope);
}

/** Streams changes to consoles until the app is closed. */
function openChangeStreams(
  app: FastifyInstance,
  metrics: Pick<ReturnType<typeof createMetrics>, "observeStreams">,
  options: Pick<
    ConstructorParameters<typeof ChangeStreams>[0],
    "maxStreams" | "sessions" | "storage"
  >,
): ChangeStreams {
  const changes = new ChangeStreams({
    ...options,
    maxStreamsPerCaller: LIMITS.changeStreamsPerCaller,
  });
  // NOTE: must run before the server waits for open connections, which streams would keep open.
  app.addHook("preClose", async () => changes.close());
  metrics.observeStreams("change_streams", "Open streams of consoles", changes);
  return changes;
}

interface NotifyingOptions extends Scheduling, Pick<SendOptions, "resolve" | "timeoutMs"> {
  readonly registry: Registry;
}

/** Sends notifications until the app is closed. Returns what their routes need. */
function sendNotifications(
  app: FastifyInstance,
  { logger, publicUrl, webhookAllowList = [] }: AppConfig,
  storage: Storage,
  { registry, ...options }: NotifyingOptions,
): NotificationRoutesOptions {
  const allowed = parseAllowList(webhookAllowList);
  const sending = { ...options, storage, publicUrl, allowed };
  const observe = observeNotifications(registry, storage);
  const notifier = new Notifier({ ...sending, logger, observe });
  runWhileOpen(app, (signal) => notifier.run(signal));
  return { ...sending, sendDue: () => notifier.sendDue() };
}

interface SignInsOptions extends Pick<AppConfig, "logger" | "openId"> {
  readonly storage: Storage;
  readonly sessions: Sessions;
  readonly passwords: PasswordSignIn;
  readonly authentication: Authentication;
}

/** Registers the ways to sign in. */
async function registerSignIns(
  app: FastifyInstance,
  { authentication, openId, logger, ...options }: SignInsOptions,
): Promise<void> {
  const { storage, sessions } = options;
  await registerSessions(app, { sessions, authentication });
  await registerSignIn(app, { ...options, providerName: openId?.name });
  if (openId !== undefined) {
    await registerOpenId(app, { config: openId, sessions, storage, logger });
  }
}

/** Shares the connections for streams among SDKs and consoles. */
function limitStreams(maxConnections: number): { readonly sdk: number; readonly console: number } {
  const wanted = LIMITS.streams + LIMITS.changeStreams;
  const total = streamsWithin(maxConnections, wanted);
  const forConsole = Math.max(1, Math.floor((total * LIMITS.changeStreams) / wanted));
  return { sdk: Math.max(1, total - forConsole), console: forConsole };
}

interface DueOptions extends Scheduling {
  readonly storage: Storage;
  readonly logger: AppConfig["logger"];
}

/** Applies scheduled change requests, and makes the steps of rollout plans. */
function changeWhenDue(
  { intervalMs = 2000, ...options }: DueOptions,
  signal: AbortSignal,
): Promise<void> {
  const work = async (): Promise<void> => {
    await applyDue(options, signal);
    await advancePlans(options, signal);
  };
  const onError = (error: unknown): void => {
    // Requests already report an unavailable database, and the next look finds the same changes.
    if (!isConnectionError(error)) options.logger.warn("Cannot apply scheduled changes", error);
  };
  return runAtInterval(work, { intervalMs, onError }, signal);
}

interface BackgroundOptions extends DueOptions {
  readonly retention: Retention;
}

/** Does what no request asks for until the app is closed. */
function workInBackground(
  app: FastifyInstance,
  { retention, examination, ...due }: BackgroundOptions,
): void {
  const { storage, logger } = due;
  runWhileOpen(app, (signal) => deleteRegularly({ storage, retention, logger }, signal));
  runWhileOpen(app, (signal) => changeWhenDue(due, signal));
  runWhileOpen(app, (signal) => examineRegularly({ storage, logger, ...examination }, signal));
}

/** Does something regularly until the app is closed. */
function runWhileOpen(app: FastifyInstance, run: (signal: AbortSignal) => Promise<void>): void {
  const closing = new AbortController();
  const ended = run(closing.signal);
  app.addHook("onClose", async () => {
    closing.abort();
    await ended;
  });
}
