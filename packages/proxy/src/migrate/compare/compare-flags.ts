import { type ComparedProxy, fetchResults, type Results } from "./fetch-results.ts";

/** The result of a flag that was not in a response: it is off, or does not exist. */
const ABSENT = "not in the response";

export interface Difference {
  readonly flag: string;
  readonly contexts: number;
  readonly example: Example;
}

interface Example {
  readonly context: object;
  readonly result: string;
  readonly otherResult: string;
}

export interface FlagComparison {
  readonly differences: readonly Difference[];
  /** Flags whose results change from request to request. */
  readonly randomFlags: readonly string[];
  /** Flags that at least one response contained. */
  readonly seenFlags: number;
}

type Pair = readonly [ComparedProxy, ComparedProxy];

/** Requests at the same time, to each of the proxies. */
const CONCURRENCY = 8;

/** A difference is requested again this often, because the flag may be random, or may just have changed. */
const REPETITIONS = 4;

/** After this many confirmed differences of a flag, others are not requested again. */
const CONFIRMATIONS = 5;

/** A flag whose result changes for this many contexts counts as random and is no longer compared. */
const UNSTABLE_CONTEXTS = 20;

export async function compareFlags(
  proxies: Pair,
  contexts: Generator<object, void>,
): Promise<FlagComparison> {
  const tally = new Tally();
  const work = async (): Promise<void> => {
    for (const context of contexts) await compareContext(proxies, context, tally);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return tally.result();
}

async function compareContext(proxies: Pair, context: object, tally: Tally): Promise<void> {
  let pair = await fetchPair(proxies, context);
  for (const flag of pair.flatMap((results) => [...results.keys()])) tally.seen.add(flag);
  let differing = findDiffering(...pair).filter((flag) => !tally.isRandom(flag));
  const unstable = new Set<string>();
  for (let round = 0; round < REPETITIONS && differing.some(tally.needsConfirmation); round += 1) {
    const repeated = await fetchPair(proxies, context);
    const changed = new Set([
      ...findDiffering(pair[0], repeated[0]),
      ...findDiffering(pair[1], repeated[1]),
    ]);
    for (const flag of differing) if (changed.has(flag)) unstable.add(flag);
    differing = differing.filter((flag) => !changed.has(flag));
    pair = repeated;
  }
  for (const flag of unstable) tally.countsOf(flag).unstable += 1;
  for (const flag of differing) {
    const [result = ABSENT, otherResult = ABSENT] = pair.map((results) => results.get(flag));
    const counts = tally.countsOf(flag);
    counts.stable += 1;
    counts.example ??= { context, result, otherResult };
  }
}

function fetchPair([one, other]: Pair, context: object): Promise<readonly [Results, Results]> {
  return Promise.all([fetchResults(one, context), fetchResults(other, context)]);
}

function findDiffering(one: Results, other: Results): readonly string[] {
  const names = new Set([...one.keys(), ...other.keys()]);
  return [...names].filter((name) => one.get(name) !== other.get(name));
}

interface Counts {
  /** Contexts for which the proxies return different results each time. */
  stable: number;
  /** Contexts for which one of them changes its result. */
  unstable: number;
  example: Example | undefined;
}

class Tally {
  /** Flags that at least one response contained. */
  readonly seen = new Set<string>();
  readonly #counts = new Map<string, Counts>();

  readonly needsConfirmation = (flag: string): boolean => {
    const { stable, unstable } = this.countsOf(flag);
    return stable < CONFIRMATIONS || unstable >= stable;
  };

  isRandom(flag: string): boolean {
    const { stable, unstable } = this.countsOf(flag);
    return unstable >= UNSTABLE_CONTEXTS && unstable > stable;
  }

  countsOf(flag: string): Counts {
    const counts = this.#counts.get(flag) ?? { stable: 0, unstable: 0, example: undefined };
    this.#counts.set(flag, counts);
    return counts;
  }

  /** NOTE: a random flag can return the same result several times, by chance. */
  result(): FlagComparison {
    const all = [...this.#counts];
    const differences = all.flatMap(([flag, { stable, unstable, example }]) =>
      example !== undefined && stable > unstable ? [{ flag, contexts: stable, example }] : [],
    );
    const random = all.filter(([, { stable, unstable }]) => unstable > 0 && unstable >= stable);
    return {
      differences: differences.toSorted((a, b) => b.contexts - a.contexts),
      randomFlags: random.map(([flag]) => flag).toSorted(),
      seenFlags: this.seen.size,
    };
  }
}
