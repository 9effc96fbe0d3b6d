import type { Context } from "../context.ts";
import { createHashPrefix, splitIntoBlocks } from "../hash.ts";
import type { Bucketing, HashBlocks, HashPrefix } from "../hash.ts";
import type { Condition } from "./condition.ts";
import type { EvaluationRequest, Slot } from "./evaluation-request.ts";
import { ListIndex } from "./membership.ts";
import type { Membership } from "./membership.ts";
import type { IdBucket } from "./rollout.ts";

type FieldText = string | null;

/** The inputs that the outcomes of a snapshot depend on. */
export interface ContextDependencies {
  /**
   * Names of the context fields that some rule reads, sorted. Two contexts that agree on these
   * fields have equal outcomes, unless one of the flags below is set.
   */
  readonly fields: readonly string[];
  /** A rule compares with the clock if the context has no `currentTime`. */
  readonly readsClock: boolean;
  /** A rule may draw a random number, because an id is missing or because it is always random. */
  readonly drawsRandom: boolean;
  /** A rule calls a custom strategy, which may read anything. */
  readonly callsCustomStrategy: boolean;
}

/** Whether an outcome may depend on the session id, so that a missing one must be generated. */
export function readsSessionId({
  drawsRandom,
  callsCustomStrategy,
  fields,
}: ContextDependencies): boolean {
  return drawsRandom || callsCustomStrategy || fields.includes("sessionId");
}

/**
 * The slots through which the rules of one snapshot read the context. Rules that read the same field
 * in the same way share a slot. The outcomes depend on every slot that was requested here.
 */
export class ContextFields {
  readonly #slots = new Map<string, Slot<unknown>>();
  readonly #listIndexes = new Map<Slot<FieldText>, ListIndex>();
  readonly #memberships = new Map<string, Membership>();
  readonly #fields = new Map<string, Slot<unknown>[]>();
  #readsClock = false;
  #drawsRandom = false;
  #callsCustomStrategy = false;

  /** A top-level field or, if it is absent, a property. Null and undefined count as absent. */
  text(field: string): Slot<FieldText> {
    return this.#fieldSlot(field, "text", (request) => lookUp(request.context, field));
  }

