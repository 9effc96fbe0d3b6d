import type { onRequestHookHandler } from "fastify";
import type { DefinitionsHub } from "./definitions-hub.ts";
import type { RouteOptions } from "../protocol.ts";

/** What the routes are made from that hand out definitions. */
export interface DefinitionsOptions extends Pick<DefinitionsHub, "feeds" | "read" | "streams"> {
  /** Lets server tokens pass, and nothing else. */
  readonly authenticate: onRequestHookHandler;
  /** The request headers that every answer depends on. */
  readonly vary: string;
}

/** What the routes of a protocol are made from that hands out definitions too. */
export interface ServerSdkOptions extends Pick<
  RouteOptions,
  "config" | "metrics" | "allow" | "definitions"
> {
  /** The request headers that every response depends on. */
  readonly vary: string;
}

/** How OpenAPI describes all of them. */
export const SERVER_SDK = { tags: ["Server SDKs"], security: [{ serverToken: [] }] };
