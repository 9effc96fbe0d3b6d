import Fastify from "fastify";
import { expect, onTestFinished, test, vi } from "vitest";
import { registerOpenApi } from "./openapi.ts";

test("registerOpenApi() serializes the document once", async () => {
  const app = Fastify();
  await registerOpenApi(app);
  const stringify = vi.spyOn(JSON, "stringify");
  onTestFinished(() => stringify.mockRestore());

  const first = await app.inject("/docs/openapi.json");
  const second = await app.inject("/docs/openapi.json");
  expect(first.json()).toMatchObject({ openapi: "3.1.0", info: { title: "Flags admin" } });
  expect(first.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(second.body).toBe(first.body);
  const documents = stringify.mock.calls.filter(([value]) => value === app.swagger());
  expect(documents).toHaveLength(1);
});
