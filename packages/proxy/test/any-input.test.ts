import fc from "fast-check";
import { expect, test } from "vitest";
import { fuzzRuns } from "../../../scripts/test-size.ts";
import { buildApp } from "../src/start/app.ts";
import { toSource } from "../src/sources/sources.ts";
import { SAMPLE } from "./_documents.ts";
import { KEY, MemoryLogger, proxyConfig, SERVER_TOKEN } from "./_proxy.ts";
import { DocumentSource } from "./_source.ts";

const NAMES = ["context", "toggles", "properties", "userId", "currentTime", "__proto__", "bucket"];
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string()), tie("value"), { maxKeys: 4 }),
  ),
})).value;

const bodies = fc.oneof(
  json,
  fc.record({ context: json, toggles: json }, { requiredKeys: ["context"] }),
  fc.record({ metrics: fc.array(fc.record({ featureName: json, appName: json, yes: json })) }),
  fc.record({ appName: fc.string(), bucket: fc.record({ toggles: json }) }),
);

test.each([
  "/proxy",
  "/proxy/all",
  "/proxy/client/metrics",
  "/proxy/client/register",
  "/api/frontend",
  "/api/frontend/features/on",
  "/ofrep/v1/evaluate/flags",
  "/ofrep/v1/evaluate/flags/on",
])("POST %s: the response to any JSON is a 200 or 400, and nothing is logged", async (url) => {
  const logger = new MemoryLogger();
  const source = new DocumentSource(SAMPLE);
  const app = await buildApp(proxyConfig({ logger, enableAllEndpoint: true }), [toSource(source)]);
  const headers = { authorization: KEY, "content-type": "application/json" };
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const payload = JSON.stringify(body);
      const request = new Request(`http://proxy${url}`, { method: "POST", headers, body: payload });
      const { status: statusCode } = await app.fetch(request);
      expect([200, 400]).toContain(statusCode);
    }),
    { numRuns: fuzzRuns(50, 300) },
  );
  expect(logger.lines).toEqual([]);
  await app.main.close();
});

test.each(["register", "metrics", "metrics/bulk"])(
  "POST /api/client/%s: the response to any JSON is a 202 or 400, and nothing is logged",
  async (path) => {
    const logger = new MemoryLogger();
    const app = await buildApp(proxyConfig({ logger }), [toSource(new DocumentSource(SAMPLE))]);
    const headers = { authorization: SERVER_TOKEN, "content-type": "application/json" };
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const payload = JSON.stringify(body);
        const url = `/api/client/${path}`;
        const request = new Request(`http://proxy${url}`, {
          method: "POST",
          headers,
          body: payload,
        });
        const { status: statusCode } = await app.fetch(request);
        expect([202, 400]).toContain(statusCode);
      }),
      { numRuns: fuzzRuns(50, 300) },
    );
    expect(logger.lines).toEqual([]);
    await app.main.close();
  },
);

test("GET /proxy: the response to any query is a 200 or 400", async () => {
  const app = await buildApp(proxyConfig(), [toSource(new DocumentSource(SAMPLE))]);
  const part = fc.oneof(
    fc.constantFrom(...NAMES, "properties[", "]", "=", "&", "%", "+", "%41", "%e9", "[]"),
    fc.string({ unit: fc.constantFrom(..."ab[]=&%+;/\\".split("")) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part), async (parts) => {
      const request = new Request(`http://proxy/proxy?${parts.join("")}`, {
        headers: { authorization: KEY },
      });
      const { status: statusCode } = await app.fetch(request);
      expect([200, 400]).toContain(statusCode);
    }),
    { numRuns: fuzzRuns(50, 300) },
  );
  await app.main.close();
});
