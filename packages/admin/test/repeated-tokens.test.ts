import { request } from "node:http";
import { json } from "node:stream/consumers";
import { expect, test } from "vitest";
import { ADMIN_TOKEN, BACKEND_TOKEN, useService } from "./_service.ts";
import { describeEachStorage } from "./_storages.ts";

/** Sends a header line for each token. */
async function send(url: string, tokens: readonly string[]) {
  const headers = { authorization: [...tokens], "content-type": "application/json" };
  return new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    request(url, { agent: false, headers: headers as never }, (response) => {
      json(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    })
      .on("error", reject)
      .end();
  });
}

const message =
  "The `authorization` header must be sent once, but the request has it more than once";

describeEachStorage("a repeated Authorization header", (source) => {
  const service = useService(source);

  test.each([
    ["/api/admin/projects", ADMIN_TOKEN],
    ["/api/client/features", BACKEND_TOKEN],
  ])("is refused by %s, whichever value is right", async (path, token) => {
    for (const tokens of [
      [token, "wrong"],
      ["wrong", token],
      [token, token],
      [token, `Bearer ${token}`],
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- in order, so that a failure is easy to find
      expect(await send(service.url + path, tokens)).toEqual({
        status: 400,
        body: {
          id: expect.any(String) as string,
          name: "BadDataError",
          message,
          details: [{ message }],
        },
      });
    }
    expect((await send(service.url + path, [token])).status).toBe(200);
  });
});
