import { Validator } from "@seriousme/openapi-schema-validator";
import { Compile } from "typebox/compile";
import { expect, test } from "vitest";
import { KEY, SERVER_TOKEN, startProxy } from "./_proxy.ts";

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
  }[];
  readonly requestBody?: { readonly required: boolean };
  readonly responses: Readonly<
    Record<string, { readonly content?: Record<string, { readonly schema: object }> }>
  >;
}

interface Description {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, object>>;
    readonly schemas: Readonly<Record<string, object>>;
  };
}

const OFREP = "/ofrep/v1/evaluate/flags";

async function startDescribed(basePath = "") {
  const config = {
    openApiEnabled: true,
    enableAllEndpoint: true,
    explainEnabled: true,
    ofrepEventStreams: true,
    basePath,
  };
  const proxy = await startProxy({ config });
  const response = await fetch(`${proxy.url}${basePath}/docs/openapi.json`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toMatch(/^application\/json/);
  return { ...proxy, description: (await response.json()) as Description };
}

test("GET <base url>/docs/openapi.json: a valid OpenAPI document", async () => {
  const { description } = await startDescribed();
  const result = await new Validator().validate({ ...description });
  expect(result.errors ?? []).toEqual([]);
  expect(result.valid).toBe(true);
  expect(description.openapi).toMatch(/^3\./);
});

test("OpenAPI document: every endpoint, parameter, error and security scheme", async () => {
  const { description } = await startDescribed("/base");
  const { paths, components } = description;
  const frontend = ["/base/api/frontend", "/base/api/proxy"].flatMap((path) => [
    path,
    `${path}/all`,
    `${path}/all/client/metrics`,
    `${path}/all/client/register`,
    `${path}/client/metrics`,
    `${path}/client/register`,
    `${path}/features/{name}`,
    `${path}/stream`,
  ]);
  const definitions = ["delta", "features", "features/{name}"];
  expect(Object.keys(paths).toSorted()).toEqual([
    ...[...definitions, "metrics", "metrics/bulk", "metrics/edge", "register", "streaming"].map(
      (path) => `/base/api/client/${path}`,
    ),
    ...frontend,
    "/base/edge/validate",
    ...["features", "health", "metrics", "prometheus", "ready", "tokens"].map(
      (path) => `/base/internal-backstage/${path}`,
    ),
    "/base/live",
    "/base/ofrep/v1/evaluate/flags",
    "/base/ofrep/v1/evaluate/flags/{key}",
    "/base/proxy",
    "/base/proxy/all",
    "/base/proxy/all/client/metrics",
    "/base/proxy/all/client/register",
    ...definitions.map((path) => `/base/proxy/client/${path}`),
    "/base/proxy/client/metrics",
    "/base/proxy/client/register",
    "/base/proxy/client/streaming",
    "/base/proxy/explain",
    "/base/proxy/health",
    "/base/proxy/internal-backstage/prometheus",
    "/base/proxy/stream",
    "/base/ready",
    "/base/status",
  ]);
  const { get, post } = paths["/base/proxy"] ?? {};
  expect(get?.parameters?.map(({ name }) => name)).toEqual([
    "appName",
    "userId",
    "sessionId",
    "environment",
    "remoteAddress",
    "currentTime",
    "properties",
  ]);
  expect(get?.security).toEqual([{ clientKey: [] }]);
  expect(paths["/base/proxy/health"]?.["get"]?.security).toBeUndefined();
  expect(post?.requestBody).toBeDefined();
  expect(components.securitySchemes).toMatchObject({
    clientKey: { type: "apiKey", in: "header", name: "authorization" },
  });
});

test("OpenAPI document: the errors of each endpoint, and others as the default", async () => {
  const { paths } = (await startDescribed()).description;
  const statuses = (path: string, method: string): readonly string[] =>
    Object.keys(paths[path]?.[method]?.responses ?? {}).toSorted();
  const ofGet = ["200", "304", "400", "401", "403", "429", "503", "default"];
  expect(statuses("/proxy", "get")).toEqual(ofGet);
  expect(statuses("/proxy", "post")).toEqual([...ofGet, "413", "415"].toSorted());
  expect(statuses("/proxy/all", "get")).toEqual([...ofGet, "501"].toSorted());
  expect(statuses("/proxy/all", "post")).toContain("501");
  const ofPost = [...ofGet, "413", "415"];
  expect(statuses(OFREP, "post")).toEqual(ofPost.toSorted());
  expect(statuses(`${OFREP}/{key}`, "post")).toEqual([...ofPost, "404"].toSorted());
  expect(statuses("/api/frontend/features/{name}", "get")).toEqual([...ofGet, "404"].toSorted());
});

test("OpenAPI document: every array says what it contains", async () => {
  const { description } = await startDescribed();
  const withoutItems = (value: unknown, path: string): readonly string[] => {
    if (typeof value !== "object" || value === null) return [];
    const isArray = [Reflect.get(value, "type")].flat().includes("array");
    return [
      ...(isArray && !("items" in value) ? [path] : []),
      ...Object.entries(value).flatMap(([key, member]) => withoutItems(member, `${path}/${key}`)),
    ];
  };
  expect(withoutItems(description, "")).toEqual([]);
});

test("OpenAPI document: every operation has a unique id, for any base path", async () => {
  const idsOf = ({ paths }: Description) =>
    Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
  const ids = idsOf((await startDescribed()).description);
  expect(ids).toEqual(idsOf((await startDescribed("/base")).description));
  expect(ids).not.toContain(undefined);
  expect(new Set(ids).size).toBe(ids.length);
  // Generated clients have functions with these names.
  expect(ids).toEqual(
    expect.arrayContaining([
      "getProxy",
      "postProxy",
      "getProxyAll",
      "postProxyClientMetrics",
      "getApiFrontendFeaturesByName",
      "postOfrepV1EvaluateFlagsByKey",
    ]),
  );
});

test("OpenAPI document: schemas are named components, and never repeated inline", async () => {
  const { paths, components } = (await startDescribed()).description;
  // Generated clients have types with these names.
  expect(Object.keys(components.schemas)).toEqual([
    "bulkUsageReportSchema",
    "definitionsByEnvironmentSchema",
    "deltaEventSchema",
    "deltaSchema",
    "errorSchema",
    "evaluationContextSchema",
    "evaluationRequestSchema",
    "explainRequestSchema",
    "explainedActivationSchema",
    "explainedConstraintSchema",
    "explainedDependencySchema",
    "explainedFlagSchema",
    "explainedListSchema",
    "explainedOverrideSchema",
    "explainedParentSchema",
    "explainedRolloutSchema",
    "explainedSegmentSchema",
    "explainedStrategySchema",
    "explainedValuesSchema",
    "explainedVariantSchema",
    "explainedVariantSelectionSchema",
    "explainedWeightSchema",
    "explanationsSchema",
    "featureDefinitionSchema",
    "featureDefinitionsSchema",
    "frontendContextSchema",
    "frontendRequestSchema",
    "frontendStreamRequestSchema",
    "frontendToggleListSchema",
    "frontendToggleSchema",
    "frontendVariantSchema",
    "keysStatusSchema",
    "nullableEvaluationContextSchema",
    "ofrepContextSchema",
    "ofrepErrorSchema",
    "ofrepEvaluationListSchema",
    "ofrepEvaluationSchema",
    "ofrepEventStreamSchema",
    "ofrepFlagErrorSchema",
    "ofrepMetadataSchema",
    "ofrepRequestSchema",
    "probeSchema",
    "probeStatusSchema",
    "registrationSchema",
    "segmentDefinitionSchema",
    "sourceStateSchema",
    "sourceStatesSchema",
    "sourceStatusSchema",
    "statusSchema",
    "streamAddressSchema",
    "streamRequestSchema",
    "toggleListSchema",
    "toggleSchema",
    "toggleUsageSchema",
    "tokensToValidateSchema",
    "usageReportSchema",
    "validatedEdgeTokenSchema",
    "validatedEdgeTokensSchema",
    "validationProblemSchema",
    "variantPayloadSchema",
    "variantSchema",
    "verifiedKeyStateSchema",
  ]);
  expect(paths["/proxy"]?.["post"]).toMatchObject({
    requestBody: jsonRef("evaluationRequestSchema"),
    responses: { 200: jsonRef("toggleListSchema"), 400: jsonRef("errorSchema") },
  });
  expect(inlineObjectsOf(paths)).toEqual([]);
});

function jsonRef(name: string) {
  return { content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } } };
}

