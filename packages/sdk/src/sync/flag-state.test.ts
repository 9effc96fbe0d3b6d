import { compileInSteps, complete } from "flags-engine";
import { describe, expect, it } from "vitest";
import { FlagState } from "./flag-state.ts";
import type { Acceptance, Origin } from "./flag-state.ts";

const create = (bootstrapOverrides = true): FlagState =>
  new FlagState({
    bootstrapOverrides,
    compile: ({ document, revision }, former) =>
      compileInSteps(document, { revision, previous: former, now: Date.now, random: Math.random }),
  });

const accept = (state: FlagState, document: unknown, origin: Origin): Acceptance =>
  complete(state.accept(document, origin));

const named = (...names: readonly string[]): { features: { name: string }[] } => ({
  features: names.map((name) => ({ name })),
});

const namesOf = (state: FlagState): string[] | undefined =>
  state.snapshot?.flags.map(({ name }) => name);

describe("FlagState", () => {
  it("accept() puts a document in force, with the definitions as they were sent", () => {
    const state = create();
    expect(state.snapshot).toBeUndefined();
    expect(accept(state, named("a"), "upstream")).toBe("changed");
    expect(namesOf(state)).toEqual(["a"]);
    expect(state.definitions).toEqual({ version: 2, features: [{ name: "a" }], segments: [] });
  });

  it("accept() keeps the snapshot when the content is the same", () => {
    const state = create();
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
  ])("accept() throws and keeps what is in force when the document is %j", (bad) => {
    const state = create();
    accept(state, named("a"), "upstream");
    expect(() => accept(state, bad, "upstream")).toThrow(Error);
    expect(namesOf(state)).toEqual(["a"]);
  });

  it("accept() throws when a document is nested beyond all bounds", () => {
    const deep = JSON.parse(`${"[".repeat(1e5)}${"]".repeat(1e5)}`) as unknown;
    expect(() => accept(create(), { features: [{ name: "a", deep }] }, "upstream")).toThrow(Error);
  });

  it("accept() keeps the objects of what a document leaves as it was", () => {
    const state = create();
    accept(state, named("a", "b"), "upstream");
    const { definitions, snapshot } = state;
    accept(state, named("b", "c"), "upstream");
    expect(state.definitions?.features[0]).toBe(definitions?.features[1]);
    expect(state.snapshot?.flags[0]).toBe(snapshot?.flags[1]);
    expect(namesOf(state)).toEqual(["b", "c"]);
  });

  it("accept() prefers upstream to bootstrap to storage, in whatever order they come", () => {
    const state = create();
    expect(accept(state, named("storage"), "storage")).toBe("changed");
    expect(accept(state, named("bootstrap"), "bootstrap")).toBe("changed");
    expect(accept(state, named("storage"), "storage")).toBe("outranked");
    expect(accept(state, named("upstream"), "upstream")).toBe("changed");
    expect(accept(state, named("bootstrap"), "bootstrap")).toBe("outranked");
    expect(namesOf(state)).toEqual(["upstream"]);
  });

  it("accept() prefers storage to a bootstrap that does not override", () => {
    const state = create(false);
    accept(state, named("storage"), "storage");
    expect(accept(state, named("bootstrap"), "bootstrap")).toBe("outranked");
    expect(namesOf(state)).toEqual(["storage"]);
  });
});
