import { Validator } from "@seriousme/openapi-schema-validator";
import { Compile } from "typebox/compile";
import { beforeAll, expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import { listRegisteredRoutes } from "./_registered-routes.ts";
import { ADMIN_TOKEN, BACKEND_TOKEN } from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: object;
  readonly responses: Readonly<
    Record<string, { readonly content?: Record<string, { readonly schema: object }> }>
  >;
}

interface Description {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

/** Schema names that clients of the upstream API may use. */
const SCHEMA_NAMES = [
  "apiTokenSchema",
  "batchFeaturesSchema",
  "batchStaleSchema",
  "clientFeatureSchema",
  "clientFeaturesSchema",
  "constraintSchema",
  "contextFieldSchema",
  "createApiTokenSchema",
  "createContextFieldSchema",
  "createFeatureSchema",
  "createFeatureStrategySchema",
  "errorSchema",
  "legalValueSchema",
  "tagSchema",
  "updateContextFieldSchema",
  "updateFeatureSchema",
  "updateFeatureStrategySchema",
  "upsertSegmentSchema",
];

function jsonRef(name: string) {
  return { content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } } };
}

/** Returns all object schemas that are nested in a value. */
function inlineObjectsOf(value: unknown): readonly object[] {
  if (typeof value !== "object" || value === null) return [];
  const own = "type" in value && "properties" in value ? [value] : [];
  return [...own, ...Object.values(value).flatMap(inlineObjectsOf)];
}

