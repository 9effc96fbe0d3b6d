import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { LIMITS } from "../src/limits.ts";
import { strategies } from "../src/storage/schema/strategies.ts";
import { useAdmin } from "./_admin.ts";
import type { ErrorResponse } from "./_responses.ts";
import { describeStorages } from "./_storages.ts";

const FLAGS = "/projects/default/features";

const strategyWith = (valueCount: number) => ({
  name: "default",
  constraints: Array.from({ length: valueCount / 250 }, () => ({
    contextName: "userId",
    operator: "IN",
    values: Array.from({ length: 250 }, () => "v".repeat(100)),
  })),
});
/** Of 100 kB. */
const LARGE = strategyWith(1000);
const SMALL = { name: "default" };
const VARIANTS = [
  { name: "v", weight: 1000, payload: { type: "string", value: "p".repeat(100_000) } },
];

describeStorages("the size of an environment", (source) => {
  const admin = useAdmin(source);
  let flags = 0;
  let flag = "";
  const at = (environment: string, name = flag) => `${FLAGS}/${name}/environments/${environment}`;

  /** Sends a request that must fail. NOTE: without comparing all rows, which are large here. Returns the message. */
  const exceed = async (method: string, path: string, body: unknown): Promise<string> => {
    const response = await admin.call<ErrorResponse>(method, path, body);
    expect([response.status, response.body.name]).toEqual([400, "ExceedsLimitError"]);
    return response.body.message;
  };

  /** Creates a flag whose strategy in development takes all of the space except 50 kB. */
  beforeEach(async () => {
    await admin.storage.db.execute(sql`update features set archived_at = now()`);
    flags += 1;
    flag = `flag-${flags}`;
    await admin.must(201, "POST", FLAGS, { name: flag });
    const { body } = await admin.must<{ id: string }>(
      200,
      "POST",
      `${at("development")}/strategies`,
      SMALL,
    );
    // Compressed, it would take a hundredth.
    const userIds = "u".repeat(LIMITS.environmentBytes - 50_000);
    await admin.storage.db
      .update(strategies)
      .set({ parameters: { userIds } })
      .where(eq(strategies.id, body.id));
  });

  test("strategies and variants beyond the limit are refused", async () => {
    expect(await exceed("POST", `${at("development")}/strategies`, LARGE)).toBe(
      'The strategies and variants of all flags in the environment "development" can have at most 16 MiB: use fewer or shorter values',
    );
    await exceed("PUT", `${at("development")}/variants`, VARIANTS);
    await admin.must(200, "POST", `${at("development")}/strategies`, SMALL);
    await admin.must(200, "POST", `${at("production")}/strategies`, LARGE);
    await admin.must(200, "PUT", `${at("production")}/variants`, VARIANTS);
  });

  test("copies, imports and revived flags beyond the limit are refused", async () => {
    await exceed("POST", `${FLAGS}/${flag}/clone`, { name: "copy" });
    await exceed("POST", "/projects/default/import", {
      version: 1,
      features: [
        {
          name: "imported",
          environments: [{ name: "development", enabled: true, strategies: [LARGE] }],
        },
      ],
    });
    await admin.must(202, "DELETE", `${FLAGS}/${flag}`);
    const other = `${flag}-other`;
    await admin.must(201, "POST", FLAGS, { name: other });
    await admin.must(200, "POST", `${at("development", other)}/strategies`, LARGE);
    await exceed("POST", "/projects/default/revive", { features: [flag] });
  });

  test("a strategy can be changed unless that makes it larger", async () => {
    const { body } = await admin.must<{ id: string }>(
      200,
      "POST",
      `${at("development")}/strategies`,
      SMALL,
    );
    const path = `${at("development")}/strategies/${body.id}`;
    await exceed("PUT", path, LARGE);
    await admin.storage.db
      .update(strategies)
      .set({ parameters: { userIds: "u".repeat(200_000) } })
      .where(eq(strategies.id, body.id));
    await admin.must(200, "PUT", path, LARGE);
  });
});
