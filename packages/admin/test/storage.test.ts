import { eq } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { SYSTEM_ACTOR } from "../src/storage/events.ts";
import { events } from "../src/storage/schema/events.ts";
import { projects } from "../src/storage/schema/projects.ts";
import { skipRevisions } from "../src/storage/revisions.ts";
import type { Storage } from "../src/storage/storage.ts";
import { describeEachStorage } from "./_storages.ts";

describeEachStorage("storage", (source) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await source.openFresh();
  });

  test("a new database contains the project default and no events", async () => {
    expect(await storage.db.select({ id: projects.id }).from(projects)).toEqual([
      { id: "default" },
    ]);
    expect(await storage.revision()).toBe(0);
  });

  test("write() makes a change and its event visible together, and announces the revision", async () => {
    const announced: number[] = [];
    const stop = storage.onChange((revision) => announced.push(revision));
    await storage.write(SYSTEM_ACTOR, async ({ db, record }) => {
      await db.insert(projects).values({ id: "p1", name: "One" });
      await record({ type: "project-created", project: "p1", after: { id: "p1" } });
    });
    stop();
    const revision = await storage.revision();
    expect(announced).toEqual([revision]);
    const [event] = await storage.db.select().from(events).where(eq(events.id, revision));
    expect(event).toMatchObject({
      type: "project-created",
      project: "p1",
      createdBy: "system",
      preData: null,
      data: { id: "p1" },
    });
  });

  test("write() changes nothing if its work rejects", async () => {
    const before = await storage.revision();
    const failing = storage.write(SYSTEM_ACTOR, async ({ db, record }) => {
      await db.insert(projects).values({ id: "p2", name: "Two" });
      await record({ type: "project-created", project: "p2", after: {} });
      throw new RangeError("on purpose");
    });
    await expect(failing).rejects.toThrow("on purpose");
    expect(await storage.revision()).toBe(before);
    expect(await storage.db.select().from(projects).where(eq(projects.id, "p2"))).toEqual([]);
  });

  test("skipRevisions() advances with the clock, and never goes back", async () => {
    const record = async (): Promise<number> => {
      await storage.write(SYSTEM_ACTOR, (transaction) =>
        transaction.record({ type: "project-updated", before: {}, after: { at: Date.now() } }),
      );
      return storage.revision();
    };
    await skipRevisions(storage, { now: new Date("2026-01-02") });
    const first = await record();
    expect(first).toBe(24 * 60 * 60 + 1);
    for (const earlier of ["2026-01-01", "2020-01-01"]) {
      await skipRevisions(storage, { now: new Date(earlier) });
    }
    expect(await record()).toBe(first + 1);
  });

  test("record() drops an event that changes nothing", async () => {
    const before = await storage.revision();
    await storage.write(SYSTEM_ACTOR, ({ record }) =>
      record({ type: "project-updated", before: { a: 1, b: undefined }, after: { a: 1 } }),
    );
    expect(await storage.revision()).toBe(before);
  });

  test("concurrent calls of write() commit events in the order of their ids", async () => {
    const announced: number[] = [];
    const stop = storage.onChange((revision) => announced.push(revision));
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        storage.write(SYSTEM_ACTOR, ({ record }) =>
          record({ type: "project-updated", before: index, after: index + 1 }),
        ),
      ),
    );
    stop();
    expect(announced.at(-1)).toBe(await storage.revision());
    expect(announced).toEqual(announced.toSorted((a, b) => a - b));
  });

  test("read() rejects writes", async () => {
    const writing = storage.read((db) => db.insert(projects).values({ id: "p3", name: "Three" }));
    await expect(writing).rejects.toThrow();
  });
});
