import { collectDefaultMetrics, Registry } from "prom-client";
import { expect, test } from "vitest";
import { createRegistry, createRequestMetrics, MetricSet } from "./metrics.ts";

test("every registry of a process contains the same default metrics of prom-client", async () => {
  const [one, other, theirs] = [
    createRegistry("shop", "the shop"),
    createRegistry("bank", "the bank"),
    new Registry(),
  ];
  collectDefaultMetrics({ register: theirs });
  for (const { name } of theirs.getMetricsAsArray()) {
    expect(one.getSingleMetric(name), name).toBeDefined();
    expect(one.getSingleMetric(name)).toBe(other.getSingleMetric(name));
  }
  const text = await one.metrics();
  expect(text).toMatch(/^process_resident_memory_bytes [1-9]/m);
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  expect(text).toContain("# TYPE nodejs_gc_duration_seconds histogram");
  expect(text).not.toContain("bank_up");
});

test("requests are counted once, however often metrics are scraped", async () => {
  const registry = createRegistry("shop", "the shop");
  const { observe } = createRequestMetrics(registry, "shop");
  observe({ method: "GET", route: "/a", status: 200, seconds: 1 });
  observe({ method: "GET", route: "/a", status: 200, seconds: 0.001 });
  const text = await registry.getSingleMetricAsString("shop_http_requests_total");
  expect(text).toContain('{method="GET",route="/a",status="200"} 2');
  expect(await registry.getSingleMetricAsString("shop_http_requests_total")).toBe(text);
});

test("gauge() reads the value at each collection, and exports nothing if there is no value", async () => {
  const registry = new Registry();
  let value: number | undefined = 1;
  new MetricSet(registry, "my").gauge("height", "Height", [], async () => value);
  expect(await registry.metrics()).toContain("\nmy_height 1\n");
  value = undefined;
  expect(await registry.metrics()).not.toMatch(/^my_height/m);
});

test.each(["gauge", "readCounter"])(
  "%s() exports exactly the values that are read at each collection",
  async (kind) => {
    const registry = new Registry();
    const metrics = new MetricSet(registry);
    let names = ["a", "b"];
    const read = () => names.map((name) => ({ labels: { name }, value: 2 }));
    if (kind === "gauge") metrics.gauge("sales_total", "Sales", ["name"], read);
    else metrics.readCounter("sales_total", "Sales", ["name"], read);
    const expected = 'sales_total{name="a"} 2\nsales_total{name="b"} 2\n';
    expect(await registry.metrics()).toContain(expected);
    names = ["b"];
    expect(await registry.metrics()).toMatch(/\nsales_total\{name="b"\} 2\n$/);
    expect(await registry.metrics()).not.toContain('name="a"');
  },
);
