import { InMemStorageProvider, Strategy, Unleash } from "unleash-client";
import { compileSnapshot, parseDocument } from "../src/index.ts";
import type { CompileOptions, Context, CustomStrategy, Outcome, Snapshot } from "../src/index.ts";
import type { RandomDocument } from "./_random-document.ts";
import { HOST_NAME } from "./_random-values.ts";

// The two evaluators that the tests compare: the official Node SDK, called the oracle, and ours.

/** The result of evaluating one flag, in a form that both evaluators can return. */
export interface Result {
  readonly enabled: boolean;
  readonly variant?: string;
  readonly payload?: unknown;
}

export interface Evaluator {
  /** The oracle may throw. */
  readonly evaluate: (name: string, context: Context) => Result;
  readonly close: () => void;
}

export interface Oracle extends Evaluator {
  readonly isEnabled: (name: string, context: Context) => boolean;
}

type Bootstrap = NonNullable<ConstructorParameters<typeof Unleash>[0]["bootstrap"]>;
type OfficialVariant = ReturnType<Unleash["getVariant"]>;
type OfficialContext = NonNullable<Parameters<Unleash["isEnabled"]>[1]>;

export function isSameResult(one: Result, other: Result): boolean {
  return (
    one.enabled === other.enabled &&
    one.variant === other.variant &&
    JSON.stringify(one.payload) === JSON.stringify(other.payload)
  );
}

/** The fields that the official SDK adds to every context. */
export const STATIC_CONTEXT = { appName: "app", environment: "default" } as const;

/** Starts the official SDK with the document as bootstrap data. It does no I/O. */
export async function createOracle(
  { features, segments }: RandomDocument,
  strategies: readonly CustomStrategy[],
): Promise<Oracle> {
  const client = new Unleash({
    ...STATIC_CONTEXT,
    instanceId: "oracle",
    url: "http://127.0.0.1:1/",
    // NOTE: a copy, because both evaluators use the document and the SDK may change it.
    bootstrap: structuredClone({ data: features, segments }) as unknown as Bootstrap,
    storageProvider: new InMemStorageProvider(),
    strategies: strategies.map(toOfficial),
    refreshInterval: 0,
    disableMetrics: true,
    disableAutoStart: true,
    skipInstanceCountWarning: true,
  });
  client.on("error", () => undefined);
  // NOTE: not events.once(), which would reject on an "error" event about a malformed flag.
  const ready = new Promise((resolve) => client.once("ready", resolve));
  await client.start();
  await ready;
  return {
    evaluate: (name, context) => toResult(client.getVariant(name, context as OfficialContext)),
    // NOTE: for a flag without strategies, it returns `enabled` unchanged, which may be text.
    isEnabled: (name, context) =>
      Boolean(client.isEnabled(name, context as OfficialContext) as unknown),
    close: () => client.destroy(),
  };
}

function toResult(variant: OfficialVariant): Result {
  const enabled = Boolean(variant.feature_enabled);
  if (!variant.enabled) return { enabled };
  return { enabled, variant: variant.name, payload: variant.payload ?? undefined };
}

function toOfficial(custom: CustomStrategy): Strategy {
  const strategy = new Strategy(custom.name);
  // NOTE: returns any truthy or falsy value unchanged, as a strategy in plain JavaScript would.
  strategy.isEnabled = (parameters, context) => custom.isEnabled(parameters, context) as boolean;
  return strategy;
}

/** Compiles a document with the real clock and a random source that tests can replace. */
export function compileDocument(
  document: unknown,
  options: Partial<CompileOptions> = {},
): Snapshot {
  return compileSnapshot(parseDocument(document), {
    hostname: HOST_NAME,
    now: Date.now,
    random: () => Math.random(),
    ...options,
  });
}

export function fromOutcome(outcome: Outcome | undefined): Result {
  if (outcome === undefined) throw new RangeError("The index of the outcome is out of range");
  const { enabled, variant } = outcome;
  if (variant === undefined) return { enabled };
  return { enabled, variant: variant.name, payload: variant.payload };
}

/** Creates our evaluator, which evaluates one flag at a time. */
export function createOurs(
  document: unknown,
  strategies: NonNullable<CompileOptions["strategies"]>,
): Evaluator {
  const snapshot = compileDocument(document, { strategies });
  return {
    evaluate: (name, context) => {
      const index = snapshot.indexOf(name);
      return fromOutcome(snapshot.flags[index]?.outcomes[snapshot.evaluate(index, context)]);
    },
    close: () => undefined,
  };
}
