import type { FlagSource } from "../upstream/flag-source.ts";
import { UpstreamSource } from "../upstream/upstream-source.ts";
import {
  DEFAULT_NAME,
  describeSources,
  numberRepeated,
  type Upstreams,
} from "./describe-sources.ts";
import type { StoredFlags } from "../store/stored-flags.ts";
import { parseTokenScope, type TokenScope } from "./token-scope.ts";

/** A source that the proxy serves: one environment of an upstream, or one file with flags. */
export interface Source {
  /** Unique: the environment, numbered if several sources have the same one. */
  readonly name: string;
  /** Environment and project of its token; undefined if the token does not say. */
  readonly scope: TokenScope | undefined;
  readonly flags: FlagSource;
  /** The last failed request for its flags, if any. It may still have flags. */
  readonly lastFailure: () => SourceFailure | undefined;
  /** Calls a function whenever a request to the upstream has failed. */
  readonly onFailure: (listener: () => void) => void;
  /** Keeps its flags in a store. Undefined without a store, and in workers. */
  readonly storedFlags?: StoredFlags;
}

export interface SourceFailure {
  /** NOTE: may contain secrets, as errors do. */
  readonly message: string;
  /** Epoch milliseconds. */
  readonly atMs: number;
}

/**
 * Returns the names of the directories for the usage of the sources, in order: the environment, with the
 * project if several sources have the same one. They do not depend on the order of the tokens, because an
 * upstream accepts the usage of a project only with a token for this project.
 */
export function nameSpoolDirectories(upstreamTokens: readonly string[]): readonly string[] {
  const scopes = upstreamTokens.map(parseTokenScope);
  const names = scopes.map((scope) => {
    if (scope === undefined) return DEFAULT_NAME;
    const { project, environment } = scope;
    const count = scopes.filter((other) => other?.environment === environment).length;
    return count === 1 || project === "*" ? environment : `${project}:${environment}`;
  });
  return numberRepeated(names).map(encodeURIComponent);
}

/** Creates one source per upstream token, or per file with flags. */
export function createSources(
  upstreams: Upstreams,
  createFlags: (index: number) => FlagSource,
): readonly Source[] {
  return describeSources(upstreams).map((source, index) => toSource(createFlags(index), source));
}

export function toSource(
  flags: FlagSource,
  { name, scope }: Pick<Source, "name" | "scope"> = {
    name: DEFAULT_NAME,
    scope: undefined,
  },
): Source {
  let lastFailure: SourceFailure | undefined;
  const onFailure = (listener: (error: Error) => void): void => {
    if (flags instanceof UpstreamSource) flags.on("failure", listener);
    else flags.on("error", listener);
  };
  onFailure(({ message }) => {
    lastFailure = { message, atMs: Date.now() };
  });
  return { name, scope, flags, lastFailure: () => lastFailure, onFailure };
}

/**
 * Starts sources. Loads the code of their store first: that can take seconds, which would count towards the time limits of
 * the first operations.
 */
export async function startSources(sources: readonly Source[]): Promise<void> {
  // NOTE: if it cannot be loaded, the operations of the store fail with the reason, and load it again.
  await sources[0]?.storedFlags?.store.open().catch(() => undefined);
  for (const { flags } of sources) flags.start();
}

/** Sends the pending usage of sources now, so that little is left when they are closed after `delayMs`. */
export function sendUsageBefore(delayMs: number, sources: readonly Source[]): void {
  if (delayMs === 0) return;
  for (const { flags } of sources) if (flags instanceof UpstreamSource) flags.sendUsage();
}

/** Closes sources, which sends the pending usage and stores the last flags, and then their store. */
export async function closeSources(sources: readonly Source[]): Promise<void> {
  await Promise.all(sources.map(({ flags }) => flags.close()));
  const stored = sources.flatMap(({ storedFlags }) => storedFlags ?? []);
  await Promise.all(stored.map((storedFlags) => storedFlags.close()));
  await stored[0]?.store.close();
}
