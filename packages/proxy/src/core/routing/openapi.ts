import { completeOperations, nameSchemas } from "flags-server-kit/neutral";
import type { TSchema } from "typebox";
import type { ProxyConfig } from "../../config/config.ts";
import type { Route } from "./route.ts";

export type SecuritySchemes = Readonly<Record<string, object>>;

type DescribedSchema = TSchema & {
  readonly description?: string;
  readonly "x-response-description"?: string;
  readonly properties?: Readonly<Record<string, DescribedSchema>>;
  readonly required?: readonly string[];
  readonly content?: object;
  readonly type?: unknown;
};

interface DocumentOptions extends Pick<ProxyConfig, "basePath" | "clientKeysHeaderName"> {
  readonly version: string;
  readonly securitySchemes: SecuritySchemes;
}

/** Describes routes as OpenAPI 3.1. Their schemas are JSON Schema already. */
export function describeRoutes(
  routes: readonly Route[],
  { basePath, clientKeysHeaderName: name, version, securitySchemes }: DocumentOptions,
): object {
  const key = (description: string) => ({ type: "apiKey", in: "header", name, description });
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    if (route.isHidden === true) continue;
    const path = (basePath + route.path).replaceAll(/:(\w+)/g, "{$1}");
    (paths[path] ??= {})[route.method.toLowerCase()] = describeRoute(route);
  }
  const document = {
    openapi: "3.1.0",
    info: {
      title: "Flags proxy",
      version,
      description: "Evaluates feature flags for client applications",
    },
    components: {
      securitySchemes: {
        clientKey: key("One of the client keys"),
        serverToken: key("One of the tokens for server SDKs"),
        ...securitySchemes,
      },
    },
    paths,
  };
  return completeOperations(nameSchemas(document), basePath);
}

function describeRoute(route: Route): object {
  const { summary, description, tags, security, params, query, body, responses } = route;
  const parameters = [...describeParameters("query", query), ...describeParameters("path", params)];
  return {
    summary,
    ...(description !== undefined && { description }),
    tags,
    ...(body && { requestBody: describeBody(body) }),
    ...(parameters.length > 0 && { parameters }),
    ...(security && { security }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, describeResponse(response)]),
    ),
  };
}

function describeBody({ schema, isOptional = false }: NonNullable<Route["body"]>): object {
  const { description } = schema as DescribedSchema;
  return {
    required: !isOptional,
    content: { "application/json": { schema } },
    ...(description !== undefined && { description }),
  };
}

function describeParameters(place: "path" | "query", schema: TSchema | undefined): object[] {
  const { properties = {}, required = [] } = (schema ?? {}) as DescribedSchema;
  return Object.entries(properties).map(([name, { description, ...parameter }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema: parameter,
  }));
}

function describeResponse(response: object): object {
  const {
    content,
    description = "",
    "x-response-description": ofResponse,
    ...schema
  } = response as DescribedSchema;
  if (content !== undefined) return { description, content };
  if (schema.type === "null") return { description };
  return {
    description: ofResponse ?? (description === "" ? "The result" : description),
    content: {
      "application/json": {
        schema:
          ofResponse === undefined
            ? response
            : { ...schema, ...(description !== "" && { description }) },
      },
    },
  };
}
