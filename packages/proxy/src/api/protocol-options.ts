import type { onRequestHookHandler } from "fastify";
import type { KeyKind } from "../access/key-registry.ts";
import type { ProxyConfig } from "../config/config.ts";
import type { Metrics } from "../metrics.ts";
import type { EvaluationRules } from "./evaluate.ts";

/** What the routes of a protocol are made from. */
export interface ProtocolOptions {
  readonly config: ProxyConfig;
  readonly metrics: Metrics;
  readonly rules: EvaluationRules;
  /** Makes what lets keys of these kinds pass, and nothing else. */
  readonly allow: (...kinds: readonly KeyKind[]) => onRequestHookHandler;
}
