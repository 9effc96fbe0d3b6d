import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import Fastify, { type FastifyRequest } from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { releaseRequest, releaseRequests } from "./release-requests.ts";

/** Serves an app whose requests stay available after their responses. */
async function startServer() {
  const app = Fastify({ forceCloseConnections: true });
  const requests: FastifyRequest[] = [];
  releaseRequests(app);
  app.addHook("onRequest", (request, _reply, done) => {
    requests.push(request);
    app.server.emit("test:arrived");
    done();
  });
  app.route({
    method: ["GET", "POST"],
    url: "/echo",
    handler: ({ query, body }) => ({ query, body }),
  });
  app.route({
    method: ["GET", "POST"],
    url: "/stream",
    handler: (request, reply) => {
      releaseRequest(request);
      reply.raw.end("open");
      return reply.hijack();
    },
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => app.close());
  return { app, url, requests };
}

const QUERY = "a=1&a=2&b=%20x&c";

test.each([
  ["GET", undefined],
  ["POST", { sent: true }],
])(
  "a handler of %s reads the query and the body, which are then released",
  async (method, body) => {
    const { url, requests } = await startServer();
    const response = await fetch(`${url}/echo?${QUERY}`, {
      method,
      ...(body !== undefined && {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
    expect(await response.json()).toEqual({ query: { a: ["1", "2"], b: " x", c: "" }, body });
    expect(requests).toMatchObject([{ query: {} }]);
    expect(requests[0]?.body).toBeUndefined();
    expect(Object.keys(requests[0]?.query as object)).toEqual([]);
  },
);

test.each(["/echo", "/none"])(
  "%s: the query takes no memory while the body arrives",
  async (path) => {
    const { app, requests } = await startServer();
    const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const arrived = once(app.server, "test:arrived");
    socket.write(`POST ${path}?${QUERY} HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n{`);
    await arrived;
    expect(Object.keys(requests[0]?.query as object)).toEqual([]);
  },
);

test("only the path of a request whose response is a stream stays in memory", async () => {
  const { url, requests } = await startServer();
  expect(await (await fetch(`${url}/stream?${QUERY}`)).text()).toBe("open");
  const [request] = requests;
  expect(request?.raw).toMatchObject({ headers: {}, rawHeaders: [], url: "/stream" });
  expect(Object.keys(request?.query as object)).toEqual([]);
});

test("the trailers of a request whose response is a stream take no memory", async () => {
  const { app, requests } = await startServer();
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write(
    "POST /stream HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
      "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nfirst: 1\r\nsecond: 2\r\n\r\n",
  );
  await once(socket, "data");
  const [request] = requests;
  expect(request?.raw.complete).toBe(true);
  await expect.poll(() => request?.raw.rawTrailers).toEqual([]);
  expect(Object.keys(request?.raw.trailers ?? {})).toEqual([]);
});
