import { LOG_LEVELS } from "flags-server-kit/neutral";
import { resolveSettings } from "flags-server-kit";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../src/config/load-config.ts";
import { SETTINGS } from "../src/config/settings.ts";

describe("logLevel / LOG_LEVEL", () => {
  test.each([
    [{}, {}, "warn"],
    [{}, { LOG_LEVEL: "" }, "warn"],
    [{}, { LOG_LEVEL: "ERROR" }, "error"],
    [{ logLevel: "fatal" as const }, { LOG_LEVEL: "error" }, "fatal"],
  ])("option %j and environment %j result in the level %s", (options, environment, level) => {
    expect(resolveSettings(SETTINGS, { options, environment }).values.logLevel).toBe(level);
  });

  test.each(["verbose", "trace", "3", "warning"])("rejects %s", async (LOG_LEVEL) => {
    await expect(loadConfig({}, { LOG_LEVEL })).rejects.toThrow(
      /LOG_LEVEL must be one of debug, info, warn, error, fatal/,
    );
  });
});

describe("logger", () => {
  const required = {
    flagsUrl: "http://a.test",
    flagsApiToken: "upstream-token",
    clientKeys: "k-1",
  };

  test("the logger is used regardless of useJsonLogger and logLevel, and receives no secrets", async () => {
    const calls: unknown[][] = [];
    const record =
      (level: string) =>
      (...args: unknown[]): void =>
        void calls.push([level, ...args]);
    const logger = {
      debug: record("debug"),
      info: record("info"),
      warn: record("warn"),
      error: record("error"),
      fatal: record("fatal"),
    };
    const environment = { JSON_LOGGER: "true", LOG_LEVEL: "fatal" };
    const config = await loadConfig({ ...required, logger }, environment);
    calls.length = 0;
    for (const level of LOG_LEVELS) config.logger[level]("with upstream-token", { a: 1 });
    expect(calls).toEqual(LOG_LEVELS.map((level) => [level, "with [redacted]", { a: 1 }]));
  });

  test("the logger receives errors with their class and their fields", async () => {
    class Odd extends Error {
      override readonly name = "Odd";
      readonly token = "upstream-token";
    }
    const received: unknown[] = [];
    const error = (...args: unknown[]): void => void received.push(...args);
    const nothing = (): void => {};
    const logger = { debug: nothing, info: nothing, warn: nothing, error };
    const config = await loadConfig({ ...required, logger }, {});
    config.logger.error(new Odd("for upstream-token"));
    expect(received).toHaveLength(1);
    expect(received[0]).toBeInstanceOf(Odd);
    expect(received[0]).toMatchObject({ name: "Odd", message: "for [redacted]" });
    expect(Object.entries(received[0] as Odd)).toContainEqual(["token", "[redacted]"]);
  });

  test("a logger without the method fatal gets calls of error instead", async () => {
    class Own {
      readonly lines: unknown[] = [];
      debug(): void {}
      info(): void {}
      warn(): void {}
      error(message: unknown): void {
        this.lines.push(message);
      }
    }
    const logger = new Own();
    const config = await loadConfig({ ...required, logger }, {});
    config.logger.fatal("The end");
    expect(logger.lines).toEqual(["The end"]);
  });

  test("the logger can be the console", async () => {
    const lines: unknown[] = [];
    const warn = (line: unknown): void => void lines.push(line);
    const logger: typeof console = { ...console, debug() {}, warn };
    const config = await loadConfig({ ...required, logger }, {});
    config.logger.warn("A warning");
    expect(lines).toContain("A warning");
  });
});
