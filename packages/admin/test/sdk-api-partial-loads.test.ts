// A replica loads only what has changed. After any changes, what it serves must be what a replica serves that has just
// loaded everything.

import fc from "fast-check";
import { applyDelta, type FeaturesState } from "flags-engine";
import { describe, expect, onTestFinished, test } from "vitest";
import { fuzzRuns } from "../../../scripts/test-size.ts";
import { EnvironmentCache } from "../src/client-api/environment-cache.ts";
import { DocumentCache } from "../src/client-api/feature-document.ts";
import type { FeatureQuery } from "../src/client-api/feature-query.ts";
import type { Storage } from "../src/storage/storage.ts";
import { type OpenStream, openStream } from "./_event-stream.ts";
import { createFlag, createSegment } from "./_flags.ts";
import { skipsPostgres, useSharedPostgres } from "./_postgres.ts";
import {
  ADMIN_TOKEN,
  BACKEND_TOKEN,
  KNOWS_SEGMENTS,
  PRODUCTION_TOKEN,
  type Service,
  startService,
} from "./_service.ts";
import { describeStorages, openDatabase } from "./_storages.ts";

const TOKENS = { development: BACKEND_TOKEN, production: PRODUCTION_TOKEN } as const;
const PROJECTS = ["default", "shop"];
const FLAGS = ["a", "b", "B", "a-b", "a.b", "c"];

type Change = readonly [method: string, path: string, body?: unknown];

const project = fc.constantFrom(...PROJECTS);
const flag = fc.constantFrom(...FLAGS);
const flags = fc.subarray(FLAGS, { minLength: 1 });
const environment = fc.constantFrom("development", "production");
const text = fc.constantFrom("one", "two", "three");
const segment = fc.constantFrom(1, 2, 3);
const segmentIds = fc.subarray([1, 2]);
const names = fc.record({ project, flag, environment });
const constraints = fc
  .subarray(["1", "2", "3"], { minLength: 1 })
  .map((values) => [{ contextName: "userId", operator: "IN", values }]);
const strategy = fc.record({
  name: fc.constantFrom("default", "flexibleRollout"),
  constraints: fc.oneof(fc.constant([]), constraints),
  disabled: fc.boolean(),
});
const tag = text.map((value) => ({ type: "simple", value }));

const importedFeature = fc.record(
  {
    name: flag,
    description: text,
    stale: fc.boolean(),
    tags: fc.uniqueArray(tag, { selector: ({ value }) => value }),
    dependencies: fc.array(
      flag.map((feature) => ({ feature })),
      { maxLength: 1 },
    ),
    environments: fc.array(
      fc.record({
        name: environment,
        enabled: fc.constant(false),
        strategies: fc.array(strategy, { maxLength: 2 }),
      }),
      { maxLength: 1 },
    ),
  },
  { requiredKeys: ["name"] },
);

/** Where the strategies of a flag are, which a change selects by index. */
interface Strategies {
  readonly path: string;
  readonly index: number;
}

