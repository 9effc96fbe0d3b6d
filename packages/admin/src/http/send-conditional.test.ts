import Fastify from "fastify";
import { expect, test } from "vitest";
import { sendConditional } from "./send-conditional.ts";

const TAG = 'W/"abc"';

function createApp() {
  const built: string[] = [];
  const app = Fastify();
  app.get("/", (request, reply) =>
    sendConditional(request, reply, {
      entityTag: TAG,
      contentType: "text/plain; charset=utf-8",
      body: () => {
        built.push("body");
        return "here";
      },
    }),
  );
  return { app, built };
}

test("sendConditional() sends the representation and its tag", async () => {
  const { app } = createApp();
  const { statusCode, headers, body } = await app.inject("/");
  expect({ statusCode, body, tag: headers.etag }).toEqual({
    statusCode: 200,
    body: "here",
    tag: TAG,
  });
  expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
});

test("sendConditional() builds no body if the client has it, even with Cache-Control: no-cache", async () => {
  const { app, built } = createApp();
  const headers = { "if-none-match": TAG, "cache-control": "no-cache" };
  const { statusCode, body, ...response } = await app.inject({ url: "/", headers });
  expect({ statusCode, body, tag: response.headers.etag }).toEqual({
    statusCode: 304,
    body: "",
    tag: TAG,
  });
  expect(built).toEqual([]);
});
