import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { BodyPool } from "../src/fast-path/body-pool.ts";
import { ask, flag, half } from "./_fast-path.ts";
import { KEY, startProxy, type TestProxy } from "./_proxy.ts";

/** More for each user than the system takes in for a reader who does not read. */
const DOCUMENT = {
  features: Array.from({ length: 40 }, (_, index) =>
    flag(`half-${index}-${"x".repeat(1_000_000)}`, half(`half-${index}`)),
  ),
};

const HEAD_END = "\r\n\r\n";

/** Somebody who has asked, and has not begun to read. */
async function connectSlowReader({ port }: TestProxy, userId: string): Promise<Socket> {
  const socket = createConnection({ host: "127.0.0.1", port }).pause();
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  socket.write(
    `GET /proxy?userId=${userId}&sessionId=s HTTP/1.1\r\nHost: x\r\nAuthorization: ${KEY}${HEAD_END}`,
  );
  return socket;
}

/** The body that arrives, of so many bytes. */
async function readBody(socket: Socket, byteLength: number): Promise<string> {
  let answer = Buffer.alloc(0);
  for await (const chunk of socket) {
    answer = Buffer.concat([answer, chunk]);
    const start = answer.indexOf(HEAD_END) + HEAD_END.length;
    if (answer.length - start >= byteLength) return answer.subarray(start).toString();
  }
  throw new Error("The connection was closed before the end of the body");
}

afterEach(() => void vi.restoreAllMocks());

test("those who read slowly get their own answers, whoever is answered meanwhile", async () => {
  const take = vi.spyOn(BodyPool.prototype, "take");
  const proxy = await startProxy({ document: DOCUMENT });
  const users = ["a", "b", "c"];
  const readers = await Promise.all(users.map((user) => connectSlowReader(proxy, user)));
  await vi.waitFor(() => expect(take).toHaveBeenCalledTimes(users.length));
  // Those whose bodies find no room any longer get memory of their own.
  expect(take.mock.results.map(({ value }) => value !== undefined)).toEqual([true, false, false]);
  for (const [index, reader] of readers.entries()) {
    const query = `?userId=${users[index]}&sessionId=s`;
    // oxlint-disable-next-line no-await-in-loop -- others are still waiting
    const { body } = await ask(proxy, `/proxy/${query}`, {});
    // oxlint-disable-next-line no-await-in-loop -- as above
    expect((await readBody(reader, Buffer.byteLength(body))) === body).toBe(true);
  }
});

test("a room is free again when its reader is lost", async () => {
  const take = vi.spyOn(BodyPool.prototype, "take");
  const giveBack = vi.spyOn(BodyPool.prototype, "giveBack");
  const proxy = await startProxy({ document: DOCUMENT });
  const reader = await connectSlowReader(proxy, "a");
  await vi.waitFor(() => expect(take).toHaveBeenCalledTimes(1));
  expect(giveBack).not.toHaveBeenCalled();
  reader.destroy();
  await vi.waitFor(() => expect(giveBack).toHaveBeenCalledTimes(1));
  expect(giveBack.mock.calls[0]?.[0]).toBe(take.mock.results[0]?.value);
});
