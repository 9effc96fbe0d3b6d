/** Entries by quota and key, both in the order in which they will be sent. */
export class Quotas<Entry> {
  readonly #quotas = new Map<string, Map<string, Entry>>();

  get isEmpty(): boolean {
    return this.#quotas.size === 0;
  }

  /** The number of entries of a quota. */
  countOf(quotaId: string): number {
    return this.#quotas.get(quotaId)?.size ?? 0;
  }

  get(quotaId: string, key: string): Entry | undefined {
    return this.#quotas.get(quotaId)?.get(key);
  }

  set(quotaId: string, key: string, entry: Entry): void {
    const quota = this.#quotas.get(quotaId) ?? new Map<string, Entry>();
    this.#quotas.set(quotaId, quota.set(key, entry));
  }

  delete(quotaId: string, key: string): void {
    const quota = this.#quotas.get(quotaId);
    quota?.delete(key);
    if (quota?.size === 0) this.#quotas.delete(quotaId);
  }

  /** Yields all entries that exist now and still exist when it is their turn. */
  *entries(): Generator<readonly [quotaId: string, key: string, entry: Entry], undefined> {
    for (const [quotaId, quota] of Array.from(this.#quotas)) {
      for (const key of Array.from(quota.keys())) {
        const entry = quota.get(key);
        if (entry !== undefined) yield [quotaId, key, entry];
      }
    }
    return undefined;
  }

  /**
   * Like `entries()`, but one of each quota in turn, so that a quota with many entries does not delay the others. What was
   * yielded moves to the end of the order, with its quota.
   */
  *inTurn(): Generator<readonly [quotaId: string, key: string, entry: Entry], undefined> {
    let rest = [...this.#quotas].map(([quotaId, quota]) => ({ quotaId, keys: [...quota.keys()] }));
    for (let index = 0; rest.length > 0; index += 1) {
      rest = rest.filter(({ keys }) => index < keys.length);
      for (const { quotaId, keys } of rest) {
        const key = keys[index] ?? "";
        const quota = this.#quotas.get(quotaId);
        const entry = quota?.get(key);
        if (quota === undefined || entry === undefined) continue;
        quota.delete(key);
        quota.set(key, entry);
        this.#quotas.delete(quotaId);
        this.#quotas.set(quotaId, quota);
        yield [quotaId, key, entry];
      }
    }
    return undefined;
  }
}
