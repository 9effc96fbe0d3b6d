import { readFileSync } from "node:fs";

/** Returns how many files and connections this process may have open; undefined if not known, as on all systems but Linux. */
export function readOpenFileLimit(): number | undefined {
  try {
    return parseOpenFileLimit(readFileSync("/proc/self/limits", "utf8"));
  } catch {
    return undefined;
  }
}

export function parseOpenFileLimit(limits: string): number | undefined {
  const [, soft] = /^Max open files +(\d+) /m.exec(limits) ?? [];
  return soft === undefined ? undefined : Number(soft);
}

/** File descriptors for purposes other than client connections: upstream, database, files and log. */
const MIN_RESERVED_FILES = 64;
const RESERVED_SHARE = 0.1;

function connectionsWithin(openFileLimit: number, minReservedFiles: number): number {
  const reserved = Math.max(minReservedFiles, Math.ceil(openFileLimit * RESERVED_SHARE));
  // If the limit is very low, at most half of it is reserved.
  return Math.max(1, openFileLimit - Math.min(reserved, Math.ceil(openFileLimit / 2)));
}

export interface OpenFiles {
  readonly limit: number | undefined;
  /** Minimum number of files for purposes other than client connections. @default 64 */
  readonly minReserved?: number;
}

/** For requests other than event streams. */
const ORDINARY_CONNECTIONS = 10_000;

/** Streams leave this many connections for other requests, or a quarter of a low limit. */
const MIN_ORDINARY_CONNECTIONS = 1000;

export function defaultMaxConnections(
  maxStreams: number,
  { limit, minReserved = MIN_RESERVED_FILES }: OpenFiles,
): number {
  const wanted = maxStreams + ORDINARY_CONNECTIONS;
  return limit === undefined ? wanted : Math.min(wanted, connectionsWithin(limit, minReserved));
}

export function streamsWithin(maxConnections: number, maxStreams: number): number {
  const ordinary = Math.min(MIN_ORDINARY_CONNECTIONS, Math.ceil(maxConnections / 4));
  return Math.min(maxStreams, Math.max(1, maxConnections - ordinary));
}

/** Like `streamsWithin()`, for two kinds. The first may use what it wants, but leaves the second one 1000, or a quarter of a low limit. */
export function shareStreams(
  maxConnections: number,
  maxFirst: number,
  maxSecond: number,
): readonly [number, number] {
  const total = streamsWithin(maxConnections, maxFirst + maxSecond);
  const first = streamsWithin(total, maxFirst);
  return [first, Math.min(maxSecond, Math.max(1, total - first))];
}

/** @param origin the setting that the limit comes from, such as `MAX_CONNECTIONS` */
export function explainUnreachableLimit(
  origin: string,
  maxConnections: number,
  { limit, minReserved = MIN_RESERVED_FILES }: OpenFiles,
): string | undefined {
  if (limit === undefined) return undefined;
  const reachable = connectionsWithin(limit, minReserved);
  if (maxConnections <= reachable) return undefined;
  return `${origin} is ${maxConnections}, but the open-file limit of this process, which includes connections, is ${limit}: raise it (ulimit -n), or set ${origin} to at most ${reachable}`;
}
