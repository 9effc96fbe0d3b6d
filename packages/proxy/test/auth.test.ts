import { expect, test } from "vitest";
import { errorOf, KEY, OTHER_KEY, SERVER_TOKEN, shareProxies } from "./_proxy.ts";

const startShared = shareProxies();

const EVALUATION = ["GET /proxy", "POST /proxy", "GET /proxy/all", "POST /proxy/all"];
const USAGE = ["POST /proxy/client/metrics", "POST /proxy/client/register"];
const DEFINITIONS = ["features", "features/on", "delta", "streaming"].flatMap((path) => [
  `GET /proxy/client/${path}`,
  `GET /api/client/${path}`,
]);
const SERVER_USAGE = ["register", "metrics", "metrics/bulk"].map(
  (path) => `POST /api/client/${path}`,
);

const MISSING = /^A (client key|server token) is required: send it in the `authorization` header, /;
const INVALID =
  /^The key in the `authorization` header is not a valid (client key|server token): send /;

const KEYS: readonly (readonly [string, Record<string, string>, RegExp])[] = [
  ["no key", {}, MISSING],
  ["an empty key", { authorization: "" }, MISSING],
  ["a wrong key", { authorization: "wrong" }, INVALID],
  ["a key that is too long", { authorization: `${KEY}x` }, INVALID],
  ["a key in another case", { authorization: KEY.toUpperCase() }, INVALID],
  ["a bearer token", { authorization: `Bearer ${KEY}` }, INVALID],
  ["two keys", { authorization: `${KEY}, ${OTHER_KEY}` }, INVALID],
];

test.each([...EVALUATION, ...USAGE, ...DEFINITIONS, ...SERVER_USAGE])(
  "%s: 401 that says whether the key is missing or wrong, before the body is parsed",
  async (route) => {
    const [method = "", path = ""] = route.split(" ");
    const { url } = await startShared({ config: { enableAllEndpoint: true } });
    for (const [title, headers, message] of KEYS) {
      const response = await fetch(url + path, {
        method,
        headers: { "content-type": "application/json", ...headers },
        ...(method === "POST" && { body: "{not json" }),
      });
      expect(response.status, title).toBe(401);
      const { error } = await errorOf(response);
      expect(error, title).toMatch(message);
      if (headers["authorization"]) expect(error).not.toContain(headers["authorization"]);
    }
  },
);

test.each([KEY, OTHER_KEY])("clientKeys: each one is accepted (%s)", async (key) => {
  const { request } = await startShared();
  const response = await request("/proxy", { headers: { authorization: key } });
  expect(response.status).toBe(200);
});

test("clientKeysHeaderName: the key is read from that header and no other", async () => {
  const { url } = await startShared({ config: { clientKeysHeaderName: "X-Flags-Key" } });
  const send = (headers: Record<string, string>) => fetch(`${url}/proxy`, { headers });
  expect((await send({ "x-flags-key": KEY })).status).toBe(200);
  const refused = await send({ authorization: KEY });
  expect(refused.status).toBe(401);
  expect((await errorOf(refused)).error).toContain("`x-flags-key`");
});

test("client keys allow only evaluation and usage, server tokens only definitions and usage", async () => {
  const { request, post } = await startShared();
  const server = { authorization: SERVER_TOKEN };
  expect((await request("/proxy", { headers: server })).status).toBe(401);
  expect((await request("/proxy/client/features")).status).toBe(401);
  expect((await request("/proxy/client/features", { headers: server })).status).toBe(200);
  const usage = { appName: "a", bucket: { toggles: {} } };
  expect((await post("/proxy/client/metrics", usage, server)).status).toBe(200);
  expect((await post("/proxy/client/metrics", usage)).status).toBe(200);
});

test("/proxy/all when disabled: 401 for a wrong key", async () => {
  const { request } = await startShared();
  const response = await request("/proxy/all", { headers: { authorization: "wrong" } });
  expect(response.status).toBe(401);
});

test.each([
  "/proxy/health",
  "/proxy/internal-backstage/prometheus",
  "/docs/openapi.json",
  "/docs/openapi",
])("%s: requires no key", async (path) => {
  const { url } = await startShared({ config: { openApiEnabled: true } });
  expect((await fetch(url + path)).status).toBe(200);
});
