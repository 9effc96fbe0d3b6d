import type { CompiledFlag, Context, Evaluation, Outcome, Snapshot } from "flags-engine";
import type { ClientContext } from "./client-context.ts";
import { digestOf, digestOfFrame, toEntityTag } from "./entity-tag.ts";
import { InvalidPayload, OFREP_FRAME, toList, toOfrepEvaluation, toValue } from "./ofrep.ts";
import type { FlagValue, OfrepEvaluation, OfrepValues } from "./ofrep.ts";
import { toToggle, UNKNOWN_FLAG } from "./toggles.ts";
import type { Toggle } from "./toggles.ts";
import { toVariant } from "./variant.ts";
import type { Variant } from "./variant.ts";

/** What a client of Unleash starts with: its options `bootstrap` and `context`. */
export interface Bootstrap {
  /** The flags that are on; one flag that is off if there are none. NOTE: the types of the client accept no read-only list. */
  readonly toggles: Toggle[];
  readonly context: ClientContext;
}

/** A context of OpenFeature. NOTE: the types of OpenFeature do not accept an interface. */
export type OfrepContext = Omit<ClientContext, "userId"> & {
  /** The id of the user. */
  readonly targetingKey?: string;
};

/** What an OpenFeature provider starts with. */
export interface OfrepBootstrap {
  /** The body of the response to a request for all flags. */
  readonly body: { readonly flags: readonly OfrepEvaluation[] };
  /** The `ETag` of that response. */
  readonly etag: string;
  readonly context: OfrepContext;
}

export interface FlagUse {
  readonly name: string;
  readonly flag: CompiledFlag | undefined;
  readonly eventType: "isEnabled" | "getVariant";
  readonly featureEnabled: boolean;
  readonly variant?: Pick<Variant, "enabled" | "name"> | undefined;
}

interface PageFlagsOptions {
  readonly snapshot: Snapshot;
  readonly context: Context;
  readonly clientContext: ClientContext;
  readonly ofrepValues: OfrepValues;
  readonly ofrepListsAll: boolean;
  readonly onUse: (use: FlagUse) => void;
}

/**
 * NOTE: the official client takes an empty list for none, and shows the flags of the previous visitor instead. This flag is off,
 * so no result is wrong even if there is a flag of this name; neither flags-admin nor Unleash accept it.
 */
const NO_FLAGS: Toggle = toToggle(
  { name: "(no flags are on)", ...UNKNOWN_FLAG },
  { enabled: false, variant: undefined },
);

/**
 * The flags of one context, for a page that is rendered on a server. Everything is from one evaluation, so server and browser
 * agree even on flags that are random. Reading a property counts nothing, because clients count what they use; reading
 * a flag with a method counts as an evaluation.
 */
export class PageFlags {
  readonly #options: PageFlagsOptions;
  readonly #outcomes: Evaluation["outcomes"];
  #bootstrap: Bootstrap | undefined;
  #ofrep: OfrepBootstrap | undefined;
  #values: Readonly<Record<string, FlagValue>> | undefined;

  constructor(options: PageFlagsOptions) {
    this.#options = options;
    this.#outcomes = options.snapshot.evaluateAll(options.context).outcomes;
  }

  /** For clients of Unleash: the toggles, and the context that they belong to. */
  get bootstrap(): Bootstrap {
    this.#bootstrap ??= this.#toBootstrap();
    return this.#bootstrap;
  }

  /** For OpenFeature in browsers: what the proxy would respond, and the context to send. */
  get ofrep(): OfrepBootstrap {
    this.#ofrep ??= this.#toOfrep();
    return this.#ofrep;
  }

  /**
   * The values of the flags that OFREP lists: the payload of the variant by its type, otherwise whether the flag is on. A flag
   * whose payload is invalid is missing.
   */
  get values(): Readonly<Record<string, FlagValue>> {
    this.#values ??= this.#toValues();
    return this.#values;
  }

