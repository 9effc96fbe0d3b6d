import { beforeEach, describe, expect, it } from "vitest";
import { UpstreamError } from "../transport/upstream-error.ts";
import { FaultLog } from "./fault-log.ts";

const status = (code: number): UpstreamError =>
  new UpstreamError(`status ${code}`, { code: "STATUS", status: code });

let told: string[] = [];
let counted = 0;
let log: FaultLog;

beforeEach(() => {
  told = [];
  counted = 0;
  log = new FaultLog("Fetching", {
    error: (error) => told.push(`error: ${error.message}`),
    warn: (message) => told.push(`warn: ${message}`),
    failure: () => {
      counted += 1;
    },
  });
});

describe("FaultLog", () => {
  it("failed() tells each nature of fault once per outage and counts every one", () => {
    for (const code of [503, 503, 401, 503, 401]) log.failed(status(code));
    expect(told).toEqual([
      "warn: Fetching failed: status 503",
      "error: Fetching failed: status 401",
    ]);
    expect(counted).toBe(5);
    expect(log.failures).toBe(5);
  });

  it("succeeded() tells the end of an outage, after which faults are news again", () => {
    log.failed(status(503));
    log.succeeded();
    log.succeeded();
    log.failed(status(503));
    expect(told).toEqual([
      "warn: Fetching failed: status 503",
      "warn: Fetching works again, failed attempts: 1",
      "warn: Fetching failed: status 503",
    ]);
    expect(log.failures).toBe(1);
  });
});
