import { InMemStorageProvider, Strategy, Unleash } from "unleash-client";
import type { Context, CustomStrategy } from "../src/index.ts";
import type { Answer, Evaluator } from "./_answer.ts";
import type { RandomDocument } from "./_random-document.ts";

type Bootstrap = NonNullable<ConstructorParameters<typeof Unleash>[0]["bootstrap"]>;
type OfficialVariant = ReturnType<Unleash["getVariant"]>;
type OfficialContext = NonNullable<Parameters<Unleash["isEnabled"]>[1]>;

export interface Oracle extends Evaluator {
  readonly isEnabled: (name: string, context: Context) => boolean;
}

/** What the official client adds to every context. */
export const STATIC_CONTEXT = { appName: "app", environment: "default" } as const;

/** The official SDK, whole, started from the document as bootstrap data. It never does I/O. */
export async function createOracle(
  { features, segments }: RandomDocument,
  strategies: readonly CustomStrategy[],
): Promise<Oracle> {
  const client = new Unleash({
    ...STATIC_CONTEXT,
    instanceId: "oracle",
    url: "http://127.0.0.1:1/",
    // NOTE: copies, because a document is evaluated by both and must not be shared.
    bootstrap: structuredClone({ data: features, segments }) as unknown as Bootstrap,
    storageProvider: new InMemStorageProvider(),
    strategies: strategies.map(toOfficial),
    refreshInterval: 0,
    disableMetrics: true,
    disableAutoStart: true,
    skipInstanceCountWarning: true,
  });
  client.on("error", () => undefined);
  // NOTE: not events.once(), which would take the complaint about a malformed flag for a failure.
  const ready = new Promise((resolve) => client.once("ready", resolve));
  await client.start();
  await ready;
  return {
    answer: (name, context) => toAnswer(client.getVariant(name, context as OfficialContext)),
    // NOTE: a flag without strategies hands out its `enabled` as it is, even if that is a text.
    isEnabled: (name, context) =>
      Boolean(client.isEnabled(name, context as OfficialContext) as unknown),
    close: () => client.destroy(),
  };
}

function toAnswer(variant: OfficialVariant): Answer {
  const enabled = Boolean(variant.feature_enabled);
  if (!variant.enabled) return { enabled };
  return { enabled, variant: variant.name, payload: variant.payload ?? undefined };
}

function toOfficial(custom: CustomStrategy): Strategy {
  const strategy = new Strategy(custom.name);
  // NOTE: whatever truthy or falsy value comes back is handed on, as plain JavaScript would.
  strategy.isEnabled = (parameters, context) => custom.isEnabled(parameters, context) as boolean;
  return strategy;
}
