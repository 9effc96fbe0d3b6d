import { beforeAll, expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import type { ErrorResponse } from "./_responses.ts";
import { describeAnyStorage } from "./_storages.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly format?: string;
}

interface Operation {
  readonly operationId: string;
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

/** Parts of bodies in which any property is accepted, with the reason. */
const OPEN: Readonly<Record<string, string>> = {
  "importToggles /data": "other versions of Unleash export properties that do not exist here",
  "validateImport /data": "as for importToggles; the response lists what is left out",
  "getPlayground /context": "each property is a field of the context",
  "getAdvancedPlayground /context": "each property is a field of the context",
  "getPlayground /context/properties": "each property is a field of the context",
  "getAdvancedPlayground /context/properties": "each property is a field of the context",
  "addFeatureStrategy /parameters": "each property is a parameter of the strategy",
  "addDefaultStrategyToProjectEnvironment /parameters":
    "each property is a parameter of the strategy",
  "updateFeatureStrategy /parameters": "each property is a parameter of the strategy",
  "replaceFeatureEnvironmentRules /strategies/0/parameters": "parameters of a strategy",
  "createAddon /parameters": "each property is a parameter of the provider, which is checked",
  "updateAddon /parameters": "each property is a parameter of the provider, which is checked",
  "importProject /defaultStrategies/0/parameters": "parameters of a strategy",
  "importProject /features/0/environments/0/strategies/0/parameters": "parameters of a strategy",
  "updateSortOrder ": "each property is the name of an environment, which is checked",
};

function sampleText({ format, minLength = 0 }: Schema): string {
  return format === "date-time" ? "2100-01-01T00:00:00Z" : "a".repeat(Math.max(2, minLength));
}

describeAnyStorage("unknown parameters and properties", (source) => {
  const admin = useAdmin(source);
  let paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  let schemas: Readonly<Record<string, Schema>>;

  beforeAll(async () => {
    const { port } = admin.app.server.address() as { port: number };
    const response = await fetch(`http://127.0.0.1:${port}/docs/openapi.json`);
    const document = (await response.json()) as {
      paths: typeof paths;
      components: { schemas: typeof schemas };
    };
    ({ paths } = document);
    ({ schemas } = document.components);
  });

  const operations = () =>
    Object.entries(paths)
      .filter(([path]) => path.startsWith("/api/admin/"))
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({
          method: method.toUpperCase(),
          path: path.slice("/api/admin".length).replaceAll(/\{\w+\}/g, "1"),
          operation,
        })),
      );
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : (schemas[schema.$ref.split("/").at(-1) ?? ""] ?? schema);

  /** Returns a value that matches a schema, down to the lists and objects that are not required. */
  const sample = (unresolved: Schema): unknown => {
    const schema = resolve(unresolved);
    const types = [schema.type].flat();
    const [type] = types;
    if (schema.enum !== undefined) return schema.enum[0];
    if (schema.anyOf !== undefined) return sample(schema.anyOf[0] ?? {});
    if (type === "object" || schema.properties !== undefined) {
      const properties = Object.entries(schema.properties ?? {});
      return Object.fromEntries(properties.map(([name, property]) => [name, sample(property)]));
    }
    if (types.includes("null")) return null;
    if (type === "array") {
      return schema.items === undefined || schema.maxItems === 0 ? [] : [sample(schema.items)];
    }
    if (type === "integer" || type === "number") return 1;
    if (type === "boolean") return true;
    return sampleText(schema);
  };

  /** Returns the JSON pointers of the objects in a body. */
  const objectsIn = (unresolved: Schema, pointer = ""): readonly string[] => {
    const schema = resolve(unresolved);
    const type = [schema.type].flat()[0];
    if (type === "array" && schema.items !== undefined)
      return objectsIn(schema.items, `${pointer}/0`);
    if (type !== "object" && schema.properties === undefined) return [];
    const within = Object.entries(schema.properties ?? {});
    return [
      pointer,
      ...within.flatMap(([name, property]) => objectsIn(property, `${pointer}/${name}`)),
    ];
  };

  test("every operation rejects an unknown query parameter, and names it", async () => {
    const accepted: string[] = [];
    for (const { method, path, operation } of operations()) {
      const target = `${path}?no-such-parameter=1`;
      const body = method === "GET" || method === "DELETE" ? undefined : sampleBody(operation);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { status, body: error } = await admin.call<ErrorResponse>(method, target, body);
      if (status !== 400 || !error.message.includes("no-such-parameter")) {
        accepted.push(`${operation.operationId}: ${status} ${JSON.stringify(error)}`);
      }
    }
    expect(accepted).toEqual([]);
  });

  test("every operation rejects an unknown property in each object of its body, and names it", async () => {
    const accepted: string[] = [];
    for (const { method, path, operation } of operations()) {
      for (const pointer of objectsIn(schemaOf(operation))) {
        const isOpen = Object.keys(OPEN).some((key) =>
          `${operation.operationId} ${pointer}`.startsWith(key),
        );
        if (isOpen) continue;
        const body = structuredClone(sampleBody(operation)) as object;
        const parent = pointer
          .split("/")
          .slice(1)
          .reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], body);
        Object.assign(parent as object, { "no-such-property": 1 });
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const { status, body: error } = await admin.call<ErrorResponse>(method, path, body);
        if (status !== 400 || !error.message.includes("no-such-property")) {
          accepted.push(`${operation.operationId} ${pointer}: ${status} ${JSON.stringify(error)}`);
        }
      }
    }
    expect(accepted).toEqual([]);
  });

  test("the list of exceptions contains no operation that does not exist", () => {
    const ids = new Set(operations().map(({ operation }) => operation.operationId));
    for (const key of Object.keys(OPEN)) expect(ids).toContain(key.split(" ")[0]);
  });

  function schemaOf({ requestBody }: Operation): Schema {
    return requestBody?.content["application/json"]?.schema ?? {};
  }

  function sampleBody(operation: Operation): unknown {
    return operation.requestBody === undefined ? undefined : sample(schemaOf(operation));
  }
});
