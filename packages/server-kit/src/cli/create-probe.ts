import { once } from "node:events";
import * as http from "node:http";
import type { RequestOptions } from "node:https";
import { InvalidValue, baseUrlKind } from "../config/setting-kinds.ts";
import { ConfigError } from "../config/resolve-options.ts";
import { findLocalUrl, type ListenSettings, type ListenSources } from "./local-url.ts";
import { EXIT_USAGE, type Subcommand, SubcommandError, type SubcommandResult } from "./program.ts";

/** Orchestrators commonly wait for one or several seconds. */
const TIMEOUT_MS = 1500;

const SUCCESS_STATUS = 200;

const CA_FILE = "ca-certificate-file";

interface ProbeDefinition<Env> {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly success: string;
  readonly path: string;
  readonly settings: ListenSettings;
  readonly sourcesOf: (environment: Env) => ListenSources;
  /** The name of the URL in messages. @default --url */
  readonly urlName?: string;
}

/** Creates a subcommand that requests an endpoint of the running server, for exec probes. */
export function createProbe<Env>(definition: ProbeDefinition<Env>): Subcommand<Env> {
  const { name, summary, description, success, path, urlName = "--url" } = definition;
  return {
    name,
    summary,
    description: [
      description,
      `Requests ${path} of the server on this machine, at the address that the settings determine, and prints one line. Takes at most ${TIMEOUT_MS / 1000} s. Meant for exec probes of containers, Kubernetes and systemd.`,
    ],
    options: {
      url: {
        value: "URL",
        description: `URL of the server without ${path}, if the settings do not determine it.`,
      },
      [CA_FILE]: {
        short: "c",
        value: "FILE",
        description:
          "PEM file with certificates of CAs to trust, in addition to those that Node trusts. Only with a URL: otherwise, the server's certificate is not verified.",
      },
    },
    exitCodes: [
      success,
      "The server responded with an error, did not respond in time, or cannot be reached.",
    ],
    run: async ({ options, environment }) => {
      const { url } = options;
      if (typeof url === "string") {
        return probe(
          new URL(`${readBaseUrl(url, urlName)}${path}`),
          await readAuthorities(options[CA_FILE]),
        );
      }
      // NOTE: a certificate is for the public name of the server, not for the local address.
      const base = findLocalUrl(definition.settings, definition.sourcesOf(environment));
      return probe(new URL(`${base}${path}`), { rejectUnauthorized: false });
    },
  };
}

function readBaseUrl(text: string, name: string): string {
  const url = baseUrlKind.parse(text);
  if (url instanceof InvalidValue) {
    throw new SubcommandError(`${name} must be ${baseUrlKind.allowed}: ${url.detail}`, EXIT_USAGE);
  }
  return url.replace(/\/+$/, "");
}

/** NOTE: imported only if there is a file, to keep probes fast. */
async function readAuthorities(path: string | true | undefined): Promise<ProbeOptions> {
  if (typeof path !== "string") return {};
  const { loadAuthorities } = await import("../config/certificates.ts");
  const { rootCertificates } = await import("node:tls");
  const file = loadAuthorities({ origin: `--${CA_FILE}`, path });
  if ("problems" in file) throw new ConfigError(file.problems);
  return { ca: [...rootCertificates, file.ca] };
}

type ProbeOptions = Pick<RequestOptions, "rejectUnauthorized" | "ca">;

async function probe(url: URL, options: ProbeOptions): Promise<SubcommandResult> {
  const startMs = performance.now();
  const status = await requestStatus(url, options).catch(describeError);
  const durationMs = Math.round(performance.now() - startMs);
  const result = typeof status === "number" ? `status ${status}` : status;
  return {
    output: `${url.href}: ${result}, ${durationMs} ms\n`,
    exitCode: status === SUCCESS_STATUS ? 0 : 1,
  };
}

async function requestStatus(url: URL, tls: ProbeOptions): Promise<number> {
  const { get, Agent } = url.protocol === "http:" ? http : await import("node:https");
  const request = get(url, {
    ...tls,
    // A redirect is not followed, so it counts as an error.
    headers: { connection: "close" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    // NOTE: the default agents may send requests through HTTP_PROXY.
    agent: new Agent(),
  });
  // Closing the connection early may be an error, too.
  request.on("error", () => undefined);
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  response.destroy();
  return response.statusCode ?? 0;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "no server is listening there",
  ECONNRESET: "the connection was closed without a response",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name cannot be resolved",
};

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError" || error.name === "AbortError") {
    return `no response within ${TIMEOUT_MS / 1000} s`;
  }
  const { code = "", message } = error as NodeJS.ErrnoException;
  // NOTE: a failed connection to a name with several addresses has a code and no message.
  return REASONS[code] ?? (message === "" ? code : message);
}
