import Fastify from "fastify";
import { expect, test } from "vitest";
import { registerOpenApi } from "../http/openapi.ts";
import type { Database } from "../storage/database.ts";
import { operation, requireRoles } from "./operation.ts";

const described = { id: "getThing", role: "viewer", tag: "Things", summary: "A thing" } as const;

test("a route of the admin API without a role is an error at the start", () => {
  const app = Fastify();
  requireRoles(app, { db: {} as Database });
  app.get("/described", operation(described), () => "");
  expect(() => app.get("/thing", { schema: {} }, () => "")).toThrow(
    "GET /thing has no role: describe it with operation()",
  );
});

test("a route without an operation id is an error at the start", async () => {
  const app = Fastify();
  await registerOpenApi(app);
  app.get("/described", operation(described), () => "");
  app.get("/hidden", { schema: { hide: true } }, () => "");
  expect(() => app.get("/thing", { schema: { summary: "A thing" } }, () => "")).toThrow(
    "GET /thing has no operationId",
  );
  await app.close();
});

test("an operation without a role, or with a misspelt member, does not compile", () => {
  const { role: _role, ...withoutRole } = described;
  // @ts-expect-error -- the role is missing
  expect(operation(withoutRole).config.role).toBeUndefined();
  // @ts-expect-error -- the member is called `alsoFailsWith`
  operation({ ...described, alsoFailWith: [404] });
});
