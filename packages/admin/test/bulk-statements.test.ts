import { beforeAll, expect, test } from "vitest";
import { switchFeatures } from "../src/domain/features/switch-features.ts";
import { changeTagsInBulk } from "../src/domain/tags/feature-tags.ts";
import type { ConstraintInput } from "../src/domain/constraints/check-constraints.ts";
import type { Database } from "../src/storage/database.ts";
import { SYSTEM_ACTOR } from "../src/storage/events.ts";
import type { Storage, WriteTransaction } from "../src/storage/storage.ts";
import { importProject } from "../src/transfer/project-file/import-project.ts";
import { EVERYWHERE } from "./_access.ts";
import { describeAnyStorage } from "./_storages.ts";

const names = Array.from({ length: 20 }, (_, index) => `flag-${index}`);
const tag = (value: string) => ({ type: "simple", value });

const STATEMENTS = new Set<PropertyKey>([
  "delete",
  "execute",
  "insert",
  "select",
  "selectDistinct",
  "update",
]);

/** Returns a database that calls `onStatement` for each statement. */
function observe(db: Database, onStatement: () => void): Database {
  return new Proxy(db, {
    get(target, name) {
      if (STATEMENTS.has(name)) onStatement();
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

describeAnyStorage("bulk operations", (source) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await source.openFresh();
    await storage.write(SYSTEM_ACTOR, (transaction) =>
      importProject(
        transaction,
        { project: "default", access: EVERYWHERE },
        {
          version: 1,
          features: names.map((name) => ({ name })),
        },
      ),
    );
  });

  /** Counts the statements of a change, including calls that record events. */
  const countStatements = async (
    change: (transaction: WriteTransaction) => Promise<unknown>,
  ): Promise<number> => {
    let count = 0;
    const onStatement = (): void => {
      count += 1;
    };
    await storage.write(SYSTEM_ACTOR, (transaction) =>
      change({
        ...transaction,
        db: observe(transaction.db, onStatement),
        record: (...events) => {
          onStatement();
          return transaction.record(...events);
        },
      }),
    );
    return count;
  };

  const at = { project: "default", environment: "production" };
  const switchTo = (enabled: boolean) => (features: readonly string[]) => (one: WriteTransaction) =>
    switchFeatures(one, at, features, { enabled, activatesDisabledStrategies: true });
  const changeTags =
    (addedTags: readonly string[], removedTags: readonly string[]) =>
    (features: readonly string[]) =>
    (one: WriteTransaction) =>
      changeTagsInBulk(one, "default", {
        features,
        tags: { addedTags: addedTags.map(tag), removedTags: removedTags.map(tag) },
      });

  test.each([
    ["turning on", switchTo(true)],
    ["turning off", switchTo(false)],
    ["adding tags", changeTags(["aa", "bb"], [])],
    ["replacing tags", changeTags(["cc", "dd"], ["aa", "bb"])],
  ])("%s needs as many statements for two flags as for 18", async (_, change) => {
    const forTwo = await countStatements(change(names.slice(0, 2)));
    expect(await countStatements(change(names.slice(2)))).toBe(forTwo);
    expect(forTwo).toBeGreaterThan(0);
  });

  test("an import reads the allowed values of context fields once for all segments", async () => {
    let imports = 0;
    const importSegments = (segmentCount: number, constraints: readonly ConstraintInput[]) => {
      imports += 1;
      return countStatements((transaction) =>
        importProject(
          transaction,
          { project: "default", access: EVERYWHERE },
          {
            version: 1,
            features: [],
            segments: Array.from({ length: segmentCount }, (_, index) => ({
              name: `segment-${imports}-${index}`,
              constraints: [...constraints],
            })),
          },
        ),
      );
    };
    const constraint: ConstraintInput = { contextName: "userId", operator: "IN", values: ["7"] };
    const forTwoMore = async (constraints: readonly ConstraintInput[]) => {
      const forOne = await importSegments(1, constraints);
      return (await importSegments(3, constraints)) - forOne;
    };
    expect(await forTwoMore([constraint])).toBe(await forTwoMore([]));
  });

  test("an import looks once for uses of its context fields in other projects", async () => {
    let imports = 0;
    const importFields = (fieldCount: number, isShared: boolean) => {
      imports += 1;
      return countStatements((transaction) =>
        importProject(
          transaction,
          { project: "default", access: EVERYWHERE },
          {
            version: 1,
            features: [],
            contextFields: Array.from({ length: fieldCount }, (_, index) => ({
              name: `field-${imports}-${index}`,
              isShared,
            })),
          },
        ),
      );
    };
    const forTwoMore = async (isShared: boolean) => {
      const forOne = await importFields(1, isShared);
      return (await importFields(3, isShared)) - forOne;
    };
    // Each field of a project also needs one that reads the project.
    expect(await forTwoMore(false)).toBe((await forTwoMore(true)) + 2);
  });
});