  /** Returns whether a flag is on. Counts as an evaluation. */
  isEnabled(name: string): boolean {
    const { flag, outcome } = this.#find(name);
    const featureEnabled = outcome?.enabled ?? false;
    this.#options.onUse({ name, flag, eventType: "isEnabled", featureEnabled });
    return featureEnabled;
  }

  /** Returns the variant of a flag. Counts as an evaluation. */
  getVariant(name: string): Variant {
    const { flag, outcome } = this.#find(name);
    const variant = toVariant(outcome);
    const { featureEnabled } = variant;
    this.#options.onUse({ name, flag, eventType: "getVariant", featureEnabled, variant });
    return variant;
  }

  /**
   * Returns the value of a flag: whether it is on if the fallback is a boolean, otherwise the payload of its variant. Returns
   * the fallback if the flag is unknown, or has no value of the type of the fallback: text, number, object or list. Counts as
   * an evaluation.
   */
  getValue(name: string, fallback: boolean): boolean;
  getValue(name: string, fallback: string): string;
  getValue(name: string, fallback: number): number;
  getValue<Value extends object>(name: string, fallback: Value): Value;
  getValue(name: string, fallback: FlagValue | readonly unknown[]): unknown {
    const { flag, outcome } = this.#find(name);
    if (typeof fallback === "boolean" || outcome?.variant === undefined) {
      const isOn = this.isEnabled(name);
      return typeof fallback === "boolean" && flag !== undefined ? isOn : fallback;
    }
    this.getVariant(name);
    const { payload } = outcome.variant;
    if (Array.isArray(fallback)) return (payload && toList(payload)) ?? fallback;
    const value = toValue(outcome, "payload");
    return typeof value === typeof fallback && !(value instanceof InvalidPayload)
      ? value
      : fallback;
  }

  #toBootstrap(): Bootstrap {
    const toggles = this.#list(isEnabled).map(({ flag, outcome }) => toToggle(flag, outcome));
    const { clientContext: context } = this.#options;
    return { toggles: toggles.length === 0 ? [NO_FLAGS] : toggles, context };
  }

  #toOfrep(): OfrepBootstrap {
    const { ofrepValues, clientContext } = this.#options;
    const flags = this.#listForOfrep().map(({ flag, outcome }) =>
      toOfrepEvaluation(flag, outcome, ofrepValues),
    );
    const digests = flags.flatMap((flag) => digestOf(JSON.stringify(flag)));
    const etag = toEntityTag(Int32Array.from([...digestOfFrame(OFREP_FRAME), ...digests]));
    const { userId, ...fields } = clientContext;
    const context = userId === undefined ? fields : { targetingKey: userId, ...fields };
    return { body: { flags }, etag, context };
  }

  #toValues(): Readonly<Record<string, FlagValue>> {
    const values = this.#listForOfrep().flatMap(({ flag, outcome }) => {
      const value = toValue(outcome, "payload");
      return value instanceof InvalidPayload ? [] : [[flag.name, value] as const];
    });
    return Object.fromEntries(values);
  }

  #find(name: string) {
    const { snapshot } = this.#options;
    const index = snapshot.indexOf(name);
    const flag = snapshot.flags[index];
    return { flag, outcome: flag?.outcomes[this.#outcomes[index] ?? 0] };
  }

  #listForOfrep() {
    return this.#list(this.#options.ofrepListsAll ? isAny : isEnabled);
  }

  #list(isListed: (outcome: Outcome) => boolean) {
    return this.#options.snapshot.flags.flatMap((flag, index) => {
      const outcome = flag.outcomes[this.#outcomes[index] ?? 0];
      return outcome !== undefined && isListed(outcome) ? [{ flag, outcome }] : [];
    });
  }
}

const isEnabled = ({ enabled }: Outcome): boolean => enabled;
const isAny = (): boolean => true;
