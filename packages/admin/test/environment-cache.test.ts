import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { EnvironmentCache } from "../src/client-api/environment-cache.ts";
import { loadEnvironment } from "../src/client-api/environment-loader.ts";
import type { EnvironmentState } from "../src/client-api/environment-state.ts";
import { archiveFeatures } from "../src/domain/archive/archive-features.ts";
import { createFeature } from "../src/domain/features/create-feature.ts";
import { setStale } from "../src/domain/features/update-feature.ts";
import { createSegment, updateSegment } from "../src/domain/segments/store.ts";
import { SYSTEM_ACTOR } from "../src/storage/events.ts";
import type { Storage, WriteTransaction } from "../src/storage/storage.ts";
import { importProject } from "../src/transfer/project-file/import-project.ts";
import { EVERYWHERE } from "./_access.ts";
import { describeAnyStorage } from "./_storages.ts";

const ENVIRONMENT = "development";
const NAMES = Array.from({ length: 100 }, (_, index) => `flag-${String(index).padStart(2, "0")}`);

describeAnyStorage("the states of environments", (source) => {
  let storage: Storage;
  const write = (work: (transaction: WriteTransaction) => Promise<unknown>): Promise<unknown> =>
    storage.write(SYSTEM_ACTOR, work);
  const setStaleOf = (features: readonly string[], stale: boolean): Promise<unknown> =>
    write((transaction) => setStale(transaction, "default", { features, stale }));
  const staleIn = ({ features }: EnvironmentState): readonly string[] =>
    features.flatMap(({ feature: { name, stale } }) => (stale ? [name] : []));
  const loadAll = (): Promise<EnvironmentState> =>
    new EnvironmentCache(storage).current(ENVIRONMENT);

  /** A storage that makes a change after each transaction that reads. */
  const changing = (change: (reads: number) => Promise<unknown>) => {
    const counted = {
      reads: 0,
      read: async <T>(work: Parameters<typeof storage.read<T>>[0]): Promise<T> => {
        counted.reads += 1;
        const result = await storage.read(work);
        await change(counted.reads);
        return result;
      },
    };
    return counted;
  };

  beforeEach(async () => {
    storage = await source.openFresh();
    const features = NAMES.map((name) => ({ name }));
    await write((transaction) =>
      importProject(
        transaction,
        { project: "default", access: EVERYWHERE },
        { version: 1, features },
      ),
    );
  });

  test("after a change, only what it concerns is loaded again", async () => {
    const { id } = (await write((transaction) =>
      createSegment(transaction, { name: "segment", constraints: [] }),
    )) as { readonly id: number };
    const cache = new EnvironmentCache(storage);
    const before = await cache.current(ENVIRONMENT);
    await setStaleOf(["flag-07"], true);
    const after = await cache.current(ENVIRONMENT);
    const loaded = after.features.filter((entry) => !before.features.includes(entry));
    expect(loaded.map(({ feature }) => feature.name)).toEqual(["flag-07"]);
    expect(after.segments.get(id)).toBe(before.segments.get(id));

    await write((transaction) =>
      updateSegment(transaction, id, { name: "renamed", constraints: [] }, EVERYWHERE),
    );
    const last = await cache.current(ENVIRONMENT);
    expect(last.segments.get(id)?.segment.name).toBe("renamed");
    expect(last.features.every((entry, index) => entry === after.features[index])).toBe(true);
    expect(await loadAll()).toEqual(last);
  });

  test("changes between the transactions of a load are part of its result", async () => {
    const changed = changing((reads) =>
      write(async (transaction) => {
        if (reads === 1) {
          // One that is loaded already, and one that is not.
          const features = ["flag-00", "flag-99"];
          await setStale(transaction, "default", { features, stale: true });
          await archiveFeatures(transaction, "default", ["flag-01", "flag-98"]);
        } else if (reads === 2) {
          await createFeature(transaction, "default", { name: "flag-100" });
          await createSegment(transaction, { name: "segment", constraints: [] });
        }
      }),
    );
    const { state } = await loadEnvironment(changed, ENVIRONMENT, undefined);
    expect(changed.reads).toBeGreaterThan(2);
    expect(state).toEqual(await loadAll());
    expect(staleIn(state)).toEqual(["flag-00", "flag-99"]);
    expect(state.features).toHaveLength(99);
    expect(state.segments.size).toBe(1);
  });

  test("a load ends even if changes arrive faster than they are loaded", async () => {
    const changed = changing((reads) => setStaleOf(NAMES, reads % 2 === 1));
    await loadEnvironment(changed, ENVIRONMENT, undefined, { maxSteps: 1 });
    expect(changed.reads).toBe(2);
  });

  test("many changes at once are found in parts", async () => {
    const cache = new EnvironmentCache(storage);
    await cache.current(ENVIRONMENT);
    for (const stale of [true, false, true]) await setStaleOf(NAMES, stale);
    const state = await cache.current(ENVIRONMENT);
    expect(staleIn(state)).toEqual(NAMES);
    expect(state).toEqual(await loadAll());
  });

  test("requests that arrive during a load wait for it, and see their change", async () => {
    const cache = new EnvironmentCache(storage);
    const first = cache.current(ENVIRONMENT);
    await setStaleOf(["flag-07"], true);
    const states = await Promise.all([cache.current(ENVIRONMENT), cache.current(ENVIRONMENT)]);
    await first;
    expect(states.map(staleIn)).toEqual([["flag-07"], ["flag-07"]]);
    expect(states[0]).toBe(states[1]);
  });

  test("a state that nobody has requested for long does not miss a change whose event has been deleted", async () => {
    let nowMs = 0;
    const cache = new EnvironmentCache(storage, () => nowMs);
    await cache.current(ENVIRONMENT);
    await setStaleOf(["flag-07"], true);
    await setStaleOf(["flag-08"], true);
    // As the retention does, except for the latest event of each type.
    await storage.transact((db) =>
      db.execute(sql`delete from events where feature_name = 'flag-07'`),
    );
    nowMs = 24 * 60 * 60 * 1000;
    expect(staleIn(await cache.current(ENVIRONMENT))).toEqual(["flag-07", "flag-08"]);
  });
});
