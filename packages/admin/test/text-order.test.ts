import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { listTags } from "../src/domain/tags/store.ts";
import { openStorage } from "../src/storage/open-storage.ts";
import { tags } from "../src/storage/schema/tags.ts";
import { type Databases, skipsPostgres, useSharedPostgres } from "./_postgres.ts";
import { silentLogger } from "./_storages.ts";

describe.skipIf(skipsPostgres)("a database with the locale of a language", () => {
  let databases: Databases;
  beforeAll(() => {
    databases = useSharedPostgres();
  });
  afterAll(() => databases.close());

  test("tags are listed by code point", async () => {
    const url = new URL(await databases.createDatabase());
    const name = `english_${process.pid}`;
    const superuser = new pg.Client({ connectionString: url.href });
    await superuser.connect();
    onTestFinished(() => superuser.end());
    await superuser.query(
      `create database ${name} template template0 locale_provider icu icu_locale 'en-US'`,
    );
    onTestFinished(async () => void (await superuser.query(`drop database ${name}`)));
    url.pathname = name;
    const storage = await openStorage({ databaseUrl: url.href, dataDir: "", logger: silentLogger });
    onTestFinished(() => storage.close());
    await storage.transact((db) =>
      db.insert(tags).values(["a", "B", "b", "A"].map((value) => ({ type: "simple", value }))),
    );
    expect((await listTags(storage.db)).map(({ value }) => value)).toEqual(["A", "B", "a", "b"]);
  });
});
