import { describe, expect, test } from "vitest";
import { createLogger, type LoggerSettings } from "./create-logger.ts";
import { LOG_LEVELS, type Logger } from "./logger.ts";

interface TestLogger {
  readonly logger: Logger;
  readonly lines: string[];
}

function createTestLogger(settings: Partial<LoggerSettings> = {}): TestLogger {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const logger = createLogger({
    level: "debug",
    json: true,
    secrets: [],
    destination,
    ...settings,
  });
  return { logger, lines };
}

const parse = (line: string | undefined): Record<string, unknown> =>
  JSON.parse(line ?? "null") as Record<string, unknown>;

describe("createLogger() at level", () => {
  test.each(LOG_LEVELS)(
    "a logger at the level %s writes this level and more severe ones",
    (level) => {
      const { logger, lines } = createTestLogger({ level });
      for (const each of LOG_LEVELS) logger[each](`at ${each}`);
      const expected = LOG_LEVELS.slice(LOG_LEVELS.indexOf(level));
      expect(lines.map((line) => parse(line)["level"])).toEqual(expected);
    },
  );
});

describe("createLogger() with json", () => {
  test("with json, a logger writes one line of JSON per message", () => {
    const { logger, lines } = createTestLogger({ json: true });
    logger.warn("first\nsecond", { attempt: 2 }, new Error("broken"));
    expect(lines).toHaveLength(1);
    expect(lines[0]?.indexOf("\n")).toBe((lines[0]?.length ?? 0) - 1);
    expect(parse(lines[0])).toMatchObject({
      level: "warn",
      msg: "first\nsecond",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
      details: { attempt: 2 },
      error: { name: "Error", message: "broken" },
    });
  });

  test("without json, a logger writes readable lines, without colours if the output is not a terminal", () => {
    const { logger, lines } = createTestLogger({ json: false, level: "info" });
    logger.warn("Cannot reach the upstream", new Error("connection refused"));
    logger.info("Fine");
    expect(lines).toEqual([
      expect.stringMatching(/^\[.*Z\] WARN: Cannot reach the upstream: connection refused\n$/),
      expect.stringMatching(/^\[.*Z\] INFO: Fine\n$/),
    ]);
  });

  test.each([
    [true, /^\{"level":"warn",.*"process":"worker 2","msg":"Fine"\}\n$/],
    [false, /^\[.*Z\] WARN: worker 2: Fine\n$/],
  ])("a logger with json %s adds the name of the process, if there is one", (json, line) => {
    const { logger, lines } = createTestLogger({ json, process: "worker 2" });
    logger.warn("Fine");
    expect(lines).toEqual([expect.stringMatching(line)]);
  });

  test("a line break in a message does not forge another line", () => {
    const { logger, lines } = createTestLogger({ json: false });
    logger.warn("one\n[2026] FATAL: two\u001B[31m");
    expect(lines[0]).toContain("one\\u000a[2026] FATAL: two\\u001b[31m\n");
  });
});

