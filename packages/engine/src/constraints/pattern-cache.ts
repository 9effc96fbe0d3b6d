import { RE2JS } from "re2js";

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

/** The compiled regular expressions of one snapshot. Equal ones are compiled once. */
export class PatternCache {
  readonly #compiled = new Map<string, RE2JS | undefined>();
  #previous: ReadonlyMap<string, RE2JS | undefined>;

  /** @param previous the patterns of an earlier snapshot, which need not be compiled again */
  constructor(previous?: PatternCache) {
    this.#previous = previous === undefined ? NONE : previous.#compiled;
  }

  /** Returns undefined for an invalid pattern. */
  compile(source: string, caseInsensitive: boolean): RE2JS | undefined {
    const key = (caseInsensitive ? "i" : "-") + source;
    if (this.#compiled.has(key)) return this.#compiled.get(key);
    const pattern = this.#previous.get(key) ?? compile(source, caseInsensitive);
    this.#compiled.set(key, pattern);
    return pattern;
  }

  /** Must be called when the snapshot has been compiled. Otherwise, it would keep all previous patterns alive. */
  releasePrevious(): void {
    this.#previous = NONE;
  }
}

function compile(source: string, caseInsensitive: boolean): RE2JS | undefined {
  try {
    return RE2JS.compile(source, caseInsensitive ? RE2JS.CASE_INSENSITIVE : 0);
  } catch {
    return undefined;
  }
}
