// Segments that are so long that SDKs without support for segments could not receive them.

import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { eq } from "drizzle-orm";
import { LIMITS } from "../src/limits.ts";
import { segments, strategies, strategySegments } from "../src/storage/schema/strategies.ts";
import type { ErrorResponse, SegmentResponse, StrategyResponse } from "./_responses.ts";
import { ADMIN_TOKEN, BACKEND_TOKEN, useService } from "./_service.ts";
import { describeStorages } from "./_storages.ts";

const FLAGS = "/projects/default/features";

/** A long list, of about 1 MB. */
const LIST = {
  contextName: "userId",
  operator: "IN",
  values: Array.from({ length: LIMITS.valuesPerSegment }, (_, index) =>
    String(index).padStart(99, "0"),
  ),
};
const SHORT = { ...LIST, values: ["1"] };

describeStorages("segments that are repeated for SDKs without support for segments", (source) => {
  const service = useService(source);
  let count = 0;
  let flag = "";
  let segment = 0;
  const at = (environment: string, name = flag) => `${FLAGS}/${name}/environments/${environment}`;

  /** Sends a request that must fail. Returns the message. */
  const exceed = async (method: string, path: string, body: unknown): Promise<string> => {
    const response = await service.request(`/api/admin${path}`, {
      method,
      token: ADMIN_TOKEN,
      body,
    });
    const { name, message } = (await response.json()) as ErrorResponse;
    expect([response.status, name], message).toEqual([400, "ExceedsLimitError"]);
    return message;
  };
  const addStrategy = async (environment: string, ids: readonly number[], name = flag) =>
    (await service.admin("POST", `${at(environment, name)}/strategies`, {
      name: "default",
      segments: ids,
    })) as StrategyResponse;
  const addSegment = async (constraints: readonly object[]) =>
    (
      (await service.admin("POST", "/segments", {
        name: `s${++count}`,
        constraints,
      })) as SegmentResponse
    ).id;

  /** Creates a flag with as many strategies that use a segment in development as are possible. */
  beforeEach(async () => {
    const { db } = service.storage;
    await db.delete(strategySegments);
    await db.delete(segments);
    flag = `flag-${++count}`;
    await service.admin("POST", FLAGS, { name: flag });
    segment = await addSegment([LIST]);
    const rows = Array.from({ length: 30 }, () => ({
      id: randomUUID(),
      feature: flag,
      environment: "development",
      name: "default",
    }));
    await db.insert(strategies).values(rows);
    await db.insert(strategySegments).values(rows.map(({ id }) => ({ strategy: id, segment })));
  });

  test("strategies with segments beyond the limit are refused, and polls succeed", async () => {
    const other = `${flag}-other`;
    await service.admin("POST", FLAGS, { name: other });
    await addStrategy("development", [segment], other);
    await addStrategy("development", [segment], other);
    const { id } = await addStrategy("development", [], other);
    const strategy = { name: "default", segments: [segment] };
    const path = `${at("development", other)}/strategies`;
    expect(await exceed("POST", path, strategy)).toBe(
      'SDKs that do not support segments could not receive the flags of the environment "development": each strategy would repeat its segments, 32.5 MiB in total, and 32 MiB are possible. Use the segments in fewer strategies, or shorten their lists',
    );
    await exceed("PUT", `${path}/${id}`, strategy);
    await exceed("PATCH", `${path}/${id}`, [
      { op: "replace", path: "/segments", value: [segment] },
    ]);
    await exceed("POST", "/segments/strategies", {
      projectId: "default",
      environmentId: "development",
      strategyId: id,
      segmentIds: [segment],
    });
    await addStrategy("production", [segment], other);

    const polled = await service.request("/api/client/features", { token: BACKEND_TOKEN });
    expect([polled.status, (await polled.text()).length > 30_000_000]).toEqual([200, true]);
  });

  test("a segment cannot grow beyond what its strategies can repeat, and can always shrink", async () => {
    const other = await addSegment([SHORT]);
    const name = `${flag}-other`;
    await service.admin("POST", FLAGS, { name });
    for (let index = 0; index < 4; index++) {
      // oxlint-disable-next-line no-await-in-loop -- a flag is changed by one request at a time
      await addStrategy("development", [other], name);
    }
    const longer = { name: "other", constraints: [LIST] };
    expect(await exceed("PUT", `/segments/${other}`, longer)).toContain(
      'the environment "development"',
    );
    const { db } = service.storage;
    const stored = [{ ...LIST, inverted: false, caseInsensitive: false } as const];
    await db.update(segments).set({ constraints: stored }).where(eq(segments.id, other));
    await service.admin("PUT", `/segments/${other}`, { name: "other", constraints: [SHORT] });
  });

  test("copies, imports and revived flags beyond the limit are refused", async () => {
    await exceed("POST", `${FLAGS}/${flag}/clone`, { name: `${flag}-copy` });
    const strategy = { name: "default", segments: ["imported"] };
    await exceed("POST", "/projects/default/import", {
      version: 1,
      segments: [{ name: "imported", constraints: [LIST] }],
      features: [
        {
          name: `${flag}-imported`,
          environments: [
            {
              name: "development",
              enabled: true,
              strategies: Array.from({ length: 4 }, () => strategy),
            },
          ],
        },
      ],
    });
    await service.admin("DELETE", `${FLAGS}/${flag}`);
    const other = `${flag}-other`;
    await service.admin("POST", FLAGS, { name: other });
    for (let index = 0; index < 4; index++) {
      // oxlint-disable-next-line no-await-in-loop -- see above
      await addStrategy("development", [segment], other);
    }
    await exceed("POST", "/projects/default/revive", { features: [flag] });
  });

  test("all segments together have a limit", async () => {
    const { db } = service.storage;
    const stored = [{ ...LIST, inverted: false, caseInsensitive: false } as const];
    await db.insert(segments).values(
      Array.from({ length: 31 }, (_, index) => ({
        name: `long-${index}`,
        constraints: stored,
        createdBy: "test",
      })),
    );
    const segmentOf = (constraints: readonly object[]) => ({ name: "too many", constraints });
    expect(await exceed("POST", "/segments", segmentOf([LIST]))).toMatch(
      /^All segments can have at most 32 MiB together, and would have 32\.\d MiB: use fewer/,
    );
    const file = { version: 1, segments: [segmentOf([LIST])], features: [] };
    await exceed("POST", "/projects/default/import", file);
    const short = await addSegment([SHORT]);
    await exceed("PUT", `/segments/${short}`, segmentOf([LIST]));
  });
});
