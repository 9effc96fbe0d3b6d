import { runToEnd } from "flags-engine";
import { describe, expect, it } from "vitest";
import { createState } from "../../test/_flag-updater.ts";
import type { Acceptance, FlagState, Origin } from "./flag-state.ts";

const accept = (state: FlagState, document: unknown, origin: Origin): Acceptance =>
  runToEnd(state.accept(document, origin));

const named = (...names: readonly string[]): { features: { name: string }[] } => ({
  features: names.map((name) => ({ name })),
});

const namesOf = (state: FlagState): string[] | undefined =>
  state.snapshot?.flags.map(({ name }) => name);

describe("FlagState", () => {
  it("accept() sets the snapshot, and the definitions as they were sent", () => {
    const state = createState();
    expect(state.snapshot).toBeUndefined();
    expect(accept(state, named("a"), "upstream")).toBe("changed");
    expect(namesOf(state)).toEqual(["a"]);
    expect(state.definitions).toEqual({ version: 2, features: [{ name: "a" }], segments: [] });
  });

  it("accept() keeps the snapshot if the content is equal", () => {
    const state = createState();
    accept(state, { version: 1, ...named("a"), meta: 1 }, "upstream");
    const { snapshot } = state;
    expect(accept(state, { meta: 2, ...named("a"), segments: [] }, "upstream")).toBe("unchanged");
    expect(state.snapshot).toBe(snapshot);
  });

  it.each([
    undefined,
    null,
    [],
    "x",
    {},
    { features: {} },
    { features: [null] },
    { features: [{}] },
  ])("accept() throws and keeps the current data if the document is %j", (bad) => {
    const state = createState();
    accept(state, named("a"), "upstream");
    expect(() => accept(state, bad, "upstream")).toThrow(Error);
    expect(namesOf(state)).toEqual(["a"]);
  });

  it("accept() throws if a document is nested extremely deeply", () => {
    const deep = JSON.parse(`${"[".repeat(1e5)}${"]".repeat(1e5)}`) as unknown;
    expect(() => accept(createState(), { features: [{ name: "a", deep }] }, "upstream")).toThrow(
      Error,
    );
  });

  it("accept() reuses the objects of unchanged flags", () => {
    const state = createState();
    accept(state, named("a", "b"), "upstream");
    const { definitions, snapshot } = state;
    accept(state, named("b", "c"), "upstream");
    expect(state.definitions?.features[0]).toBe(definitions?.features[1]);
    expect(state.snapshot?.flags[0]).toBe(snapshot?.flags[1]);
    expect(namesOf(state)).toEqual(["b", "c"]);
  });

  it("accept() ranks upstream above bootstrap above storage, in any order of arrival", () => {
    const state = createState();
    expect(accept(state, named("storage"), "store")).toBe("changed");
    expect(accept(state, named("bootstrap"), "bootstrap")).toBe("changed");
    expect(accept(state, named("storage"), "store")).toBe("outranked");
    expect(accept(state, named("upstream"), "upstream")).toBe("changed");
    expect(accept(state, named("bootstrap"), "bootstrap")).toBe("outranked");
    expect(namesOf(state)).toEqual(["upstream"]);
  });

  it("accept() ranks storage above a bootstrap that does not override", () => {
    const state = createState(false);
    accept(state, named("storage"), "store");
    expect(accept(state, named("bootstrap"), "bootstrap")).toBe("outranked");
    expect(namesOf(state)).toEqual(["storage"]);
  });
});
