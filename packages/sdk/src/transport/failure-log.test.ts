import { beforeEach, describe, expect, it } from "vitest";
import { FailureLog } from "./failure-log.ts";
import { UpstreamError } from "./upstream-error.ts";

const status = (code: number): UpstreamError =>
  new UpstreamError(`status ${code}`, { code: "STATUS", status: code });

let messages: string[] = [];
let failures = 0;
let log: FailureLog;

beforeEach(() => {
  messages = [];
  failures = 0;
  log = new FailureLog("Fetching", {
    error: (error) => messages.push(`error: ${error.message}`),
    warn: (message) => messages.push(`warn: ${message}`),
    failure: () => {
      failures += 1;
    },
  });
});

describe("FailureLog", () => {
  it("failed() logs each kind of failure once per outage, and counts every failure", () => {
    for (const code of [503, 503, 401, 503, 401]) log.failed(status(code));
    expect(messages).toEqual([
      "warn: Fetching failed: status 503",
      "error: Fetching failed: status 401",
    ]);
    expect(failures).toBe(5);
    expect(log.consecutiveFailures).toBe(5);
  });

  it("failed() does not count an unusable bootstrap file as a failed call", () => {
    log.failed(new UpstreamError("The file is missing", { code: "FILE" }));
    expect(messages).toEqual(["error: Fetching failed: The file is missing"]);
    expect(failures).toBe(0);
  });

  it("succeeded() logs the end of an outage; later failures are logged again", () => {
    log.failed(status(503));
    log.succeeded();
    log.succeeded();
    log.failed(status(503));
    expect(messages).toEqual([
      "warn: Fetching failed: status 503",
      "warn: Fetching works again after 1 failed attempt",
      "warn: Fetching failed: status 503",
    ]);
    expect(log.consecutiveFailures).toBe(1);
    log.failed(status(503));
    log.succeeded();
    expect(messages.at(-1)).toBe("warn: Fetching works again after 2 failed attempts");
  });
});
