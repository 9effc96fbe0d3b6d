import { ConfigError } from "../config/config-error.ts";
import { REDACTED } from "../logging/redact.ts";
import { redactTokens } from "../logging/token-text.ts";
import { StartError } from "./start-error.ts";

/**
 * What to tell the person who started the command: without a stack trace where they can fix it, and
 * without the secrets of tokens, which may have been put into the wrong setting.
 */
export function explainFailure(error: unknown): string {
  return redactTokens(describeFailure(error), REDACTED);
}

function describeFailure(error: unknown): string {
  if (error instanceof ConfigError || error instanceof StartError) return error.message;
  if (!(error instanceof Error)) return `Cannot start: ${String(error)}`;
  return explainListening(error) ?? `Cannot start: ${error.stack ?? error.message}`;
}

/** Failures of `listen()` by their code, with the variable that mends them. */
const LISTENING: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is taken, choose another one with PORT",
  EACCES: "this user may not open the port, choose one above 1023 with PORT",
  EADDRNOTAVAIL: "this machine does not have the address, choose another one with HOST",
  ENOTFOUND: "the host name is not known, choose another one with HOST",
  EAI_AGAIN: "the host name cannot be looked up, choose another one with HOST",
};

function explainListening(error: Error): string | undefined {
  const { code, address, port, hostname } = error as NodeJS.ErrnoException & {
    readonly address?: string | null;
    readonly port?: number;
    readonly hostname?: string;
  };
  const reason = LISTENING[code ?? ""];
  if (reason === undefined) return undefined;
  // NOTE: a port that another process opens for this one has no address then.
  const host = hostname ?? address ?? "::";
  const place =
    port === undefined ? host : `port ${port} of ${host === "::" ? "any address" : host}`;
  return `Cannot listen on ${place}: ${reason}`;
}
