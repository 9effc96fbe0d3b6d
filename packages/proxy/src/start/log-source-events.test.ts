import { expect, test } from "vitest";
import { MemoryLogger } from "../../test/_proxy.ts";
import { DocumentSource } from "../../test/_source.ts";
import { logSourceEvents } from "./log-source-events.ts";
import { toSource } from "../sources/sources.ts";

test("logSourceEvents() logs the origin of the first flags until it is stopped", () => {
  const [source, logger] = [new DocumentSource(), new MemoryLogger()];
  const stop = logSourceEvents([toSource(source)], logger);
  source.emit("synchronized", "bootstrap");
  source.emit("synchronized", "upstream");
  stop();
  source.emit("synchronized", "upstream");
  expect(logger.lines.map(({ level, parts }) => [level, ...parts])).toEqual([
    ["info", "Started with the flags of the bootstrap, until the upstream responds"],
    ["info", "Synchronized with the upstream"],
  ]);
});
