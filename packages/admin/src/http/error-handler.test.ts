import { request } from "node:http";
import { DrizzleQueryError } from "drizzle-orm/errors";
import Fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { createLogger } from "flags-server-kit";
import { UnknownOutcomeError } from "../storage/errors.ts";
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

test.each([
  ["an outage of the database", "is unavailable", new Error("Connection terminated")],
  [
    "a full disk of the database",
    "has no disk space for changes",
    Object.assign(new Error("Cannot extend a file"), { code: "53100" }),
  ],
])("handleErrors() logs %s once a minute, without statements", async (_name, problem, cause) => {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const logger = createLogger({ level: "debug", json: true, secrets: [], destination });
  const app = Fastify();
  let now = 0;
  handleErrors(app, { logger, observe: () => undefined, now: () => now });
  app.all("/", () => {
    throw new DrizzleQueryError("select $1", [], cause);
  });
  for (const method of ["GET", "HEAD", "POST"] as const) {
    expect((await app.inject({ method, path: "/" })).statusCode).toBe(503);
  }
  now += 60_000;
  await app.inject("/");
  const lineFor = (count: string) =>
    expect.stringContaining(
      `The database ${problem} (${count} failed since this was last logged): ${cause.message}`,
    ) as string;
  expect(lines).toEqual([lineFor("1 request"), lineFor("3 requests")]);
  expect(lines.join("")).not.toContain("select");
});

test.each([
  ["before it is stored", new Error("Connection terminated"), false],
  ["while it is stored", new UnknownOutcomeError(new Error("Connection terminated")), true],
] as const)(
  "handleErrors() says what happened to a change that fails %s",
  async (_, error, isUnknown) => {
    const app = Fastify();
    const logger = createLogger({ level: "fatal", json: true, secrets: [] });
    handleErrors(app, { logger, observe: () => undefined });
    app.post("/", () => {
      throw error;
    });
    const response = await app.inject({ method: "POST", path: "/" });
    expect(response.statusCode).toBe(503);
    expect(response.headers["retry-after"]).toBe("1");
    const { message } = response.json<{ message: string }>();
    const unknown =
      ". The change in this request may or may not have been stored: check before you repeat it";
    expect(message).toBe(`The database is unavailable${isUnknown ? unknown : ""}`);
  },
);

test("handleErrors() does not mistake a body that ends too early for a database outage", async () => {
  const lines: string[] = [];
  const errors: unknown[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const logger = createLogger({ level: "debug", json: true, secrets: [], destination });
  const app = Fastify();
  onTestFinished(() => app.close());
  handleErrors(app, { logger, observe: (error) => void errors.push(error) });
  const status = new Promise<number>((resolve) => {
    app.addHook("onSend", async (_request, reply) => resolve(reply.statusCode));
  });
  const arrived = new Promise<void>((resolve) => {
    app.addHook("preParsing", async () => resolve());
  });
  app.post("/", () => "");
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const sent = request(url, {
    method: "POST",
    headers: { "content-type": "application/json", "content-length": 1000 },
  });
  sent.on("error", () => {});
  sent.write("[");
  await arrived;
  sent.destroy();
  expect(await status).toBe(400);
  expect([lines, errors]).toEqual([[], []]);
});
