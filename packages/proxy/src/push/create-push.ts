import type { Registry } from "prom-client";
import type { KeyRing } from "../auth/key-ring.ts";
import type { ProxyConfig } from "../config/config.ts";
import type { EvaluationRules } from "../routes/evaluate.ts";
import { PushHub } from "./push-hub.ts";
import { SharedAnswers } from "./shared-answers.ts";
import { StreamTokens } from "./stream-tokens.ts";

interface Surroundings {
  readonly ring: KeyRing;
  readonly rules: EvaluationRules;
  readonly registry: Registry;
}

/** What streams to clients need. */
export interface Push {
  readonly hub: PushHub;
  readonly tokens: StreamTokens;
}

/** The streams of an app, as the configuration has them. */
export function createPush(
  { push, upstreamToken, clientKeys }: Pick<ProxyConfig, "push" | "upstreamToken" | "clientKeys">,
  { ring, rules, registry }: Surroundings,
): Push {
  const answers = new Map(ring.sources.map((source) => [source, new SharedAnswers(rules.render)]));
  return {
    hub: new PushHub(
      { maxStreams: push.maxStreams, maxAgeMs: push.maxAgeSeconds * 1000 },
      { answers, registry },
    ),
    tokens: new StreamTokens({ secret: push.secret ?? upstreamToken, clientKeys }),
  };
}
