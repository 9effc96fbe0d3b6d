import { describe, expect, test } from "vitest";
import { getPromtool, tryTool } from "../_tools.ts";
import { writeTemporary } from "../prometheus/_promtool.ts";
import { DASHBOARDS, queriesOf, type Panel } from "./_dashboards.ts";

const { tool: promtool, isMissing } = await tryTool(getPromtool);

const FILES = [...DASHBOARDS];
const DATASOURCE = { type: "prometheus", uid: "${datasource}" };

test("there is a dashboard for each service", () => {
  expect([...DASHBOARDS.keys()]).toEqual(["flags-admin.json", "flags-proxy.json"]);
});

describe.each(FILES)("%s", (file, dashboard) => {
  const { panels, templating } = dashboard;

  test("the dashboard can be imported: it has a fixed uid, no id, and variables for source and filters", () => {
    expect(dashboard.uid).toBe(file.replace(".json", ""));
    expect(dashboard).not.toHaveProperty("id");
    expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(36);
    expect(templating.list.map(({ name }) => name)).toEqual(["datasource", "job", "instance"]);
    expect(templating.list[0]).toMatchObject({ type: "datasource", query: "prometheus" });
  });

  test("every panel uses the variables, and no id or title occurs twice", () => {
    const charts = panels.filter(({ type }) => type !== "row");
    for (const { title, datasource, targets = [] } of charts) {
      expect(datasource, title).toEqual(DATASOURCE);
      expect(targets.length, title).toBeGreaterThan(0);
      for (const target of targets) {
        expect(target.datasource).toEqual(DATASOURCE);
        expect(target.expr, title).toContain('{job=~"$job", instance=~"$instance"');
      }
    }
    const ids = panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("panels fit the grid and do not overlap", () => {
    for (const [index, { title, gridPos }] of panels.entries()) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
      const others = panels.slice(index + 1);
      expect(others.filter((other) => overlap(gridPos, other.gridPos))).toEqual([]);
    }
  });

  test.skipIf(isMissing)("promtool accepts every query", async () => {
    const queries = queriesOf(dashboard);
    const rules = queries.map((expr, index) => ({ record: `query:${index}`, expr }));
    const path = await writeTemporary("rules.yaml", { groups: [{ name: "queries", rules }] });
    expect(await promtool(["check", "rules", path])).toContain(`${queries.length} rules found`);
    process.stdout.write(`${file}: ${queries.length} queries are valid\n`);
  });
});

function overlap(one: Panel["gridPos"], other: Panel["gridPos"]): boolean {
  const isApart =
    one.x + one.w <= other.x ||
    other.x + other.w <= one.x ||
    one.y + one.h <= other.y ||
    other.y + other.h <= one.y;
  return !isApart;
}
