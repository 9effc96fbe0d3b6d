import { compileSnapshot, complete, parseDocument } from "flags-engine";
import type { Snapshot } from "flags-engine";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Dialect } from "./dialect.ts";
import { PieceStore } from "./pieces/piece-store.ts";
import { createRenderer } from "./rendering.ts";
import type { Renderer } from "./rendering.ts";
import { selectEnabled } from "./select.ts";

function compile(names: readonly string[], former?: Snapshot): Snapshot {
  const features = names.map((name) => ({ name, enabled: true, strategies: [] }));
  const options = { now: () => 0, random: () => 0, former };
  return compileSnapshot(parseDocument({ features }), options);
}

function createDialect() {
  const written: string[] = [];
  const dialect: Dialect = {
    prefix: "[",
    suffix: "]",
    writeFlag: ({ name }, { enabled }) => {
      written.push(enabled ? name : `${name} off`);
      return JSON.stringify(name);
    },
    writeUnknownFlag: (name) => JSON.stringify(name),
  };
  return { dialect, written };
}

function bodyOf(snapshot: Snapshot, { render }: Renderer): string {
  return selectEnabled(render(snapshot), snapshot.evaluateAll({}).outcomes).body().toString();
}

describe("createRenderer()", () => {
  it("render() writes again only the flags that a change makes different", () => {
    const { dialect, written } = createDialect();
    const renderer = createRenderer(dialect);

    const before = compile(["a", "b", "c"]);
    expect(bodyOf(before, renderer)).toBe('["a","b","c"]');
    expect(written.splice(0)).toEqual(["a", "b", "c"]);

    const after = compile(["new", "c", "a"], before);
    expect(bodyOf(after, renderer)).toBe('["new","c","a"]');
    expect(written).toEqual(["new"]);
  });

  it("renderAhead() leaves nothing to write, once there was a request", () => {
    const { dialect, written } = createDialect();
    const renderer = createRenderer(dialect);
    const before = compile(["a", "b"]);
    bodyOf(before, renderer);
    written.splice(0);

    const after = compile(["new", "c", "a"], before);
    complete(renderer.renderAhead(after, before));
    expect(written.splice(0)).toContain("new");
    expect(bodyOf(after, renderer)).toBe('["new","c","a"]');
    expect(written).toEqual([]);
  });

  it("renderAhead() writes of a flag what was needed of it before, and all of one that is new", () => {
    const { dialect, written } = createDialect();
    const renderer = createRenderer(dialect);
    const before = compile(["a"]);
    bodyOf(before, renderer);
    written.splice(0);

    complete(renderer.renderAhead(compile(["a", "new"]), before));
    expect(written.toSorted()).toEqual(["a", "new", "new off"]);
  });

  it("renderAhead() pauses after each flag", () => {
    const { dialect, written } = createDialect();
    const renderer = createRenderer(dialect);
    const before = compile(["a"]);
    bodyOf(before, renderer);
    written.splice(0);

    const steps = renderer.renderAhead(compile(["b", "c"]), before);
    steps.next();
    expect(new Set(written)).toEqual(new Set(["b", "b off"]));
  });

  it("renderAhead() makes the tables that were needed before, and no others", () => {
    const take = vi.spyOn(PieceStore.prototype, "take");
    onTestFinished(() => take.mockRestore());
    const { render, renderAhead } = createRenderer(createDialect().dialect);
    const before = compile(["a"]);
    bodyOf(before, { render, renderAhead });
    const after = compile(["b"]);
    complete(renderAhead(after, before));

    take.mockClear();
    void render(after).enabled;
    expect(take).not.toHaveBeenCalled();
    void render(after).all;
    expect(take).toHaveBeenCalled();
  });

  it("renderAhead() does nothing for a dialect that nobody speaks", () => {
    const { dialect, written } = createDialect();
    const renderer = createRenderer(dialect);
    complete(renderer.renderAhead(compile(["a"]), undefined));
    complete(renderer.renderAhead(compile(["b"]), compile(["a"])));
    expect(written).toEqual([]);
  });
});
