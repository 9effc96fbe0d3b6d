import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { ErrorResponse } from "./_responses.ts";
import { ADMIN_TOKEN, BACKEND_TOKEN, type Service, startService } from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";

const IMPORT = "/api/admin/projects/default/import";

/** Sends the start of a request, and waits until the service has received it. */
async function stall(
  { app, url }: Service,
  path: string,
  headers: string,
  bytes: number,
): Promise<void> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const received = once(app.server, "request");
  const start =
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}\r\n` +
    `Content-Length: ${bytes + 1}\r\n\r\n${" ".repeat(bytes)}`;
  socket.write(start);
  const [{ socket: connection }] = (await received) as [IncomingMessage];
  await expect.poll(() => connection.bytesRead, { interval: 1 }).toBe(start.length);
}

describeAnyStorage("large bodies", (source) => {
  test("each caller can send one large import at a time", async () => {
    const service = await startService(await source.openFresh());
    const { secret: token } = (await service.admin("POST", "/api-tokens", {
      tokenName: "other",
      type: "editor",
    })) as { secret: string };
    const send = (sender: string, file: object): Promise<Response> =>
      service.request(IMPORT, { method: "POST", token: sender, body: file });
    const small = { version: 1, features: [] };
    const large = { version: 1, features: [], project: "x".repeat(15_900_000) };
    await stall(service, IMPORT, `Authorization: ${ADMIN_TOKEN}`, 15_900_000);

    // The service reads the stalled import only after it has checked the token.
    let refused = new Response();
    const sendSecond = async (): Promise<number> => {
      refused = await send(ADMIN_TOKEN, large);
      return refused.status;
    };
    await expect.poll(sendSecond).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
    const { message } = (await refused.json()) as ErrorResponse;
    expect(message).toContain("one large import at a time");
    expect((await send(ADMIN_TOKEN, small)).status).toBe(200);
    expect((await send(token, large)).status).toBe(200);
    const usage = { appName: "x".repeat(900_000) };
    const reported = await service.request("/api/client/metrics", {
      method: "POST",
      token: BACKEND_TOKEN,
      body: usage,
    });
    expect(reported.status).toBe(202);
  });

  test("stalled bodies without a token do not prevent a large import", async () => {
    const service = await startService(await source.openFresh());
    for (let count = 0; count < 300; count += 1) {
      // oxlint-disable-next-line no-await-in-loop -- each must have been received
      await stall(service, "/edge/validate", "Accept: */*", 250_000);
    }
    const body = { version: 1, features: [], project: "x".repeat(15_900_000) };
    const response = await service.request(IMPORT, { method: "POST", token: ADMIN_TOKEN, body });
    expect(response.status).toBe(200);
  });

  test("400 for a body of too many lists and objects for its length, before it is parsed", async () => {
    const service = await startService(await source.openFresh());
    const send = async (body: string) => {
      const response = await service.request(IMPORT, { method: "POST", token: ADMIN_TOKEN, body });
      const { message } = (await response.json()) as ErrorResponse;
      return [response.status, message];
    };
    expect(await send(`[${"{},".repeat(1_000_000)}`)).toEqual([
      400,
      "There are more than 375000 lists and objects",
    ]);
    expect(await send(`[${"[],".repeat(1_000_001)}"${"x".repeat(8_000_000)}"`)).toEqual([
      400,
      "There are more than 1000000 lists and objects",
    ]);
    expect(await send("[".repeat(1000))).toEqual([
      400,
      "Lists and objects are nested more than 100 levels deep",
    ]);
  });
});
