import type { onRequestHookHandler } from "fastify";
import type { FlagSource } from "flags-sdk";
import { streamsWithin } from "flags-server-kit";
import type { Registry } from "prom-client";
import type { ProxyConfig } from "../../config/config.ts";
import { observeDefinitionsStreams } from "../../metrics/streams.ts";
import { createDefinitionsReader, type DefinitionsReader } from "./definitions-document.ts";
import { DefinitionsFeeds } from "./definitions-feed.ts";
import { DefinitionsStreams } from "./definitions-streams.ts";

/** The caches and streams that all routes with definitions share. */
export interface DefinitionsServices {
  readonly read: DefinitionsReader;
  readonly feeds: DefinitionsFeeds;
  readonly streams: DefinitionsStreams;
}

/** The dependencies of the routes that send definitions. */
export interface DefinitionsOptions extends DefinitionsServices {
  /** Accepts only server tokens. */
  readonly authenticate: onRequestHookHandler;
  /** The request headers that every response depends on. */
  readonly vary: string;
}

/** Maximum number of streams, if the limit of connections allows that many. */
const MAX_STREAMS = 10_000;

type DefinitionsSettings = Pick<
  ProxyConfig,
  "accessFile" | "maxConnections" | "serverTokens" | "upstreamKeys"
>;

/** Creates the shared caches and streams for the definitions of the given sources. */
export function createDefinitions(
  sources: readonly FlagSource[],
  { maxConnections, serverTokens, accessFile, upstreamKeys }: DefinitionsSettings,
  registry: Registry,
): DefinitionsServices {
  const feeds = new DefinitionsFeeds();
  const maxStreams = streamsWithin(maxConnections, MAX_STREAMS);
  // NOTE: tokens can be added to an access file later, and the upstream can verify more of them.
  const canChange = accessFile !== undefined || upstreamKeys !== undefined;
  const hasSeveralKeys = canChange || new Set(serverTokens).size > 1;
  const streams = new DefinitionsStreams(sources, feeds, {
    maxStreams,
    hasSeveralKeys: () => hasSeveralKeys,
  });
  observeDefinitionsStreams(registry, streams);
  return { read: createDefinitionsReader(), feeds, streams };
}
