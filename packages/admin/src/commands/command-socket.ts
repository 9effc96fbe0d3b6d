import { once } from "node:events";
import { lstat, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { EXIT_FAILURE, SubcommandError } from "flags-server-kit/command-line";
import { codeOf, type Logger, toErrorMessage, tryParseJson } from "flags-server-kit/neutral";
import { Type } from "typebox";
import { createCheck } from "../http/validation.ts";
import { withoutQueryValues } from "../storage/errors.ts";
import { version } from "../version.ts";
import {
  type Command,
  type CommandContext,
  type CommandOptions,
  INPUT_OPTION,
  MAX_REQUEST_BYTES,
} from "./command.ts";
import { toCommandFailure } from "./command-failure.ts";
import { COMMANDS } from "./commands.ts";
import { readDatabaseFacts, type ServiceStatus } from "./service-status.ts";
import { openSocketPath, type SocketPath } from "./socket-path.ts";

/** Connections above this number are closed at once. */
const MAX_CONNECTIONS = 16;
/** How long a client may take to send its request, and how long it may not read what was sent to it. */
const STALL_TIMEOUT_MS = 10_000;
/** How long closing waits for commands that have not sent anything. */
const CLOSE_TIMEOUT_MS = 1000;

interface CommandSocketOptions {
  readonly dataDir: string;
  readonly context: CommandContext;
  readonly logger: Pick<Logger, "error" | "info" | "warn">;
  /** The port on which the service listens. */
  readonly port: number;
}

/** Where a service accepts commands. */
export interface CommandSocket {
  /** Aborts commands that are sending their result, waits a second for others, and deletes the socket. */
  close(): Promise<void>;
}

/**
 * Accepts commands through a socket in the data directory, which this process must have locked. Whoever can open the socket
 * may run all commands, so only the user of this process can. If the socket cannot be opened, logs why: the service can do
 * without.
 */
export async function openCommandSocket(
  options: CommandSocketOptions,
): Promise<CommandSocket | undefined> {
  const { dataDir, logger } = options;
  let path: SocketPath | undefined;
  try {
    path = await openSocketPath(dataDir);
    const running = new Set<ServerResponse>();
    const server = createCommandServer(options, running);
    await listenPrivately(server, path.path);
    const opened = path;
    return {
      close: async () => {
        await closeServer(server, running);
        await opened.close();
      },
    };
  } catch (error) {
    await path?.close();
    const where = path === undefined ? `in ${dataDir}` : path.shown;
    logger.warn(
      `Cannot open the socket ${where}, so commands such as flags-admin backup do not work while this service runs: ${toErrorMessage(error)}`,
    );
    return undefined;
  }
}

/** Listens on a socket that only the user of this process can open, from the beginning. */
async function listenPrivately(server: Server, path: string): Promise<void> {
  await removeStale(path);
  // NOTE: `listen()` creates the socket before it returns. Changing its mode later would be too late.
  const previousMask = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(previousMask);
  }
  await once(server, "listening");
}

/** Deletes the socket of a service that was killed. The lock of the directory ensures that nobody uses it. */
async function removeStale(path: string): Promise<void> {
  try {
    if (!(await lstat(path)).isSocket())
      throw new Error("it exists and is not a socket: delete it");
    await rm(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

function createCommandServer(
  { context, logger, port }: CommandSocketOptions,
  running: Set<ServerResponse>,
): Server {
  const server = createServer(
    {
      headersTimeout: STALL_TIMEOUT_MS,
      requestTimeout: STALL_TIMEOUT_MS,
      connectionsCheckingInterval: 1000,
    },
    (request, response) => {
      // While it does not read, a backup holds up changes.
      response.setTimeout(STALL_TIMEOUT_MS, () => {
        if (response.writableNeedDrain) response.destroy();
      });
      running.add(response);
      response.on("close", () => running.delete(response));
      void respond(request, response);
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  return server;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = "" } = request;
    response.setHeader("connection", "close");
    try {
      if (method === "GET" && url === "/status") {
        response.end(JSON.stringify(await readStatus()));
        return;
      }
      const name = url.replace(/^\/commands\//, "");
      const options = await readOptions(request, name);
      logger.info(`Running the command ${name}`);
      await findCommand(name, options).run(context, options, response);
      response.end();
    } catch (error) {
      fail(response, error);
    }
  }

  async function readStatus(): Promise<ServiceStatus> {
    const database = await context.storage.read(readDatabaseFacts);
    return { version, processId: process.pid, port, database };
  }

  function fail(response: ServerResponse, error: unknown): void {
    // The client has gone away, or did not read.
    if (response.destroyed) return;
    const failure = toCommandFailure(error);
    if (failure === undefined) logger.error("A command failed", withoutQueryValues(error));
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { message, exitCode } = failure ?? UNEXPLAINED;
    response.writeHead(500).end(JSON.stringify({ message, exitCode }));
  }
}

const UNEXPLAINED = {
  message: "The command failed in the running service: see its log",
  exitCode: EXIT_FAILURE,
} as const;

const isOptions = createCheck(
  Type.Record(Type.String(), Type.Union([Type.String(), Type.Literal(true)])),
);

async function readOptions(request: IncomingMessage, name: string): Promise<CommandOptions> {
  const { maxRequestBytes = MAX_REQUEST_BYTES } = find(name) ?? {};
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxRequestBytes) throw new SubcommandError("The request is too long");
    chunks.push(chunk);
  }
  const options = tryParseJson(Buffer.concat(chunks).toString());
  if (!isOptions(options)) throw new SubcommandError("The options are not valid");
  return options;
}

function find(name: string): Command | undefined {
  return COMMANDS.find((candidate) => candidate.name === name);
}

/** @throws {SubcommandError} if the version of the client has a command or an option that this one lacks */
function findCommand(name: string, options: CommandOptions) {
  const command = find(name);
  const unknown =
    command === undefined
      ? `command ${name}`
      : Object.keys(options)
          .filter((option) => option !== INPUT_OPTION && !Object.hasOwn(command.options, option))
          .map((option) => `option --${option}`)[0];
  if (command !== undefined && unknown === undefined) return command;
  throw new SubcommandError(
    `The running service has version ${version} of flags-admin, which does not know the ${unknown}: use that version, or restart the service with the new one`,
  );
}

async function closeServer(server: Server, running: ReadonlySet<ServerResponse>): Promise<void> {
  const closed = once(server, "close");
  server.close();
  for (const response of running) if (response.headersSent) response.destroy();
  await Promise.race([closed, delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  server.closeAllConnections();
  await closed;
}
