import type { Registry } from "prom-client";
import { streamsWithin } from "flags-service";
import type { KeyRing } from "../auth/key-ring.ts";
import type { ProxyConfig } from "../config/config.ts";
import type { DialectRules } from "../routes/evaluation-rules.ts";
import { createMessageForms } from "./message-forms.ts";
import { PushHub } from "./push-hub.ts";
import { SharedAnswers } from "./shared-answers.ts";
import { StreamTokens } from "./stream-tokens.ts";

interface Surroundings {
  readonly ring: KeyRing;
  readonly rules: DialectRules;
  readonly registry: Registry;
}

/** What streams to clients need. */
export interface Push {
  readonly hub: PushHub;
  readonly tokens: StreamTokens;
}

/** The streams of an app, as the configuration has them. */
export function createPush(
  {
    push,
    maxConnections,
    upstreamToken,
    clientKeys,
  }: Pick<ProxyConfig, "push" | "maxConnections" | "upstreamToken" | "clientKeys">,
  { ring, rules, registry }: Surroundings,
): Push {
  const forms = createMessageForms({
    toggles: rules.proxy.render,
    frontend: rules.frontend.render,
    refetch: rules.ofrep.render,
  });
  const answers = new Map(ring.sources.map((source) => [source, new SharedAnswers(forms)]));
  return {
    hub: new PushHub(
      {
        maxStreams: streamsWithin(maxConnections, push.maxStreams),
        maxAgeMs: push.maxAgeSeconds * 1000,
      },
      { answers, registry },
    ),
    tokens: new StreamTokens({ secret: push.secret ?? upstreamToken, clientKeys }),
  };
}
