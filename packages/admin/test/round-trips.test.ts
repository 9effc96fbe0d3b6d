import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { fuzzRuns } from "../../../scripts/test-size.ts";
import { useAdmin } from "./_admin.ts";
import type { ContextFieldResponse, SegmentResponse, StrategyResponse } from "./_responses.ts";
import { describeStorages } from "./_storages.ts";

const arbitraryText = (maxLength: number, minLength = 0) =>
  fc.string({ unit: "grapheme", minLength, maxLength });
/** Some SDKs cannot read quotation marks and backslashes in parameters, so the service rejects them there. */
const arbitraryParameter = arbitraryText(20).map((text) => text.replaceAll(/["\\]/g, "'"));
const arbitraryNullableText = fc.option(arbitraryText(80));

const arbitraryLegalValue = fc.record(
  { value: arbitraryText(20, 1), description: arbitraryNullableText },
  { requiredKeys: ["value"] },
);

const arbitraryContextField = fc.record(
  {
    description: arbitraryNullableText,
    stickiness: fc.boolean(),
    sortOrder: fc.integer({ min: -(2 ** 31 - 1), max: 2 ** 31 - 1 }),
    legalValues: fc.uniqueArray(arbitraryLegalValue, {
      maxLength: 5,
      selector: ({ value }) => value,
    }),
  },
  { requiredKeys: [] },
);

const arbitraryConstraint = fc.oneof(
  fc.record(
    {
      contextName: fc.constantFrom("userId", "appName", "plan"),
      operator: fc.constantFrom("IN", "NOT_IN", "STR_CONTAINS"),
      values: fc.array(arbitraryText(20, 1), { minLength: 1, maxLength: 4 }),
      inverted: fc.boolean(),
      caseInsensitive: fc.boolean(),
    },
    { requiredKeys: ["contextName", "operator", "values"] },
  ),
  fc.record({
    contextName: fc.constant("age"),
    operator: fc.constantFrom("NUM_GT", "NUM_EQ"),
    value: fc.integer().map(String),
  }),
);

const arbitraryVariants = fc
  .uniqueArray(
    fc.record(
      {
        name: fc.stringMatching(/^[a-z]{1,6}$/),
        weight: fc.integer({ min: 0, max: 100 }),
        weightType: fc.constantFrom("fix", "variable"),
        stickiness: fc.constantFrom("default", "userId"),
        payload: fc.record({ type: fc.constant("string"), value: arbitraryText(20) }),
      },
      { requiredKeys: ["name", "stickiness", "weight", "weightType"] },
    ),
    { maxLength: 8, selector: ({ name }) => name },
  )
  .filter(
    (variants) =>
      variants.length === 0 || variants.some(({ weightType }) => weightType === "variable"),
  );

const arbitraryStrategy = fc.record(
  {
    name: fc.constantFrom("default", "flexibleRollout", "remoteAddress"),
    title: arbitraryNullableText,
    disabled: fc.option(fc.boolean()),
    sortOrder: fc.nat(1000),
    constraints: fc.array(arbitraryConstraint, { maxLength: 3 }),
    variants: arbitraryVariants,
    parameters: fc.dictionary(fc.constantFrom("groupId", "stickiness", "IPs"), arbitraryParameter, {
      maxKeys: 2,
    }),
  },
  { requiredKeys: ["name"] },
);

const arbitrarySegment = fc.record(
  {
    description: arbitraryNullableText,
    project: fc.constantFrom(null, "", "default"),
    constraints: fc.array(arbitraryConstraint, { maxLength: 3 }),
  },
  { requiredKeys: ["constraints"] },
);

const arbitraryProject = fc.record(
  {
    description: arbitraryNullableText,
    defaultStickiness: fc.constantFrom("default", "userId"),
    environments: fc.subarray(["development", "production"]),
  },
  { requiredKeys: [] },
);

const arbitraryFeature = fc.record(
  {
    description: arbitraryNullableText,
    type: fc.constantFrom("release", "experiment"),
    impressionData: fc.boolean(),
    tags: fc.subarray([
      { type: "simple", value: "one" },
      { type: "simple", value: "two", color: null },
    ]),
  },
  { requiredKeys: [] },
);

const arbitraryTagType = fc.record(
  { description: arbitraryNullableText, icon: arbitraryNullableText },
  { requiredKeys: [] },
);

const arbitraryStrategyType = fc.record(
  {
    title: arbitraryNullableText,
    description: arbitraryNullableText,
    parameters: fc.array(
      fc.record(
        {
          name: arbitraryText(10, 1),
          type: fc.constantFrom("string", "list"),
          description: arbitraryText(20),
          required: fc.boolean(),
        },
        { requiredKeys: ["name"] },
      ),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: [] },
);

const RUNS = { numRuns: fuzzRuns(5, 25) };

describeStorages("a GET body sent back with PUT", (source) => {
  const admin = useAdmin(source);
  let nameCount = 0;
  const nextName = (): string => `n${(nameCount += 1)}`;

  const get = async <Body>(path: string) => (await admin.must<Body>(200, "GET", path)).body;

  /** Sends back what GET returns: it is accepted, changes nothing and records nothing. */
  const expectRoundTrip = async (path: string, expectedStatus: number): Promise<void> => {
    const before = await get(path);
    const recorded = await admin.eventsOf(() => admin.must(expectedStatus, "PUT", path, before));
    expect(await get(path)).toEqual(before);
    expect(recorded).toEqual([]);
  };

  beforeAll(async () => {
    await admin.must(201, "POST", "/projects/default/features", { name: "flag" });
  });

  test("does not change a context field", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryContextField, arbitraryContextField, async (initial, update) => {
        const name = nextName();
        await admin.must(201, "POST", "/context", { name, ...initial });
        await expectRoundTrip(`/context/${name}`, 200);
        await admin.must(200, "PUT", `/context/${name}`, update);
        await expectRoundTrip(`/context/${name}`, 200);
      }),
      RUNS,
    );
  });

  test("does not change a context field that is sent as it was listed", async () => {
    const before = await get<ContextFieldResponse[]>("/context");
    expect(before.length).toBeGreaterThanOrEqual(5);
    for (const field of before) await admin.must(200, "PUT", `/context/${field.name}`, field);
    expect(await get("/context")).toEqual(before);
  });

  test("can create a copy of a context field under another name", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryContextField, async (body) => {
        const [name, copy] = [nextName(), nextName()];
        await admin.must(201, "POST", "/context", { name, ...body });
        const original = await get<object>(`/context/${name}`);
        await admin.must(201, "POST", "/context", { ...original, name: copy });
        expect(await get(`/context/${copy}`)).toEqual({
          ...original,
          name: copy,
          createdAt: expect.any(String) as string,
        });
      }),
      RUNS,
    );
  });

  test("does not change a legal value that is sent as it is in its context field", async () => {
    const path = "/context/plans";
    await admin.must(201, "POST", "/context", {
      name: "plans",
      legalValues: [
        { value: "free", description: null },
        { value: "paid", description: "Paid" },
      ],
    });
    const before = await get<{ legalValues: object[] }>(path);
    expect(before.legalValues).toEqual([{ value: "free" }, { value: "paid", description: "Paid" }]);
    for (const value of before.legalValues) {
      await admin.must(200, "POST", `${path}/legal-values`, value);
    }
    await admin.must(200, "POST", `${path}/legal-values`, { value: "free", description: null });
    expect(await get(path)).toEqual(before);
  });

  test("does not change a strategy or the weights of its variants", async () => {
    const path = "/projects/default/features/flag/environments/development/strategies";
    await fc.assert(
      fc.asyncProperty(arbitraryStrategy, async (body) => {
        const { id } = (await admin.must<StrategyResponse>(200, "POST", path, body)).body;
        try {
          await expectRoundTrip(`${path}/${id}`, 200);
        } finally {
          await admin.must(200, "DELETE", `${path}/${id}`);
        }
      }),
      RUNS,
    );
  });

  test("does not change a segment", async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySegment, async (body) => {
        const { id } = (
          await admin.must<SegmentResponse>(201, "POST", "/segments", { name: nextName(), ...body })
        ).body;
        await expectRoundTrip(`/segments/${id}`, 204);
      }),
      RUNS,
    );
  });

  test("does not change a flag", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryFeature, async (body) => {
        const name = nextName();
        await admin.must(201, "POST", "/projects/default/features", { name, ...body });
        await expectRoundTrip(`/projects/default/features/${name}`, 200);
      }),
      RUNS,
    );
  });

  test("does not change a tag type", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryTagType, async (body) => {
        const name = nextName();
        await admin.must(201, "POST", "/tag-types", { name, ...body });
        const { tagType } = await get<{ tagType: object }>(`/tag-types/${name}`);
        await admin.must(200, "PUT", `/tag-types/${name}`, tagType);
        expect(await get(`/tag-types/${name}`)).toMatchObject({ tagType });
      }),
      RUNS,
    );
  });

  test("does not change a custom strategy type", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryStrategyType, async (body) => {
        const name = nextName();
        await admin.must(201, "POST", "/strategies", { name, ...body });
        await expectRoundTrip(`/strategies/${name}`, 200);
      }),
      RUNS,
    );
  });

  test("does not change a project", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryProject, async (body) => {
        const id = nextName();
        await admin.must(201, "POST", "/projects", { id, name: "Project", ...body });
        await expectRoundTrip(`/projects/${id}`, 200);
      }),
      RUNS,
    );
  });

  test("causes no internal error", () => {
    expect(admin.errors).toEqual([]);
  });
});
