import { DrizzleQueryError } from "drizzle-orm/errors";
import Fastify from "fastify";
import { expect, test } from "vitest";
import { createLogger } from "flags-server-kit";
import { handleErrors } from "./error-handler.ts";

test("handleErrors() logs why a statement failed without its values", async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const logger = createLogger({ level: "debug", json: true, secrets: [], destination });
  const app = Fastify();
  handleErrors(app, { logger, observe: () => undefined });
  app.get("/", () => {
    throw new DrizzleQueryError("select $1", ["of-a-user"], new Error("Connection terminated"));
  });

  const { statusCode, body } = await app.inject("/");
  expect(statusCode).toBe(503);
  expect(body).not.toContain("select");
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("Failed query: select $1");
  expect(lines[0]).toContain("Connection terminated");
  expect(lines[0]).not.toContain("of-a-user");
});
