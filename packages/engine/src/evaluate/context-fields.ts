import type { Context } from "../context.ts";
import type { Bucketing } from "../hash/bucket.ts";
import { createHashPrefix, cutIntoBlocks } from "../hash.ts";
import type { HashBlocks, HashPrefix } from "../hash.ts";
import { parseIpv4 } from "../constraints/ip-address.ts";
import type { Address } from "../constraints/ip-address.ts";
import type { ContextDependencies } from "../snapshot.ts";
import type { EvaluationRequest, Slot } from "./evaluation-request.ts";
import { IdBucket } from "./id-bucket.ts";
import { MemberTable } from "./membership.ts";
import { Membership } from "./membership-old.ts";

/** The text of a field, or null when the context does not have it. */
export type FieldText = string | null;

/**
 * Every way in which the rules of one snapshot read the context. Rules that read the same field in
 * the same way share a slot; what was asked for here is what the answers depend on.
 */
export class ContextFields {
  readonly #slots = new Map<string, Slot<unknown>>();
  readonly #memberTables = new Map<Slot<FieldText>, MemberTable>();
  readonly #memberships = new Map<string, Membership>();
  readonly #fields = new Set<string>();
  #readsClock = false;
  #drawsRandom = false;
  #callsCustomStrategy = false;

  /** The general lookup: top level first, then `properties`; null and undefined count as absent. */
  text(field: string): Slot<FieldText> {
    this.#fields.add(field);
    return this.#slot(`text ${field}`, (request) => lookUp(request.context, field));
  }

  /** Something worked out of the text of a field, such as a number; `form` names what it is. */
  derived<Value>(form: string, field: string, derive: (text: FieldText) => Value): Slot<Value> {
    const text = this.text(field);
    return this.#slot(`${form} ${field}`, (request) => derive(request.read(text)));
  }

