import { once } from "node:events";
import { type IncomingMessage, request as createRequest } from "node:http";
import { connect, type Socket } from "node:net";
import type { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { StartError } from "flags-server-kit";
import { EXIT_FAILURE, SubcommandError } from "flags-server-kit/command-line";
import { codeOf, toErrorMessage, tryParseJson } from "flags-server-kit/neutral";
import { type Command, type CommandOptions, MAX_REQUEST_BYTES } from "./command.ts";
import type { ServiceStatus } from "./service-status.ts";
import { openSocketPath } from "./socket-path.ts";

/** Longer than a change may take while others, or a backup, are in progress. */
const TIMEOUT_MS = 120_000;

interface ServiceCommand extends Pick<Command, "maxRequestBytes" | "name"> {
  readonly options: CommandOptions;
}

/**
 * Runs a command in the service that holds a data directory, and writes its result to the output, which is left open.
 *
 * @returns false if no service accepts commands there
 * @throws {SubcommandError} with the reason and the exit code that the service reports
 */
export async function runInService(
  dataDir: string,
  { name, options, maxRequestBytes = MAX_REQUEST_BYTES }: ServiceCommand,
  output: Writable,
): Promise<boolean> {
  const body = JSON.stringify(options);
  if (Buffer.byteLength(body) > maxRequestBytes) {
    throw new SubcommandError(`The options are longer than ${maxRequestBytes / 1024} KiB`);
  }
  const result = await callService(
    dataDir,
    { method: "POST", path: `/commands/${name}`, body },
    async (response) => {
      await pipeline(response, output, { end: false });
      return true;
    },
  );
  return result ?? false;
}

/** Asks the service that holds a data directory for its status. Undefined if none accepts commands there. */
export function readServiceStatus(dataDir: string): Promise<ServiceStatus | undefined> {
  return callService(
    dataDir,
    { method: "GET", path: "/status" },
    async (response) => JSON.parse(await text(response)) as ServiceStatus,
  );
}

interface ServiceCall {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
}

async function callService<T>(
  dataDir: string,
  call: ServiceCall,
  read: (response: IncomingMessage) => Promise<T>,
): Promise<T | undefined> {
  const socket = await connectToService(dataDir);
  if (socket === undefined) return undefined;
  try {
    const response = await send(socket, call);
    if (response.statusCode === 200) return await read(response);
    throw toReportedFailure(await text(response));
  } catch (error) {
    if (!LOST_CODES.has(codeOf(error))) throw error;
    throw new StartError(
      "The service ended the connection before the command was complete: see its log",
      { cause: error },
    );
  } finally {
    socket.destroy();
  }
}

async function send(socket: Socket, { method, path, body }: ServiceCall): Promise<IncomingMessage> {
  const request = createRequest({ createConnection: () => socket, method, path });
  request.setTimeout(TIMEOUT_MS, () => {
    request.destroy(
      new SubcommandError(
        `The service did not respond within ${TIMEOUT_MS / 1000} s: see its log, and check what it has done before you repeat the command`,
        EXIT_FAILURE,
      ),
    );
  });
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return response;
}

/** Error codes of a connection that ended early. The output has others. */
const LOST_CODES = new Set(["ECONNRESET", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE"]);

function toReportedFailure(body: string): SubcommandError {
  const { message, exitCode } = tryParseJson(body) as {
    readonly message: string;
    readonly exitCode: number;
  };
  return new SubcommandError(message, exitCode);
}

/** Error codes that mean that no service runs, or that it has not opened its socket. */
const NO_SERVICE_CODES = new Set(["ECONNREFUSED", "ENOENT", "ENOTDIR"]);

async function connectToService(dataDir: string): Promise<Socket | undefined> {
  let shown = dataDir;
  try {
    const path = await openSocketPath(dataDir);
    ({ shown } = path);
    try {
      const socket = connect(path.path);
      await once(socket, "connect");
      return socket;
    } finally {
      await path.close();
    }
  } catch (error) {
    const code = codeOf(error);
    if (NO_SERVICE_CODES.has(code)) return undefined;
    const reason =
      code === "EACCES" || code === "EPERM"
        ? "run the command as the user of the service, or as root"
        : toErrorMessage(error);
    throw new StartError(`Cannot use ${shown}: ${reason}`, { cause: error });
  }
}
