import { expect, onTestFinished, test, vi } from "vitest";
import { UpstreamError } from "../transport/upstream-error.ts";
import { createSourceEmitter } from "./source-emitter.ts";

function recordWarnings(): { readonly warnings: readonly Error[] } {
  const warnings: Error[] = [];
  const record = (warning: Error): void => void warnings.push(warning);
  process.on("warning", record);
  onTestFinished(() => void process.off("warning", record));
  return { warnings };
}

test("errors and warnings that nobody listens to are warnings of the process", async () => {
  const { warnings } = recordWarnings();
  const emitter = createSourceEmitter();
  const error = new UpstreamError("The token is wrong", { code: "STATUS" });
  emitter.emit("error", error);
  emitter.emit("warn", "The upstream is slow");
  emitter.emit("failure", error);
  await vi.waitUntil(() => warnings.length > 1);
  expect(warnings.map(({ message }) => message)).toEqual([
    "The token is wrong",
    "The upstream is slow",
  ]);
});

test("those with a listener are not", async () => {
  const { warnings } = recordWarnings();
  const emitter = createSourceEmitter();
  const heard = vi.fn();
  emitter.on("error", heard);
  emitter.on("warn", heard);
  emitter.emit("error", new Error("The token is wrong"));
  emitter.emit("warn", "The upstream is slow");
  process.emitWarning("the last one");
  await vi.waitUntil(() => warnings.length > 0);
  expect(warnings.map(({ message }) => message)).toEqual(["the last one"]);
  expect(heard).toHaveBeenCalledTimes(2);
});
