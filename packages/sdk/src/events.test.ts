import { describe, expect, it } from "vitest";
import { Emitter } from "./events.ts";

interface Events {
  error: (error: Error) => void;
  count: (name: string, enabled: boolean) => void;
}

const ignore = (): void => undefined;

describe("Emitter", () => {
  it("on() makes emit() call every listener with all parameters, in the order of registration", () => {
    const emitter = new Emitter<Events>(ignore);
    const seen: unknown[] = [];
    emitter.on("count", (name, enabled) => seen.push(["first", name, enabled]));
    emitter.on("count", (name) => seen.push(["second", name]));
    emitter.emit("count", "a", true);
    expect(seen).toEqual([
      ["first", "a", true],
      ["second", "a"],
    ]);
  });

  it("emit() does not throw for an error event without listeners", () => {
    expect(() => new Emitter<Events>(ignore).emit("error", new Error("x"))).not.toThrow();
  });

  it("emit() reports a listener that throws, and calls the next one", () => {
    const errors: unknown[] = [];
    const emitter = new Emitter<Events>((event, cause) => errors.push([event, cause]));
    const boom = new Error("boom");
    const seen: string[] = [];
    emitter.on("count", () => {
      throw boom;
    });
    emitter.on("count", (name) => seen.push(name));
    emitter.emit("count", "a", true);
    expect(seen).toEqual(["a"]);
    expect(errors).toEqual([["count", boom]]);
  });

  it("off() removes one registration, even while the event is being emitted", () => {
    const emitter = new Emitter<Events>(ignore);
    let calls = 0;
    const listener = (): void => {
      calls += 1;
      emitter.off("count", listener);
    };
    emitter.on("count", listener);
    emitter.on("count", listener);
    emitter.off("count", ignore);
    expect(emitter.has("count")).toBe(true);
    emitter.emit("count", "a", true);
    expect(calls).toBe(2);
    expect(emitter.has("count")).toBe(false);
  });
});
