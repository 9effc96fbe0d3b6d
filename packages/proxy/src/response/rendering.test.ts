import { compileSnapshot, complete, parseDocument } from "flags-engine";
import type { Snapshot } from "flags-engine";
import { describe, expect, it } from "vitest";
import type { Protocol } from "./protocol.ts";
import { createRenderer } from "./rendering.ts";
import type { Renderer } from "./rendering.ts";
import { evaluateFlags } from "./evaluate-flags.ts";

function compile(names: readonly string[], previous?: Snapshot): Snapshot {
  const features = names.map((name) => ({ name, enabled: true, strategies: [] }));
  const options = { now: () => 0, random: () => 0, previous };
  return compileSnapshot(parseDocument({ features }), options);
}

function createProtocol() {
  const written: string[] = [];
  const protocol: Protocol = {
    prefix: "[",
    suffix: "]",
    writeFlag: ({ name }, { enabled }) => {
      written.push(enabled ? name : `${name} off`);
      return JSON.stringify(name);
    },
    writeUnknownFlag: (name) => JSON.stringify(name),
  };
  return { protocol, written };
}

function bodyOf(snapshot: Snapshot, { render }: Renderer): string {
  return evaluateFlags({ render }, snapshot, {}, {}).body.toBuffer().toString();
}

describe("createRenderer()", () => {
  it("render() writes only the flags again that a change affects", () => {
    const { protocol, written } = createProtocol();
    const renderer = createRenderer(protocol);

    const before = compile(["a", "b", "c"]);
    expect(bodyOf(before, renderer)).toBe('["a","b","c"]');
    expect(written.splice(0)).toEqual(["a", "b", "c"]);

    const after = compile(["new", "c", "a"], before);
    expect(bodyOf(after, renderer)).toBe('["new","c","a"]');
    expect(written).toEqual(["new"]);
  });

  it("renderAhead() leaves nothing to write for the first request after a change", () => {
    const { protocol, written } = createProtocol();
    const renderer = createRenderer(protocol);
    const before = compile(["a", "b"]);
    bodyOf(before, renderer);
    written.splice(0);

    const after = compile(["new", "c", "a"], before);
    complete(renderer.renderAhead(after, before));
    expect(written.splice(0)).toContain("new");
    expect(bodyOf(after, renderer)).toBe('["new","c","a"]');
    expect(written).toEqual([]);
  });

  it("renderAhead() writes only the outcomes that the previous lists needed", () => {
    const { protocol, written } = createProtocol();
    const renderer = createRenderer(protocol);
    const before = compile(["a"]);
    bodyOf(before, renderer);
    written.splice(0);

    const after = compile(["a", "new"]);
    complete(renderer.renderAhead(after, before));
    expect(written.splice(0).toSorted()).toEqual(["a", "new"]);
    evaluateFlags(renderer, after, {}, { all: true });
    complete(renderer.renderAhead(compile(["b"]), after));
    expect(written.splice(0).toSorted()).toEqual(["b"]);
  });

  it("renderAhead() pauses after each flag", () => {
    const { protocol, written } = createProtocol();
    const renderer = createRenderer(protocol);
    const before = compile(["a"]);
    bodyOf(before, renderer);
    written.splice(0);

    const steps = renderer.renderAhead(compile(["b", "c"]), before);
    steps.next();
    expect(written).toEqual(["b"]);
  });

  it("renderAhead() does nothing for a protocol that has not been used", () => {
    const { protocol, written } = createProtocol();
    const renderer = createRenderer(protocol);
    complete(renderer.renderAhead(compile(["a"]), undefined));
    complete(renderer.renderAhead(compile(["b"]), compile(["a"])));
    expect(written).toEqual([]);
  });
});