  /** A field of the top level that counts only as non-empty text, as lists of ids want it. */
  topLevelString(field: string): Slot<FieldText> {
    this.#fields.add(field);
    return this.#slot(`string ${field}`, ({ context }) => {
      const value = context[field];
      return typeof value === "string" ? value : null;
    });
  }

  /** A field of the top level as text; falsy values count as absent. */
  topLevelText(field: string): Slot<FieldText> {
    this.#fields.add(field);
    return this.#slot(`truthy ${field}`, ({ context }) => truthyText(context[field]));
  }

  /** A field of the top level as an IPv4 address; an absent field is no address. */
  topLevelAddress(field: string): Slot<Address | null> {
    const text = this.topLevelString(field);
    return this.#slot(`ipv4 ${field}`, (request) => parseIpv4(request.read(text) ?? ""));
  }

  /** The id that a rollout with default stickiness goes by; never absent. */
  defaultRolloutId(): Slot<string> {
    const userId = this.topLevelText("userId");
    const sessionId = this.topLevelText("sessionId");
    const random = this.randomRolloutId();
    return this.#slot(
      "default rollout id",
      (request) => request.read(userId) ?? request.read(sessionId) ?? request.read(random),
    );
  }

  /** One random id for the whole request. */
  randomRolloutId(): Slot<string> {
    this.#drawsRandom = true;
    return this.#slot("random rollout id", (request) =>
      String(Math.round(request.random() * 10_000) + 1),
    );
  }

  /** What variants with default stickiness go by: the first id there is, else a random one. */
  defaultVariantSeed(): Slot<string> {
    const ids = ["userId", "sessionId", "remoteAddress"].map((field) => this.topLevelString(field));
    const random = this.#randomVariantSeed();
    return this.#slot("default variant seed", (request) => {
      for (const id of ids) {
        const text = request.read(id);
        if (text) return text;
      }
      return request.read(random);
    });
  }

  /** What variants that stick to a field go by; random when the context lacks it. */
  variantSeed(field: string): Slot<string> {
    const text = this.text(field);
    const random = this.#randomVariantSeed();
    return this.#slot(
      `variant seed ${field}`,
      (request) => request.read(text) || request.read(random),
    );
  }

  /** The bucket that an id falls into by a bucketing. */
  bucket(id: Slot<FieldText>, { group, size, seed }: Bucketing): IdBucket {
    const prefix = createHashPrefix(`${group}:`, seed);
    return new IdBucket({ blocks: this.#blocks(id, prefix), prefix, size });
  }

  /** Whether a text is in a list; the same object for the same list, as segments have it. */
  membership(text: Slot<FieldText>, members: readonly string[]): Membership {
    const key = JSON.stringify([text.index, members]);
    const known = this.#memberships.get(key);
    if (known !== undefined) return known;
    const membership = this.#createMembership(text, members);
    this.#memberships.set(key, membership);
    return membership;
  }

  #createMembership(text: Slot<FieldText>, members: readonly string[]): Membership {
    let table = this.#memberTables.get(text);
    if (table === undefined) {
      table = new MemberTable();
      this.#memberTables.set(text, table);
    }
    const position = table.add(members);
    const found = this.#foundLists(text, table);
    return new Membership({
      text,
      table,
      found,
      all: this.#allMemberships(text, table),
      position,
    });
  }

  /** The moment of the request in epoch milliseconds; NaN when the context brings nonsense. */
  currentTimeMs(): Slot<number> {
    this.#fields.add("currentTime");
    this.#readsClock = true;
    return this.#slot("current time", currentTimeMs);
  }

  /** Notes that a rule draws a random number of its own at each evaluation. */
  noteRandomDraw(): void {
    this.#drawsRandom = true;
  }

  noteCustomStrategy(): void {
    this.#callsCustomStrategy = true;
  }

  contextDependencies(): ContextDependencies {
    return Object.freeze({
      fields: Object.freeze([...this.#fields].toSorted()),
      readsClock: this.#readsClock,
      drawsRandom: this.#drawsRandom,
      callsCustomStrategy: this.#callsCustomStrategy,
    });
  }

  /** An id, cut into blocks once for each way in which prefixes end. */
  #blocks(id: Slot<FieldText>, { pendingBits }: HashPrefix): Slot<HashBlocks | null> {
    return this.#slot(`blocks ${pendingBits} ${id.index}`, (request) => {
      const text = request.read(id);
      return text ? cutIntoBlocks(text, pendingBits) : null;
    });
  }

  #foundLists(text: Slot<FieldText>, table: MemberTable): Slot<readonly number[]> {
    return this.#slot(`lists ${text.index}`, (request) => table.listsOf(request.read(text)));
  }

  #allMemberships(text: Slot<FieldText>, table: MemberTable): Slot<readonly number[]> {
    return this.#slot(`memberships ${text.index}`, (request) =>
      table.membershipsOf(request.read(text)),
    );
  }

  #randomVariantSeed(): Slot<string> {
    this.#drawsRandom = true;
    return this.#slot("random variant seed", (request) =>
      String(Math.round(request.random() * 100_000)),
    );
  }

  #slot<Value>(key: string, load: (request: EvaluationRequest) => Value): Slot<Value> {
    const known = this.#slots.get(key);
    // NOTE: a key names the way of reading, so equal keys always hold the same type of value.
    if (known !== undefined) return known as Slot<Value>;
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

/** Text as JavaScript writes any value; dates and lists included. */
function toText(value: unknown): FieldText {
  if (typeof value === "string") return value;
  try {
    // oxlint-disable-next-line typescript/no-base-to-string -- the official SDK's rule for objects
    return String(value);
  } catch {
    // An object without a text form, such as one without a prototype.
    return null;
  }
}

function currentTimeMs(request: EvaluationRequest): number {
  const { currentTime } = request.context;
  return currentTime ? toEpochMs(currentTime) : request.now();
}

/** Reads a moment as JavaScript's `Date` does; NaN when it cannot. */
export function toEpochMs(value: unknown): number {
  try {
    // oxlint-disable-next-line no-restricted-globals -- reads a given moment, never the clock
    return new Date(value as string).getTime();
  } catch {
    return Number.NaN;
  }
}