/** The object schemas with properties within a value. */
function inlineObjectsOf(value: unknown): readonly object[] {
  if (typeof value !== "object" || value === null) return [];
  const own = "type" in value && "properties" in value ? [value] : [];
  return [...own, ...Object.values(value).flatMap(inlineObjectsOf)];
}

test("OpenAPI document: a body is required exactly if the proxy refuses a request without one", async () => {
  const { description, request } = await startDescribed();
  const optional: string[] = [];
  for (const [path, { post }] of Object.entries(description.paths)) {
    if (post?.requestBody === undefined) continue;
    const isForServers = /^\/(?:api\/client|proxy\/explain|edge)\b/.test(path);
    const { status } = await request(path.replace(/\{\w+\}/, "on"), {
      method: "POST",
      headers: { authorization: isForServers ? SERVER_TOKEN : KEY },
    });
    expect([path, status]).toEqual([path, post.requestBody.required ? 400 : 200]);
    if (!post.requestBody.required) optional.push(path);
  }
  const lists = ["", "/all", "/features/{name}"];
  expect(optional.toSorted()).toEqual(
    ["/api/frontend", "/api/proxy"].flatMap((path) => lists.map((list) => path + list)),
  );
});

test("OpenAPI document: filters and formats of the definitions", async () => {
  const { paths } = (await startDescribed()).description;
  const features = paths["/proxy/client/features"]?.["get"];
  expect(features?.parameters).toMatchObject([
    { name: "project", in: "query", description: expect.stringContaining("Projects") as string },
    { name: "namePrefix", in: "query", description: expect.stringContaining("names") as string },
  ]);
  expect(features?.description).toContain("Unleash-Client-Spec");
});

