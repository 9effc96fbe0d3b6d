import fc from "fast-check";
import { applyDelta, type FeaturesState } from "flags-engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fuzzRuns } from "../../../scripts/test-size.ts";
import { openStream } from "./_event-stream.ts";
import { createFlag, createSegment } from "./_flags.ts";
import { type Databases, skipsPostgres, useSharedPostgres } from "./_postgres.ts";
import {
  ADMIN_TOKEN,
  BACKEND_TOKEN,
  KNOWS_SEGMENTS,
  startService,
  type Service,
} from "./_service.ts";
import { openDatabase } from "./_storages.ts";

const token = BACKEND_TOKEN;
const QUERY = "?namePrefix=random-";
const NAMES = ["random-0", "random-1"];

/** What an SDK has received. */
interface Sdk {
  readonly id: string | undefined;
  readonly state: FeaturesState;
}

const NEW_SDK: Sdk = { id: undefined, state: { features: [], segments: [] } };

/** How an SDK gets what has changed. */
const UPDATES = {
  poll: async (replica: Service, { id, state }: Sdk): Promise<Sdk> => {
    const headers = { ...KNOWS_SEGMENTS, ...(id !== undefined && { "if-none-match": `"${id}"` }) };
    const response = await replica.request(`/api/client/delta${QUERY}`, { token, headers });
    const text = await response.text();
    const { events } = JSON.parse(text === "" ? '{"events":[]}' : text) as { events: unknown };
    const etag = response.headers.get("etag") ?? "";
    return { id: etag.slice(1, -1), state: applyDelta(state, events) };
  },
  stream: async (replica: Service, { id, state }: Sdk): Promise<Sdk> => {
    const resumed = id === undefined ? {} : { lastEventId: id };
    const stream = await openStream(replica, { token, query: QUERY, ...resumed });
    const event = await stream.next();
    stream.close();
    return { id: event.id, state: applyDelta(state, event.data.events) };
  },
} as const;

async function fetchAll(service: Service): Promise<FeaturesState> {
  const call = { token, headers: KNOWS_SEGMENTS };
  const response = await service.request(`/api/client/features${QUERY}`, call);
  return (await response.json()) as FeaturesState;
}

function normalize({ features, segments }: FeaturesState): readonly (readonly string[])[] {
  return [features, segments].map((items) => items.map((item) => JSON.stringify(item)).toSorted());
}

type Change = readonly [method: string, path: string, body?: unknown];

/** Changes that lead back to earlier states, and some that do not concern the query. */
function arbitraryChange(segment: number): fc.Arbitrary<Change> {
  const change = fc.record({ name: fc.constantFrom(...NAMES), isFirst: fc.boolean() });
  const features = "/projects/default/features";
  return fc.oneof(
    change.map(({ name, isFirst }): Change => {
      const action = isFirst ? "on" : "off";
      return ["POST", `${features}/${name}/environments/development/${action}`];
    }),
    change.map(({ name, isFirst }): Change => {
      const action = isFirst ? "archive" : "revive";
      return ["POST", `/projects/default/${action}`, { features: [name] }];
    }),
    change.map(({ isFirst }): Change => {
      const values = [isFirst ? "1" : "2"];
      const constraints = [{ contextName: "userId", operator: "IN", values }];
      return ["PUT", `/segments/${segment}`, { name: "random", constraints }];
    }),
    change.map(({ isFirst }): Change => {
      return ["PUT", `${features}/other`, { description: String(isFirst) }];
    }),
  );
}

describe.skipIf(skipsPostgres)("two replicas", () => {
  let databases: Databases | undefined;
  let databaseUrl = "";
  beforeAll(async () => {
    databases = useSharedPostgres();
    databaseUrl = await databases.createDatabase();
  });
  afterAll(() => databases?.close());

  const startReplica = async (): Promise<Service> => {
    return startService(await openDatabase(databaseUrl));
  };

  test("SDKs that alternate between them have the current flags after each poll and each reconnection", async () => {
    const replicas = [await startReplica(), await startReplica()] as const;
    const [one] = replicas;
    const segment = await createSegment(one, "random", ["1"]);
    for (const name of NAMES) {
      await createFlag(one, name, { strategies: [{ segments: [segment] }] });
    }
    await createFlag(one, "other");

    const read = fc.record({
      sdk: fc.nat({ max: 2 }),
      replica: fc.constantFrom(0 as const, 1 as const),
      update: fc.constantFrom("poll" as const, "stream" as const),
    });
    const step = fc.record({
      change: fc.option(arbitraryChange(segment)),
      reads: fc.array(read, { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 25 }), async (steps) => {
        const sdks: Sdk[] = [];
        for (const { change, reads } of steps) {
          if (change !== null) {
            const [method, path, body] = change;
            // A change of an archived flag is rejected.
            await one.request(`/api/admin${path}`, { method, token: ADMIN_TOKEN, body });
          }
          for (const { sdk, replica, update } of reads) {
            const updated = await UPDATES[update](replicas[replica], sdks[sdk] ?? NEW_SDK);
            sdks[sdk] = updated;
            expect(normalize(updated.state)).toEqual(normalize(await fetchAll(one)));
          }
        }
      }),
      // What a case finds depends on the cases before, so smaller ones would mislead.
      { numRuns: fuzzRuns(5, 50), endOnFailure: true, interruptAfterTimeLimit: 60_000 },
    );
  });
});
