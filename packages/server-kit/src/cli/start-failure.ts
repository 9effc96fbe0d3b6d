import { ConfigError } from "../config/resolve-options.ts";
import type { ListenVariables } from "../http/listen.ts";
import { redactTokens } from "../logging/redact.ts";
import { SubcommandError } from "./program.ts";

/** A reason why a program cannot start that its operator can fix. Printed without a stack trace. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** Describes why the program cannot start, without secrets of tokens, which may be in the wrong setting. */
export function explainStartFailure(error: unknown): string {
  return redactTokens(explainListenFailure(error) ?? describeFailure(error, "Cannot start"));
}

/** Describes to the operator why a subcommand failed, in the same way. */
export function explainSubcommandFailure(error: unknown): string {
  return redactTokens(describeFailure(error, "The command failed"));
}

function describeFailure(error: unknown, problem: string): string {
  if (isExplained(error)) return error.message;
  if (!(error instanceof Error)) return `${problem}: ${String(error)}`;
  return `${problem}: ${error.stack ?? error.message}${describeCauses(error)}`;
}

/** The stack trace of an error does not contain its causes. */
function describeCauses({ cause }: Error): string {
  return cause instanceof Error ? `\nCaused by: ${cause.message}${describeCauses(cause)}` : "";
}

function isExplained(error: unknown): error is Error {
  return [ConfigError, StartError, SubcommandError].some((type) => error instanceof type);
}

/** Error codes of `listen()`, each with the variable that fixes the problem. */
const LISTEN_FAILURES: Readonly<Record<string, (variables: ListenVariables) => string>> = {
  EADDRINUSE: ({ port }) =>
    `another program uses the port. Stop it, or choose another port with ${port}`,
  EACCES: ({ port }) =>
    `the user of this process has no permission to open it. Choose a port above 1023 with ${port}`,
  EADDRNOTAVAIL: ({ host }) =>
    `no network interface of this machine has this address. Choose another one with ${host}`,
  ENOTFOUND: ({ host }) => `the host name is not known. Choose another one with ${host}`,
  EAI_AGAIN: ({ host }) =>
    `the host name cannot be resolved now. Check the DNS server, or choose another host with ${host}`,
};

function explainListenFailure(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, address, port, hostname, variables } = error as NodeJS.ErrnoException & {
    readonly variables?: ListenVariables;
    readonly address?: string | null;
    readonly port?: number;
    readonly hostname?: string;
  };
  const reason = LISTEN_FAILURES[code ?? ""]?.(variables ?? { port: "PORT", host: "HOST" });
  if (reason === undefined) return undefined;
  // NOTE: the address is null if the primary process of a cluster opens the port.
  const host = hostname ?? address ?? "::";
  const subject =
    port === undefined ? host : `port ${port} on ${host === "::" ? "all addresses" : host}`;
  return `Cannot listen on ${subject}: ${reason}`;
}
