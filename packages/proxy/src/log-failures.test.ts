import { expect, test } from "vitest";
import { DocumentSource } from "../test/_source.ts";
import { MemoryLogger } from "../test/_proxy.ts";
import { logFailures } from "./log-failures.ts";

test("logFailures() says where the first flags are from", () => {
  const [source, logger] = [new DocumentSource(), new MemoryLogger()];
  const stop = logFailures(source, logger);
  source.emit("synchronized", "bootstrap");
  source.emit("synchronized", "upstream");
  stop();
  source.emit("synchronized", "upstream");
  expect(logger.lines.map(({ level, parts }) => [level, ...parts])).toEqual([
    ["info", "Started with the flags of the bootstrap, until the upstream answers"],
    ["info", "Synchronized with the upstream"],
  ]);
});
