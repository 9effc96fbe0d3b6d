import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { KEY, OTHER_KEY, SERVER_TOKEN, shareProxies } from "./_proxy.ts";

const startShared = shareProxies();

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers: readonly string[];
}

/** Sends raw header lines; resolves to the status and the JSON of the response. */
async function send(port: number, { method = "GET", path = "/proxy", headers }: Sent) {
  const socket = connect(port, "127.0.0.1");
  const body = '{"context":{}}';
  const lines = [
    `${method} ${path} HTTP/1.1`,
    "Host: a",
    "Connection: close",
    ...headers,
    ...(method === "POST"
      ? ["Content-Type: application/json", `Content-Length: ${body.length}`]
      : []),
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n${method === "POST" ? body : ""}`);
  const [head = "", json = ""] = (await text(socket)).split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), body: JSON.parse(json) as unknown };
}

const RIGHT = `Authorization: ${KEY}`;
const WRONG = "Authorization: wrong";
const ONCE = {
  error: "The `authorization` header must be sent once, but the request has it more than once",
};
const JUNK = Array.from({ length: 1500 }, (_, index) => `a${index}:`);

test.each([
  ["GET", "/proxy"],
  ["GET", "/proxy?userId=1"],
  ["POST", "/proxy"],
  ["GET", "/proxy/all"],
  ["GET", "/api/frontend"],
  ["POST", "/api/frontend"],
  ["POST", "/proxy/client/metrics"],
  ["POST", "/proxy/stream"],
])("%s %s: 400 if the key header is repeated, whichever value is valid", async (...row) => {
  const [method, path] = row;
  const { port } = await startShared({ config: { enableAllEndpoint: true } });
  for (const headers of [
    [RIGHT, WRONG],
    [WRONG, RIGHT],
    [RIGHT, RIGHT],
    [RIGHT, `AUTHORIZATION: ${OTHER_KEY}`],
    [RIGHT, "Authorization:"],
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- in order, so that a failure is easy to find
    expect(await send(port, { method, path, headers })).toEqual({ status: 400, body: ONCE });
  }
});

test("a key after more headers than Node reads by default is not ignored", async () => {
  const { port } = await startShared();
  const response = await send(port, { path: "/proxy", headers: [RIGHT, ...JUNK, WRONG] });
  expect(response.status).toBe(431);
});

test("GET /api/client/features: 400 if the header of a server token is repeated", async () => {
  const { port } = await startShared();
  const headers = [`Authorization: ${SERVER_TOKEN}`, RIGHT];
  const response = await send(port, { path: "/api/client/features", headers });
  expect(response).toEqual({ status: 400, body: ONCE });
});

test("with another key header, only that one must not be repeated", async () => {
  const { port } = await startShared({ config: { clientKeysHeaderName: "X-Client-Key" } });
  const path = "/proxy?userId=1";
  const repeated = await send(port, {
    path,
    headers: [`x-client-key: ${KEY}`, `X-Client-Key: ${KEY}`],
  });
  expect(repeated.status).toBe(400);
  expect(repeated.body).toMatchObject({
    error: expect.stringContaining("`x-client-key`") as string,
  });
  const fine = await send(port, { path, headers: [`X-Client-Key: ${KEY}`, RIGHT, RIGHT] });
  expect(fine.status).toBe(200);
});

test.each(["/ofrep/v1/evaluate/flags", "/ofrep/v1/evaluate/flags/on"])(
  "POST %s: 400 for each header that may carry the key",
  async (path) => {
    const { port } = await startShared();
    for (const name of ["Authorization", "X-API-Key"]) {
      const headers = [`${name}: ${KEY}`, `${name}: ${KEY}`];
      // oxlint-disable-next-line no-await-in-loop -- one request at a time
      const { status, body } = await send(port, { method: "POST", path, headers });
      expect(status).toBe(400);
      expect(body).toMatchObject({
        errorCode: "PARSE_ERROR",
        errorDetails: expect.stringContaining(`\`${name.toLowerCase()}\``) as string,
      });
    }
    const headers = [`Authorization: Bearer ${KEY}`, `X-API-Key: ${KEY}`];
    expect((await send(port, { method: "POST", path, headers })).status).toBe(200);
  },
);

test("a repeated header that contains no key is accepted", async () => {
  const { port } = await startShared();
  const headers = [RIGHT, "X-API-Key: a", "X-API-Key: b", "X-Other: a", "X-Other: a"];
  expect((await send(port, { headers })).status).toBe(200);
});
