import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { Pipeline } from "./pipeline.ts";

test("lastSentMs is when any response was sent, including the first one, which was not pipelined", () => {
  const [first, second] = [1, 2].map(() => new ServerResponse(new IncomingMessage(new Socket())));
  if (first === undefined || second === undefined) throw new Error("unreachable");
  const pipeline = new Pipeline();
  pipeline.add(first, second);
  pipeline.add(second);
  expect(pipeline.lastSentMs).toBe(0);
  first.emit("close");
  const firstMs = pipeline.lastSentMs;
  expect(firstMs).toBeGreaterThan(0);
  second.emit("close");
  expect(pipeline.lastSentMs).toBeGreaterThan(firstMs);
});