  /** A top-level field that is a string. Any other value counts as absent. */
  topLevelString(field: string): Slot<FieldText> {
    return this.#fieldSlot(field, "string", ({ context }) => {
      const value = context[field];
      return typeof value === "string" ? value : null;
    });
  }

  /** A top-level field, converted to text. Falsy values count as absent. */
  topLevelTruthyText(field: string): Slot<FieldText> {
    return this.#fieldSlot(field, "truthy", ({ context }) => truthyText(context[field]));
  }

  /**
   * A value computed from the text of a field, such as a number.
   *
   * @param form the name of the computation; all calls with the same name must pass the same function
   */
  derived<Value>(
    form: string,
    text: Slot<FieldText>,
    derive: (text: FieldText, request: EvaluationRequest) => Value,
  ): Slot<Value> {
    return this.#slot(`${form} ${text.index}`, (request) => derive(request.read(text), request));
  }

  /** The id of a rollout with default stickiness: the user, else the session, else a random id. */
  defaultRolloutId(): Slot<string> {
    const userId = this.topLevelTruthyText("userId");
    const sessionId = this.topLevelTruthyText("sessionId");
    const random = this.randomRolloutId();
    return this.#slot(
      "default rollout id",
      (request) => request.read(userId) ?? request.read(sessionId) ?? request.read(random),
    );
  }

  /** A random id, the same for all flags of a request. */
  randomRolloutId(): Slot<string> {
    this.#drawsRandom = true;
    return this.#slot("random rollout id", (request) =>
      String(Math.round(request.random() * 10_000) + 1),
    );
  }

  /** The id of variants with default stickiness: the first id of the context, else a random one. */
  defaultVariantId(): Slot<string> {
    const ids = ["userId", "sessionId", "remoteAddress"].map((field) => this.topLevelString(field));
    const random = this.#randomVariantId();
    return this.#slot("default variant id", (request) => {
      for (const id of ids) {
        const text = request.read(id);
        if (text) return text;
      }
      return request.read(random);
    });
  }

  /** The id of variants that stick to a field: its text, else a random id. */
  variantId(field: string): Slot<string> {
    const text = this.text(field);
    const random = this.#randomVariantId();
    return this.#slot(
      `variant id ${field}`,
      (request) => request.read(text) || request.read(random),
    );
  }

  bucket(id: Slot<FieldText>, { group, size, seed }: Bucketing): IdBucket {
    const prefix = createHashPrefix(`${group}:`, seed);
    return { blocks: this.#blocks(id, prefix), prefix, size };
  }

  /** Whether a list contains a string. Equal lists, such as those of a segment, share one object. */
  membership(text: Slot<FieldText>, values: readonly string[]): Membership {
    const key = JSON.stringify([text.index, values]);
    const existing = this.#memberships.get(key);
    if (existing !== undefined) return existing;
    const index =
      this.#listIndexes.get(text) ??
      new ListIndex(text, (form, derive) => this.derived(form, text, derive));
    this.#listIndexes.set(text, index);
    const membership = index.add(values);
    this.#memberships.set(key, membership);
    return membership;
  }

  /** A condition of several rules, which is evaluated once per request. Targets are evaluated together anyway. */
  shared(condition: Condition): Condition {
    if (typeof condition === "boolean" || condition.target !== undefined) return condition;
    const slot = this.#slot(`condition ${this.#slots.size}`, (request) =>
      Number(condition(request)),
    );
    return (request) => request.read(slot) === 1;
  }

  /** The current time in epoch milliseconds; NaN if the context contains an invalid one. */
  currentTimeMs(): Slot<number> {
    this.#readsClock = true;
    return this.#fieldSlot("currentTime", "time", currentTimeMs);
  }

  markUsesRandom(): void {
    this.#drawsRandom = true;
  }

  markUsesCustomStrategy(): void {
    this.#callsCustomStrategy = true;
  }

  slotsOf(field: string): readonly Slot<unknown>[] {
    return this.#fields.get(field) ?? [];
  }

  contextDependencies(): ContextDependencies {
    return Object.freeze({
      fields: Object.freeze([...this.#fields.keys()].toSorted()),
      readsClock: this.#readsClock,
      drawsRandom: this.#drawsRandom,
      callsCustomStrategy: this.#callsCustomStrategy,
    });
  }

  #blocks(id: Slot<FieldText>, { pendingBits }: HashPrefix): Slot<HashBlocks | null> {
    return this.derived(`blocks ${pendingBits}`, id, (text) =>
      text ? splitIntoBlocks(text, pendingBits) : null,
    );
  }

  #randomVariantId(): Slot<string> {
    this.#drawsRandom = true;
    return this.#slot("random variant id", (request) =>
      String(Math.round(request.random() * 100_000)),
    );
  }

  #fieldSlot<Value>(
    field: string,
    form: string,
    load: (request: EvaluationRequest) => Value,
  ): Slot<Value> {
    const slot = this.#slot(`${form} ${field}`, load);
    const slots = this.#fields.get(field) ?? [];
    if (!slots.includes(slot)) this.#fields.set(field, [...slots, slot]);
    return slot;
  }

  #slot<Value>(key: string, load: (request: EvaluationRequest) => Value): Slot<Value> {
    const existing = this.#slots.get(key);
    // NOTE: the key identifies the computation, so slots with equal keys have the same type.
    if (existing !== undefined) return existing as Slot<Value>;
    const slot: Slot<Value> = { index: this.#slots.size, load };
    this.#slots.set(key, slot);
    return slot;
  }
}

function lookUp(context: Context, field: string): FieldText {
  const value = ownValue(context, field) ?? ownValue(context.properties, field);
  return value === null || value === undefined ? null : toText(value);
}

function ownValue(record: object | null | undefined, field: string): unknown {
  if (typeof record !== "object" || record === null) return undefined;
  return Object.hasOwn(record, field) ? (record as Record<string, unknown>)[field] : undefined;
}

function truthyText(value: unknown): FieldText {
  return value ? toText(value) : null;
}

/** Converts any value to text as JavaScript does, including dates and lists. */
function toText(value: unknown): FieldText {
  if (typeof value === "string") return value;
  try {
    // oxlint-disable-next-line typescript/no-base-to-string -- the official SDK's rule for objects
    return String(value);
  } catch {
    // The object cannot be converted to text, for example because it has no prototype.
    return null;
  }
}

function currentTimeMs(request: EvaluationRequest): number {
  const { currentTime } = request.context;
  return currentTime ? toEpochMs(currentTime) : request.now();
}

/** Converts a time to epoch milliseconds as JavaScript's `Date` does. Returns NaN if it cannot. */
export function toEpochMs(value: unknown): number {
  try {
    // oxlint-disable-next-line no-restricted-globals -- converts a given time, never reads the clock
    return new Date(value as string).getTime();
  } catch {
    return Number.NaN;
  }
}