describe("errors", () => {
  test.each(LOG_LEVELS)("errors have a stack at level %s only if the level is debug", (level) => {
    const { logger, lines } = createTestLogger({ level });
    logger.error("Failed", new Error("why", { cause: new Error("because") }));
    if (level === "fatal") return expect(lines).toEqual([]);
    const { error } = parse(lines[0]) as { error: Record<string, unknown> };
    expect(error).toMatchObject({ message: "why", cause: "because" });
    expect("stack" in error).toBe(level === "debug");
    return undefined;
  });

  test("errors inside an object and several errors are logged", () => {
    const { logger, lines } = createTestLogger({ level: "warn" });
    logger.warn("Failed", { attempt: 1, error: new Error("inside") });
    logger.warn("Failed", new Error("first"), new Error("second"));
    expect(lines.map(parse)).toMatchObject([
      { details: { attempt: 1, error: { message: "inside" } } },
      { error: { message: "first" }, details: { message: "second" } },
    ]);
  });

  test.each([
    ["Fetching failed: 401", "401", "Fetching failed: 401"],
    ["Fetching failed", "401", "Fetching failed (401)"],
    ["401", "401", "401"],
    ["", "", "Error"],
  ])(
    "errors without a message are logged with their message %j and cause %j once: %s",
    (message, cause, expected) => {
      const lines = [true, false].map((json) => {
        const { logger, lines: written } = createTestLogger({ json, level: "warn" });
        logger.error(new Error(message, { cause: new Error(cause) }));
        return written[0];
      });
      expect(lines[1]).toMatch(/Z\] ERROR: (.*)\n$/);
      expect(lines[1]?.split("ERROR: ")[1]).toBe(`${expected}\n`);
      const { msg, error } = parse(lines[0]) as { msg: string; error: { cause?: string } };
      expect(msg).toBe(message === "" ? "Error" : message);
      expect(error.cause).toBe(message.includes(cause) ? undefined : cause);
    },
  );

  test("errors with a message are logged with message, error and cause once", () => {
    const { logger, lines } = createTestLogger({ json: false, level: "warn" });
    logger.error("Failed", new Error("why", { cause: new Error("why") }));
    logger.error("Failed", new TypeError("why", { cause: new Error("because") }));
    logger.error("Failed: why", new Error("why"));
    logger.error("Failed", new Error(""));
    expect(lines.map((line) => line.split("ERROR: ")[1])).toEqual([
      "Failed: why\n",
      "Failed: why (because)\n",
      "Failed: why\n",
      "Failed: Error\n",
    ]);
  });

  test("errors cannot forge a line of a stack", () => {
    const { logger, lines } = createTestLogger({ json: false, level: "debug" });
    logger.error(new Error("sent by a client\n[2026-01-01] INFO: forged \u001b[2J"));
    const [first = "", ...frames] = (lines[0] ?? "").trimEnd().split("\n");
    expect(first).toContain("sent by a client\\u000a[2026-01-01] INFO: forged \\u001b[2J");
    expect(frames.length).toBeGreaterThan(0);
    for (const frame of frames) expect(frame).toMatch(/^ {4}at /);
  });

  test("fatal errors have a stack", () => {
    const { logger, lines } = createTestLogger({ level: "warn" });
    logger.fatal(new TypeError("the end"));
    expect(parse(lines[0])).toMatchObject({
      error: {
        name: "TypeError",
        stack: expect.stringContaining("create-logger.test.ts") as string,
      },
    });
  });
});

describe("secrets", () => {
  const secrets = ["upstream-token", "upstream-token-longer", "a/b+c=d", "key"];

  test.each([true, false])("secrets appear in no line, with json %s", (json) => {
    const { logger, lines } = createTestLogger({ json, secrets });
    logger.warn("sent upstream-token-longer, and upstream-token", "key", {
      url: "http://a.test/?token=a%2Fb%2Bc%3Dd",
      list: [{ deep: "a/b+c=d" }],
      "upstream-token": 1,
    });
    const failure = Object.assign(
      new Error("401 for upstream-token", { cause: new Error("key") }),
      {
        request: "upstream-token",
      },
    );
    logger.error(failure);
    logger.debug({ error: failure });
    const text = lines.join("");
    expect(text).not.toMatch(/upstream-token|-longer|a\/b|a%2F|"key"|\bkey\b/);
    expect(text).toContain("[redacted]");
  });

  test("short secrets match only whole words, so that messages stay readable", () => {
    const { logger, lines } = createTestLogger({ secrets });
    logger.warn("monkey keyboard key.");
    expect(parse(lines[0])["msg"]).toBe("monkey keyboard [redacted].");
  });

  test("secrets in headers are hidden even if they are not configured", () => {
    const { logger, lines } = createTestLogger();
    logger.warn("Headers", { Authorization: "Bearer unknown", cookie: "a=b", accept: "*/*" });
    expect(parse(lines[0])["details"]).toEqual({
      Authorization: "[redacted]",
      cookie: "[redacted]",
      accept: "*/*",
    });
  });

  test("secrets are removed from an object that refers to itself", () => {
    const { logger, lines } = createTestLogger();
    const loop: Record<string, unknown> = { at: new Date(0), cookie: "a=b" };
    loop["self"] = loop;
    logger.warn("Loop", loop);
    expect(parse(lines[0])["details"]).toEqual({
      at: "1970-01-01T00:00:00.000Z",
      cookie: "[redacted]",
      self: "[see above]",
    });
  });
});