test("OpenAPI document: responses match their schemas", async () => {
  const { request, post, description } = await startDescribed();
  const server = { headers: { authorization: SERVER_TOKEN } };
  const usage = { appName: "a", bucket: { toggles: {} } };
  const responses: readonly (readonly [string, string, Response])[] = [
    ["/proxy", "get", await request("/proxy?userId=7")],
    ["/proxy", "get", await request("/proxy?properties=1")],
    ["/proxy", "get", await request("/proxy", { headers: { authorization: "" } })],
    ["/proxy", "post", await post("/proxy", { context: {}, toggles: ["a", "with-variant"] })],
    ["/proxy", "post", await post("/proxy", {})],
    ["/proxy", "post", await post("/proxy", {}, { "content-type": "text/xml" })],
    ["/proxy/all", "get", await request("/proxy/all")],
    ["/proxy/client/features", "get", await request("/proxy/client/features", server)],
    ["/proxy/client/metrics", "post", await post("/proxy/client/metrics", usage)],
    ["/api/frontend", "get", await request("/api/frontend")],
    ["/api/frontend", "post", await post("/api/frontend", { userId: "7", toggles: ["a"] })],
    ["/api/frontend/all", "get", await request("/api/frontend/all")],
    ["/api/frontend/features/{name}", "get", await request("/api/frontend/features/on")],
    ["/api/frontend/features/{name}", "get", await request("/api/frontend/features/none")],
    [OFREP, "post", await post(OFREP, {})],
    [OFREP, "post", await post(OFREP, { context: [] })],
    [OFREP, "post", await request(OFREP, { method: "POST", headers: { authorization: "" } })],
    [`${OFREP}/{key}`, "post", await post(`${OFREP}/with-variant`, {})],
    [`${OFREP}/{key}`, "post", await post(`${OFREP}/none`, {})],
  ];
  for (const [path, method, response] of responses) {
    const { type, schema } = responseSchemaOf(description, [path, method, String(response.status)]);
    expect(response.headers.get("content-type"), path).toContain(type);
    if (type !== "application/json") continue;
    const body: unknown = await response.json();
    const { schemas } = description.components;
    const context = Object.fromEntries(
      Object.entries(schemas).map(([name, named]) => [`#/components/schemas/${name}`, named]),
    );
    expect(Compile(context, schema).Errors(body), JSON.stringify(body)).toEqual([]);
  }
});

function responseSchemaOf(
  { paths }: Description,
  [path, method, status]: readonly [path: string, method: string, status: string],
) {
  const content = paths[path]?.[method]?.responses[status]?.content ?? {};
  const [entry] = Object.entries(content);
  if (entry === undefined) throw new Error(`${method} ${path} does not describe a ${status}`);
  return { type: entry[0], schema: entry[1].schema };
}

test.each(["", "/base/path"])(
  "GET %s/docs/openapi: an interactive page with all of its files",
  async (basePath) => {
    const { url } = await startDescribed(basePath);
    for (const slash of ["", "/"]) {
      const page = `${url}${basePath}/docs/openapi${slash}`;
      const response = await fetch(page);
      expect(response.status).toBe(200);
      const html = await response.text();
      const parts = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part]) => part ?? "");
      expect(parts.length).toBeGreaterThan(3);
      for (const part of parts) {
        const { status } = await fetch(new URL(part, page));
        expect(status, part).toBe(200);
      }
      expect(response.headers.get("content-security-policy") ?? "").not.toMatch(/upgrade-insecure/);
    }
  },
);

test("enableOAS false: no page and no document, and the error names the setting", async () => {
  const { request } = await startProxy();
  for (const path of ["/docs/openapi.json", "/docs/openapi"]) {
    const response = await request(path);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain("ENABLE_OAS");
  }
});
