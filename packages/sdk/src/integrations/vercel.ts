// The entry `flags-sdk/vercel`.

import type { Adapter } from "flags";
import type { Context } from "flags-engine";
import type { PageFlags } from "../rendering/page-flags.ts";

/** How an adapter evaluates flags, and for whom. */
export interface VercelAdapterOptions {
  /** Evaluates all flags for a context: `evaluate()` of a client of flags-sdk, or of an application of flags-proxy. */
  readonly evaluate: (context: Context) => PageFlags | Promise<PageFlags>;
  /** Returns the context of a request. @default an empty one, unless a flag has its own `identify` */
  readonly identify?: Adapter<unknown, Context>["identify"];
}

/**
 * Returns the adapter for a flag whose values have this type. For another type than boolean, the flag needs a `defaultValue`,
 * whose type determines which value is returned.
 */
export type VercelAdapter = <Value = boolean>() => Adapter<Value, Context>;

/**
 * Creates an adapter for `flags`, the SDK of Vercel. All flags of a request with the same context are from one evaluation,
 * and each flag that is read counts as an evaluation. Values are those of `getValue()` with the `defaultValue` of the flag.
 *
 * @example
 * const adapter = createVercelAdapter({
 *   evaluate: (context) => client.evaluate(context),
 *   identify: ({ cookies }) => ({ sessionId: cookies.get("session")?.value }),
 * });
 * export const newHeader = flag({ key: "new-header", adapter: adapter() });
 * export const title = flag({ key: "title", defaultValue: "Shop", adapter: adapter<string>() });
 */
export function createVercelAdapter({ evaluate, identify }: VercelAdapterOptions): VercelAdapter {
  const requests = new WeakMap<object, Map<string, Promise<PageFlags>>>();

  /** @param headers identify the request */
  const find = (headers: object, context: Context = {}): Promise<PageFlags> => {
    const evaluations = requests.get(headers) ?? new Map<string, Promise<PageFlags>>();
    requests.set(headers, evaluations);
    const id = JSON.stringify(context);
    const flags = evaluations.get(id) ?? (async () => evaluate(context))();
    evaluations.set(id, flags);
    return flags;
  };
  const adapter: Adapter<unknown, Context> = {
    adapterId: Symbol("flags-sdk"),
    ...(identify && { identify }),
    decide: async ({ key, defaultValue, entities, headers }) =>
      read(await find(headers, entities), { key, defaultValue }),
    bulkDecide: async ({ flags: asked, entities, headers }) => {
      const flags = await find(headers, entities);
      return Object.fromEntries(asked.map((flag) => [flag.key, read(flags, flag)]));
    },
  };
  // The caller states the type of a flag; its default value, which has this type, ensures it.
  return <Value>() => adapter as Adapter<Value, Context>;
}

interface AskedFlag {
  readonly key: string;
  readonly defaultValue?: unknown;
}

function read(flags: PageFlags, { key, defaultValue = false }: AskedFlag): unknown {
  // Of its overloads, `getValue()` applies the one for the type of the default value.
  return flags.getValue(key, defaultValue as object);
}
