import { eq } from "drizzle-orm";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  describeReferences,
  listStrategiesUsing,
} from "../src/domain/context-fields/references.ts";
import { findFeatures, listActiveFeatures } from "../src/domain/feature.ts";
import { searchFeatures } from "../src/domain/features/search-features.ts";
import { listTags } from "../src/domain/tags/store.ts";
import { openStorage } from "../src/storage/open-storage.ts";
import { featureEnvironments, features, tags } from "../src/storage/schema/features.ts";
import { projects } from "../src/storage/schema/projects.ts";
import { segments, strategies } from "../src/storage/schema/strategies.ts";
import { applications, featureUsage, variantUsage } from "../src/storage/schema/usage.ts";
import type { Storage } from "../src/storage/storage.ts";
import { listApplications, readApplication } from "../src/usage/read-applications.ts";
import { readUsageByHour, readSeenApplications } from "../src/usage/read-usage.ts";
import { type Databases, skipsPostgres, useSharedPostgres } from "./_postgres.ts";
import { EVERYWHERE } from "./_access.ts";
import { silentLogger } from "./_storages.ts";

/** English readers expect a, A, b, B. */
const NAMES = ["a", "B", "b", "A"];
const ORDERED = ["A", "B", "a", "b"];

const namesOf = (rows: readonly { readonly name: string }[]): string[] =>
  rows.map(({ name }) => name);

describe.skipIf(skipsPostgres)("a database with the locale of a language", () => {
  const database = `english_${process.pid}`;
  let databases: Databases;
  let superuser: pg.Client;
  let storage: Storage;

  beforeAll(async () => {
    databases = useSharedPostgres();
    const url = new URL(await databases.createDatabase());
    superuser = new pg.Client({ connectionString: url.href });
    await superuser.connect();
    await superuser.query(
      `create database ${database} template template0 locale_provider icu icu_locale 'en-US'`,
    );
    url.pathname = database;
    storage = await openStorage({ databaseUrl: url.href, dataDir: "", logger: silentLogger });
    await storage.transact(addRows);
  });

  afterAll(async () => {
    await storage.close();
    await superuser.query(`drop database ${database}`);
    await superuser.end();
    await databases.close();
  });

  /** Adds a flag of each name in a project of the same name, and what refers to it. */
  async function addRows(db: Storage["db"]): Promise<void> {
    const each = <Row>(create: (name: string) => Row): Row[] => NAMES.map(create);
    const constraints = [
      {
        contextName: "teamId",
        operator: "IN",
        values: ["1"],
        inverted: false,
        caseInsensitive: false,
      },
    ];
    const environment = "production";
    const createdBy = "test";
    await db.insert(tags).values(each((value) => ({ type: "simple", value })));
    await db.insert(projects).values(each((name) => ({ id: name, name })));
    await db
      .insert(features)
      .values(each((name) => ({ name, project: name, type: name, createdBy })));
    await db.insert(featureEnvironments).values(each((name) => ({ feature: name, environment })));
    await db
      .insert(strategies)
      .values(each((name) => ({ id: name, feature: name, environment, name, constraints })));
    await db.insert(segments).values(each((name) => ({ name, constraints, createdBy })));
    await db.insert(applications).values({ appName: "app", environment });
    const hour = new Date(0);
    const usage = { appName: "app", environment, hour, yes: 1 };
    await db.insert(featureUsage).values(each((feature) => ({ ...usage, feature })));
  }

  test("tags are listed by code point", async () => {
    expect((await listTags(storage.db)).map(({ value }) => value)).toEqual(ORDERED);
  });

  test("flags are listed by code point", async () => {
    expect(namesOf(await findFeatures(storage.db, NAMES))).toEqual(ORDERED);
    await storage.transact(async (db) => {
      await db
        .insert(features)
        .values(NAMES.map((name) => ({ name: `x${name}`, project: "default", createdBy: "test" })));
      expect(namesOf(await listActiveFeatures(db, "default"))).toEqual(
        ORDERED.map((name) => `x${name}`),
      );
      await db.delete(features).where(eq(features.project, "default"));
    });
  });

  test.each(["name", "type", "project", "createdAt"] as const)(
    "flags are searched by code point, sorted by %s",
    async (sortBy) => {
      const page = { offset: 0, limit: 10 };
      const search = async (sortOrder: "asc" | "desc") =>
        namesOf(
          (
            await searchFeatures(storage.db, { sortBy, sortOrder }, page, {
              projects: EVERYWHERE,
              account: undefined,
            })
          ).features,
        );
      expect(await search("asc")).toEqual(ORDERED);
      // All flags were created at the same time.
      expect(await search("desc")).toEqual(sortBy === "createdAt" ? ORDERED : ORDERED.toReversed());
    },
  );

  test("what uses a context field is listed by code point", async () => {
    expect(await describeReferences(storage.db, "teamId", EVERYWHERE)).toEqual([
      ...ORDERED.map((name) => `the flag "${name}"`),
      ...ORDERED.map((name) => `the segment "${name}"`),
    ]);
    const using = await listStrategiesUsing(storage.db, "teamId", EVERYWHERE);
    expect(using.map(({ featureName }) => featureName)).toEqual(ORDERED);
  });

  test("what an application uses is listed by code point", async () => {
    expect(namesOf((await readApplication(storage.db, "app", EVERYWHERE)).seenToggles)).toEqual(
      ORDERED,
    );
    const search = { query: undefined, sortOrder: "asc" } as const;
    const { applications: listed } = await listApplications(
      storage.db,
      search,
      { offset: 0, limit: 10 },
      EVERYWHERE,
    );
    expect(listed[0]?.usage.map(({ project }) => project)).toEqual(ORDERED);
  });

  test("of applications and variants with the same usage, the first by code point are distinguished", async () => {
    const hour = new Date(0);
    const common = { feature: "many", environment: "production", hour };
    const names = [...Array.from({ length: 1000 }, (_, index) => `b${index}`), "Z"];
    const variants = [...names.slice(0, 100), "Z"];
    await storage.transact(async (db) => {
      await db
        .insert(featureUsage)
        .values(names.map((appName) => ({ ...common, appName, yes: 1 })));
      await db
        .insert(variantUsage)
        .values(variants.map((variant) => ({ ...common, appName: "Z", variant, count: 1 })));
    });
    expect(await readSeenApplications(storage.db, "many", hour)).toContain("Z");
    const usage = await readUsageByHour(storage.db, "many", [hour]);
    expect(usage.flatMap((one) => Object.keys(one.variants ?? {}))).toContain("Z");
  });
});