/** Changes of everything that SDKs read, and some of what they do not read. */
const arbitraryChange: fc.Arbitrary<Change | Strategies> = fc.oneof(
  names.map((n): Change => ["POST", `/projects/${n.project}/features`, { name: n.flag }]),
  fc
    .record({ names, description: text, impressionData: fc.boolean() })
    .map(({ names: n, ...body }): Change => ["PUT", featurePath(n), body]),
  fc
    .record({ names, action: fc.constantFrom("on", "off") })
    .map(({ names: n, action }): Change => ["POST", `${environmentPath(n)}/${action}`]),
  fc
    .record({ names, strategy, segments: segmentIds })
    .map(({ names: n, strategy: body, segments }): Change => [
      "POST",
      `${environmentPath(n)}/strategies`,
      { ...body, segments },
    ]),
  fc
    .record({ names, index: fc.nat({ max: 3 }) })
    .map(({ names: n, index }) => ({ path: `${environmentPath(n)}/strategies`, index })),
  fc.record({ names, variants: fc.subarray(["x", "y"]) }).map(({ names: n, variants }): Change => [
    "PUT",
    `${environmentPath(n)}/variants`,
    variants.map((name) => ({
      name,
      weight: 500,
      weightType: "variable",
      stickiness: "default",
    })),
  ]),
  fc.record({ flag, tag }).map((n): Change => ["POST", `/features/${n.flag}/tags`, n.tag]),
  fc
    .record({ flag, tag })
    .map((n): Change => ["DELETE", `/features/${n.flag}/tags/simple/${n.tag.value}`]),
  tag.map(({ value }): Change => ["DELETE", `/tags/simple/${value}`]),
  fc
    .record({ project, features: flags, stale: fc.boolean() })
    .map(({ project: id, ...body }): Change => ["POST", `/projects/${id}/stale`, body]),
  fc
    .record({ project, features: flags, action: fc.constantFrom("archive", "delete", "revive") })
    .map(({ project: id, features, action }): Change => {
      return ["POST", `/projects/${id}/${action}`, { features }];
    }),
  fc.record({ names, parent: flag }).map(({ names: n, parent }): Change => {
    return ["POST", `${featurePath(n)}/dependencies`, { feature: parent }];
  }),
  names.map((n): Change => ["DELETE", `${featurePath(n)}/dependencies`]),
  fc
    .record({ names, name: flag })
    .map(({ names: n, name }): Change => ["POST", `${featurePath(n)}/clone`, { name }]),
  fc.record({ name: text, constraints }).map((body): Change => ["POST", "/segments", body]),
  fc
    .record({ id: segment, name: text, constraints })
    .map(({ id, ...body }): Change => ["PUT", `/segments/${id}`, body]),
  segment.map((id): Change => ["DELETE", `/segments/${id}`]),
  names.map((n): Change => ["DELETE", `/projects/${n.project}/environments/${n.environment}`]),
  names.map((n): Change => {
    return ["POST", `/projects/${n.project}/environments`, { environment: n.environment }];
  }),
  fc
    .record({
      project,
      features: fc.uniqueArray(importedFeature, { selector: ({ name }) => name }),
    })
    .map(({ project: id, features }): Change => {
      return ["POST", `/projects/${id}/import`, { version: 1, features }];
    }),
  text.map((name): Change => ["POST", "/projects", { id: name, name }]),
  text.map((name): Change => ["POST", "/context", { name }]),
  project.map((id): Change => ["DELETE", `/projects/${id}`]),
  project.map((id): Change => ["POST", "/projects", { id, name: id }]),
  environment.map((name): Change => ["DELETE", `/environments/${name}`]),
  fc
    .record({ environment, name: fc.constantFrom("development", "staging") })
    .map(({ environment: from, name }): Change => {
      return ["POST", `/environments/${from}/clone`, { name, type: "test" }];
    }),
);

function featurePath(n: { readonly project: string; readonly flag: string }): string {
  return `/projects/${n.project}/features/${n.flag}`;
}

function environmentPath(n: {
  readonly project: string;
  readonly flag: string;
  readonly environment: string;
}): string {
  return `${featurePath(n)}/environments/${n.environment}`;
}

/** Makes a change, which the service may reject. Returns whether it was accepted. */
async function make(service: Service, change: Change | Strategies): Promise<boolean> {
  if ("path" in change) return reverseOrRemove(service, change);
  const [method, path, body] = change;
  const call = { method, token: ADMIN_TOKEN, body };
  const { status } = await service.request(`/api/admin${path}`, call);
  expect(status).toBeLessThan(500);
  return status < 300;
}

/** Reverses the order of strategies, or removes one. */
async function reverseOrRemove(service: Service, { path, index }: Strategies): Promise<boolean> {
  const response = await service.request(`/api/admin${path}`, { token: ADMIN_TOKEN });
  if (!response.ok) return false;
  const strategies = (await response.json()) as { readonly id: string }[];
  const removed = strategies[index];
  if (removed !== undefined) return make(service, ["DELETE", `${path}/${removed.id}`]);
  const order = strategies.map(({ id }, position) => ({ id, sortOrder: 9 - position }));
  return make(service, ["POST", `${path}/set-sort-order`, order]);
}

/** An SDK that polls for deltas, or has a stream. */
interface Sdk {
  readonly service: Service;
  readonly token: string;
  etag: string | undefined;
  state: FeaturesState;
}

async function pollDelta(sdk: Sdk): Promise<void> {
  const headers = {
    ...KNOWS_SEGMENTS,
    ...(sdk.etag !== undefined && { "if-none-match": sdk.etag }),
  };
  const { token } = sdk;
  const response = await sdk.service.request("/api/client/delta", { token, headers });
  sdk.etag = response.headers.get("etag") ?? sdk.etag;
  if (response.status === 304) return;
  const { events } = (await response.json()) as { readonly events: unknown };
  sdk.state = applyDelta(sdk.state, events);
}

function sort({ features, segments }: FeaturesState): readonly (readonly string[])[] {
  return [features, segments].map((items) => items.map((item) => JSON.stringify(item)).toSorted());
}

