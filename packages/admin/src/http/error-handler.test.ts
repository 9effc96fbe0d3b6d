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
    throw new DrizzleQueryError("select $1", ["of-a-user"], new Error("Deadlock detected"));
  });

  const { statusCode, body } = await app.inject("/");
  expect(statusCode).toBe(500);
  expect(body).not.toContain("select");
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("Failed query: select $1");
  expect(lines[0]).toContain("Deadlock detected");
  expect(lines[0]).not.toContain("of-a-user");
});

test("handleErrors() logs an outage of the database once a minute, without statements", async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const logger = createLogger({ level: "debug", json: true, secrets: [], destination });
  const app = Fastify();
  let now = 0;
  handleErrors(app, { logger, observe: () => undefined, now: () => now });
  app.all("/", () => {
    throw new DrizzleQueryError("select $1", [], new Error("Connection terminated"));
  });
  for (const method of ["GET", "HEAD", "POST"] as const) {
    expect((await app.inject({ method, path: "/" })).statusCode).toBe(503);
  }
  now += 60_000;
  await app.inject("/");
  expect(lines).toEqual([
    expect.stringMatching(
      /The database is unavailable \(1 request failed .*\): Connection terminated/,
    ),
    expect.stringMatching(
      /The database is unavailable \(3 requests failed .*\): Connection terminated/,
    ),
  ]);
  expect(lines.join("")).not.toContain("select");
});

test.each([
  ["GET", "The database is unavailable"],
  ["POST", "The database is unavailable. A change in this request may or may not have been stored"],
] as const)("handleErrors() says what %s means during an outage", async (method, message) => {
  const app = Fastify();
  const logger = createLogger({ level: "fatal", json: true, secrets: [] });
  handleErrors(app, { logger, observe: () => undefined });
  app.all("/", () => {
    throw new Error("Connection terminated");
  });
  const response = await app.inject({ method, path: "/" });
  expect(response.headers["retry-after"]).toBe("1");
  const body = response.json<{ message: string }>();
  expect(body.message.startsWith(message)).toBe(true);
  expect(body.message.includes("change")).toBe(method === "POST");
});