describeAnyStorage("the OpenAPI document", (source) => {
  const admin = useAdmin(source);
  let description: Description;
  let url: string;

  beforeAll(async () => {
    const { port } = admin.app.server.address() as { port: number };
    url = `http://127.0.0.1:${port}`;
    const response = await fetch(`${url}/docs/openapi.json`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    description = (await response.json()) as Description;
  });

  const operations = (): readonly (readonly [string, Operation])[] =>
    Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
      ),
    );

  test("is valid", async () => {
    const result = await new Validator().validate({ ...description });
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(description.info.version).toMatch(/^\d+\.\d+\.\d+/);
  });

  test("contains every route, with the token that it requires", async () => {
    const described = new Map(operations());
    const registered = listRegisteredRoutes(admin.app).filter(
      ({ method, path }) => path.startsWith("/api/admin/") && method !== "HEAD",
    );
    expect(registered.length).toBeGreaterThan(180);
    // Routes can give the same parameter different names.
    const byForm = new Map(
      operations().map(([name, operation]) => [name.replaceAll(/\{\w+\}/g, "{}"), operation]),
    );
    for (const { method, path } of registered) {
      const name = `${method} ${path.replaceAll(/:[\w|:]+/g, "{}")}`;
      expect(byForm.get(name)?.security, name).toEqual([{ adminToken: [] }]);
    }
    for (const path of ["features", "features/{name}", "delta", "streaming"]) {
      const operation = described.get(`GET /api/client/${path}`);
      expect(operation?.security, path).toEqual([{ backendToken: [] }]);
    }
    for (const path of ["/health", "/ready", "/internal-backstage/prometheus"]) {
      expect(described.get(`GET ${path}`)?.security, path).toBeUndefined();
    }
    expect(Object.keys(description.components.securitySchemes)).toEqual([
      "adminToken",
      "backendToken",
    ]);
  });

  test("documents the purpose, the parameters and the responses of every route", () => {
    for (const [name, operation] of operations()) {
      const statuses = Object.keys(operation.responses);
      expect(operation.summary, name).toMatch(/\w/);
      expect(operation.tags, name).toHaveLength(1);
      expect(
        statuses.some((status) => /^[23]/.test(status)) || name.endsWith("/streaming"),
        name,
      ).toBe(true);
      if (name.includes("/api/")) expect(statuses, name).toEqual(expect.arrayContaining(["400"]));
      if ((operation.security ?? []).length > 0) {
        expect(statuses, name).toEqual(expect.arrayContaining(["401", "403", "503"]));
      }
      const inPath = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      const described = operation.parameters?.filter((parameter) => parameter.in === "path") ?? [];
      expect(described.map((parameter) => parameter.name).toSorted(), name).toEqual(
        inPath.toSorted(),
      );
      if (operation.requestBody !== undefined) {
        expect(statuses, name).toEqual(expect.arrayContaining(["413", "415"]));
      }
    }
  });

  test("gives every operation a unique id", () => {
    const ids = operations().map(([name, { operationId }]) => [name, operationId] as const);
    expect(new Set(ids.map(([, id]) => id)).size).toBe(ids.length);
    // Generated clients have functions with these names. `operations.txt` lists those of the admin API.
    const others = ids.filter(([name]) => !name.includes("/api/admin/"));
    expect(Object.fromEntries(others)).toEqual({
      "GET /auth/options": "getSignInOptions",
      "GET /auth/session": "getSession",
      "POST /auth/session": "createSession",
      "DELETE /auth/session": "deleteSession",
      "GET /auth/reset/validate": "validateToken",
      "POST /auth/reset/password": "changePassword",
      "POST /auth/reset/password-email": "sendResetPasswordEmail",
      "POST /auth/reset/validate-password": "validatePassword",
      "POST /auth/setup": "setUp",
      "POST /auth/simple/login": "login",
      "GET /invite/{secret}/validate": "validatePublicSignupToken",
      "POST /invite/{secret}/signup": "addPublicSignupTokenUser",
      "POST /logout": "logout",
      "GET /health": "getHealth",
      "GET /ready": "getReady",
      "GET /internal-backstage/prometheus": "getMetrics",
      "POST /edge/validate": "getValidTokens",
      "GET /api/client/features": "getAllClientFeatures",
      "GET /api/client/features/{name}": "getClientFeature",
      "GET /api/client/delta": "getDelta",
      "GET /api/client/streaming": "streamFeatures",
      "POST /api/client/register": "registerClientApplication",
      "POST /api/client/metrics": "registerClientMetrics",
      "POST /api/client/metrics/bulk": "clientBulkMetrics",
    });
  });

  test("names every schema, and contains each of them once", () => {
    const { schemas } = description.components;
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(SCHEMA_NAMES));
    expect(inlineObjectsOf(description.paths)).toEqual([]);
    expect(
      Object.values(schemas).flatMap((schema) => inlineObjectsOf(Object.values(schema))),
    ).toEqual([]);
  });

  test("references schemas by the names of the upstream API", () => {
    const bodyOf = (method: string, path: string) => description.paths[path]?.[method]?.requestBody;
    expect(bodyOf("put", "/api/admin/context/{contextField}")).toMatchObject(
      jsonRef("updateContextFieldSchema"),
    );
    expect(bodyOf("post", "/api/admin/projects/{projectId}/revive")).toMatchObject(
      jsonRef("batchFeaturesSchema"),
    );
    expect(description.components.schemas["updateContextFieldSchema"]).toMatchObject({
      type: "object",
      properties: {
        description: { type: ["string", "null"] },
        stickiness: { type: "boolean" },
        sortOrder: { type: "integer" },
        legalValues: { type: "array", items: { $ref: "#/components/schemas/legalValueSchema" } },
      },
    });
    expect(description.components.schemas["batchFeaturesSchema"]).toMatchObject({
      type: "object",
      required: ["features"],
      properties: { features: { type: "array", items: { type: "string" } } },
    });
  });

  test("matches the responses", async () => {
    const call = async (method: string, path: string, token: string, body?: unknown) => {
      const response = await fetch(url + path, {
        method,
        headers: {
          authorization: token,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return [method.toLowerCase(), response] as const;
    };
    const responses = [
      [
        "/api/admin/context/{contextField}",
        await call("GET", "/api/admin/context/userId", ADMIN_TOKEN),
      ],
      [
        "/api/admin/context/{contextField}",
        await call("GET", "/api/admin/context/no", ADMIN_TOKEN),
      ],
      ["/api/admin/context", await call("POST", "/api/admin/context", ADMIN_TOKEN, {})],
      ["/api/admin/context", await call("GET", "/api/admin/context", "")],
      ["/api/admin/context", await call("GET", "/api/admin/context", BACKEND_TOKEN)],
      ["/api/admin/api-tokens", await call("GET", "/api/admin/api-tokens", ADMIN_TOKEN)],
      ["/api/client/features", await call("GET", "/api/client/features", BACKEND_TOKEN)],
      ["/api/client/features", await call("GET", "/api/client/features", ADMIN_TOKEN)],
      ["/api/client/delta", await call("GET", "/api/client/delta", BACKEND_TOKEN)],
      ["/health", await call("GET", "/health", "")],
      ["/ready", await call("GET", "/ready", "")],
    ] as const;
    for (const [path, [method, response]] of responses) {
      const { content } = description.paths[path]?.[method]?.responses[response.status] ?? {};
      const schema = content?.["application/json"]?.schema;
      const body: unknown = await response.json();
      expect(schema, `${path} ${response.status}`).toBeDefined();
      const context = Object.fromEntries(
        Object.entries(description.components.schemas).map(([name, named]) => [
          `#/components/schemas/${name}`,
          named,
        ]),
      );
      expect(Compile(context, schema ?? {}).Errors(body), JSON.stringify(body)).toEqual([]);
    }
  });

  test("has an interactive page whose assets load", async () => {
    for (const slash of ["", "/"]) {
      const page = `${url}/docs/openapi${slash}`;
      const response = await fetch(page);
      expect(response.status).toBe(200);
      const policy = response.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("frame-ancestors");
      expect(policy).not.toContain("upgrade-insecure-requests");
      const html = await response.text();
      const assets = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, asset]) => asset ?? "");
      expect(assets.length).toBeGreaterThan(3);
      for (const asset of assets) {
        const loaded = await fetch(new URL(asset, page));
        expect(loaded.status, asset).toBe(200);
        await loaded.arrayBuffer();
      }
    }
  });
});