const ONE: FeatureQuery = { environment: "", projects: undefined, namePrefix: "", tags: [] };

/** Requests for documents. */
const REQUESTS = [
  { query: "", expected: ONE, headers: KNOWS_SEGMENTS, inlineSegments: false },
  { query: "", expected: ONE, headers: {}, inlineSegments: true },
  {
    query: "?tag=simple:one",
    expected: { ...ONE, tags: ["simple:one"] },
    headers: KNOWS_SEGMENTS,
    inlineSegments: false,
  },
];

/** Compares the documents of all replicas with those of one that has just loaded everything. */
async function expectEqualDocuments(storage: Storage, replicas: readonly Service[]): Promise<void> {
  for (const [name, token] of Object.entries(TOKENS)) {
    const state = await new EnvironmentCache(storage).current(name);
    for (const { query, expected, headers, inlineSegments } of REQUESTS) {
      const wanted = { ...expected, environment: name, inlineSegments };
      const document = await new DocumentCache().get(state, wanted, { destroyed: false });
      for (const replica of replicas) {
        const call = { token, headers: { ...headers, "accept-encoding": "identity" } };
        const response = await replica.request(`/api/client/features${query}`, call);
        expect(await response.text()).toBe(document.text);
        expect(response.headers.get("etag")).toBe(document.entityTag);
      }
    }
  }
}

async function expectEqualStream(stream: OpenStream, sdk: Sdk): Promise<void> {
  const document = await fetchDocument(sdk);
  // Other changes lead to the same flags, or to an event.
  while (JSON.stringify(sort(sdk.state)) !== JSON.stringify(sort(document))) {
    const { data } = await stream.next();
    sdk.state = applyDelta(sdk.state, data.events);
  }
}

async function fetchDocument({ service, token }: Sdk): Promise<FeaturesState> {
  const call = { token, headers: KNOWS_SEGMENTS };
  return (await (await service.request("/api/client/features", call)).json()) as FeaturesState;
}

const EMPTY: FeaturesState = { features: [], segments: [] };

async function checkRandomChanges(
  storage: Storage,
  replicas: readonly [Service, Service],
): Promise<void> {
  const [one, other] = replicas;
  await one.admin("POST", "/projects", { id: "shop", name: "Shop" });
  const segments = [
    await createSegment(one, "first", ["1"]),
    await createSegment(one, "second", ["2"]),
  ];
  for (const name of FLAGS.slice(0, 3)) {
    await createFlag(one, name, {
      strategies: [{ segments }],
      tags: [{ type: "simple", value: "one" }],
    });
  }
  const polling: Sdk[] = replicas.map((service) => ({
    service,
    token: BACKEND_TOKEN,
    etag: undefined,
    state: EMPTY,
  }));
  const streaming: Sdk = { service: other, token: BACKEND_TOKEN, etag: undefined, state: EMPTY };
  const stream = await openStream(other, { token: BACKEND_TOKEN });
  onTestFinished(() => stream.close());
  let accepted = 0;
  const steps = fc.array(fc.array(arbitraryChange, { minLength: 1, maxLength: 4 }), {
    minLength: 6,
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(steps, async (batches) => {
      for (const changes of batches) {
        // At the same time, by two replicas.
        const results = await Promise.all(
          changes.map((change, index) => make(index % 2 === 0 ? one : other, change)),
        );
        accepted += results.filter(Boolean).length;
        await expectEqualDocuments(storage, replicas);
        for (const sdk of polling) {
          await pollDelta(sdk);
          expect(sort(sdk.state)).toEqual(sort(await fetchDocument(sdk)));
        }
        await expectEqualStream(stream, streaming);
      }
    }),
    // What a case finds depends on the cases before, so smaller ones would mislead.
    { numRuns: fuzzRuns(4, 60), endOnFailure: true, interruptAfterTimeLimit: 60_000 },
  );
  expect(accepted).toBeGreaterThan(5);
}

const TITLE = "after random changes, replicas serve what a new replica would load";

describeStorages("a service that loads only what has changed", (source) => {
  test(TITLE, async () => {
    const storage = await source.openFresh();
    await checkRandomChanges(storage, [await startService(storage), await startService(storage)]);
  });
});

describe.skipIf(skipsPostgres)("two replicas that load only what has changed", () => {
  test(TITLE, async () => {
    const databases = useSharedPostgres();
    onTestFinished(() => databases.close());
    const url = await databases.createMigratedDatabase();
    const [storage, other] = [await openDatabase(url), await openDatabase(url)];
    await checkRandomChanges(storage, [await startService(storage), await startService(other)]);
  });
});
