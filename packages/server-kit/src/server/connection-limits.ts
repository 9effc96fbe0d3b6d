import { readFileSync } from "node:fs";

/**
 * How many files and connections this process may have open; undefined where it cannot be told, which
 * is everywhere but on Linux, or where there is no limit. Node raises its soft limit to the hard limit
 * when it starts.
 */
export function readOpenFileLimit(): number | undefined {
  try {
    return parseOpenFileLimit(readFileSync("/proc/self/limits", "utf8"));
  } catch {
    return undefined;
  }
}

/** Reads the soft limit from the text of `/proc/self/limits`. */
export function parseOpenFileLimit(limits: string): number | undefined {
  const [, soft] = /^Max open files +(\d+) /m.exec(limits) ?? [];
  return soft === undefined ? undefined : Number(soft);
}

/** File descriptors left for everything but client connections: upstream, database, files and log. */
const MIN_RESERVED_FILES = 64;
const RESERVED_SHARE = 0.1;

function connectionsWithin(openFileLimit: number, minReservedFiles: number): number {
  const reserved = Math.max(minReservedFiles, Math.ceil(openFileLimit * RESERVED_SHARE));
  // With a very low limit, half of it is all that can be reserved.
  return Math.max(1, openFileLimit - Math.min(reserved, Math.ceil(openFileLimit / 2)));
}

/** The open files of a process. */
export interface OpenFiles {
  /** How many it may have; undefined where this is not known. */
  readonly limit: number | undefined;
  /** How many it needs at least for other purposes than client connections. @default 64 */
  readonly minReserved?: number;
}

/** Connections that are available beside event streams by default. */
const ORDINARY_CONNECTIONS = 10_000;

/** Streams must leave this many connections for ordinary requests, or a quarter of a low limit. */
const MIN_ORDINARY_CONNECTIONS = 1000;

/**
 * The default limit of connections: event streams and as many others as usual, or what the limit of
 * open files allows if that is less.
 */
export function defaultMaxConnections(
  maxStreams: number,
  { limit, minReserved = MIN_RESERVED_FILES }: OpenFiles,
): number {
  const wanted = maxStreams + ORDINARY_CONNECTIONS;
  return limit === undefined ? wanted : Math.min(wanted, connectionsWithin(limit, minReserved));
}

/** How many event streams can be open at a time so that other requests still find a connection. */
export function streamsWithin(maxConnections: number, maxStreams: number): number {
  const ordinary = Math.min(MIN_ORDINARY_CONNECTIONS, Math.ceil(maxConnections / 4));
  return Math.min(maxStreams, Math.max(1, maxConnections - ordinary));
}

/**
 * Explains that a limit of connections was set which the limit of open files does not allow;
 * undefined if it does.
 *
 * @param origin what the limit was set with, such as `MAX_CONNECTIONS`
 */
export function explainUnreachable(
  origin: string,
  maxConnections: number,
  { limit, minReserved = MIN_RESERVED_FILES }: OpenFiles,
): string | undefined {
  if (limit === undefined) return undefined;
  const reachable = connectionsWithin(limit, minReserved);
  if (maxConnections <= reachable) return undefined;
  return `${origin} is ${maxConnections}, but this process may have only ${limit} files and connections open: raise that limit (ulimit -n), or set ${origin} to at most ${reachable}`;
}
