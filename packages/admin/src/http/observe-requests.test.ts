import Fastify from "fastify";
import { createRegistry, createRequestMetrics } from "flags-server-kit/http";
import { expect, test } from "vitest";
import { observeRequests } from "./observe-requests.ts";

test("observeRequests() counts by route, with one label for all unknown paths", async () => {
  const registry = createRegistry("shop", "the shop");
  const app = Fastify();
  observeRequests(app, createRequestMetrics(registry, "shop").observe);
  app.get("/things/:id", () => "a thing");
  for (const url of ["/things/1", "/things/2", "/made/up"]) await app.inject(url);

  const text = await registry.metrics();
  expect(text).toContain("shop_up 1");
  expect(text).toContain(
    'shop_http_requests_total{method="GET",route="/things/:id",status="200"} 2',
  );
  expect(text).toContain('shop_http_requests_total{method="GET",route="none",status="404"} 1');
  expect(text).toContain(
    'shop_http_request_duration_seconds_count{method="GET",route="/things/:id",status="200"} 2',
  );
});
