import { hash } from "node:crypto";
import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { BodyPool } from "../src/fast-path/body-pool.ts";
import { PreparedAnswer } from "../src/fast-path/prepared-answer.ts";
import { ask, flag, half } from "./_fast-path.ts";
import { KEY, startProxy, type TestProxy } from "./_proxy.ts";

/** More for each user than the system takes in for a reader who does not read. */
const DOCUMENT = {
  features: Array.from({ length: 40 }, (_, index) =>
    flag(`half-${index}-${"x".repeat(1_000_000)}`, half(`half-${index}`)),
  ),
};

const USERS = ["a", "b", "c"];
const HEAD_END = "\r\n\r\n";

/** Somebody who has asked, once for each user, and has not begun to read. */
async function connectSlowReader(
  { port }: TestProxy,
  ...userIds: readonly string[]
): Promise<Socket> {
  const socket = createConnection({ host: "127.0.0.1", port }).pause();
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  const head = `HTTP/1.1\r\nHost: x\r\nAuthorization: ${KEY}${HEAD_END}`;
  socket.write(userIds.map((id) => `GET /proxy?userId=${id}&sessionId=s ${head}`).join(""));
  return socket;
}

/** Digests of the bodies that arrive, of so many bytes each. */
async function readBodies(socket: Socket, byteLengths: readonly number[]): Promise<string[]> {
  const bodies: string[] = [];
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of socket) {
    chunks.push(chunk);
    length += chunk.length;
    const byteLength = byteLengths[bodies.length] ?? 0;
    if (length <= byteLength) continue;
    const received = Buffer.concat(chunks.splice(0));
    const start = received.indexOf(HEAD_END) + HEAD_END.length;
    const end = start + byteLength;
    const isWhole = received.length >= end;
    if (isWhole) bodies.push(digest(received.subarray(start, end)));
    if (bodies.length === byteLengths.length) return bodies;
    chunks.push(received.subarray(isWhole ? end : 0));
    length = chunks[0]?.length ?? 0;
  }
  throw new Error("The connection was closed before the end of the bodies");
}

/** What these users must get, as the framework answers it. */
async function expectedBodies(proxy: TestProxy) {
  const lengths: number[] = [];
  const digests: string[] = [];
  for (const user of USERS) {
    // oxlint-disable-next-line no-await-in-loop -- all at once would take much memory
    const { body } = await ask(proxy, `/proxy/?userId=${user}&sessionId=s`, {});
    lengths.push(Buffer.byteLength(body));
    digests.push(digest(body));
  }
  return { lengths, digests };
}

function digest(body: string | Buffer): string {
  return hash("sha256", body);
}

afterEach(() => void vi.restoreAllMocks());

test("those who read slowly get their own answers, whoever is answered meanwhile", async () => {
  const take = vi.spyOn(BodyPool.prototype, "take");
  const giveBack = vi.spyOn(BodyPool.prototype, "giveBack");
  const proxy = await startProxy({ document: DOCUMENT });
  const readers = await Promise.all(USERS.map((user) => connectSlowReader(proxy, user)));
  await vi.waitFor(() => expect(take.mock.calls.length).toBe(USERS.length));
  // Those whose bodies find no room any longer get memory of their own.
  expect(take.mock.results.map(({ value }) => value !== undefined)).toEqual([true, false, false]);
  const { lengths, digests } = await expectedBodies(proxy);
  const read = readers.map((reader, index) => readBodies(reader, lengths.slice(index, index + 1)));
  expect((await Promise.all(read)).flat()).toEqual(digests);
  await vi.waitFor(() => expect(giveBack.mock.calls.length).toBe(1));
});

test("a room is free again when its reader is lost", async () => {
  const take = vi.spyOn(BodyPool.prototype, "take");
  const giveBack = vi.spyOn(BodyPool.prototype, "giveBack");
  const proxy = await startProxy({ document: DOCUMENT });
  const reader = await connectSlowReader(proxy, "a");
  await vi.waitFor(() => expect(take.mock.calls.length).toBe(1));
  expect(giveBack.mock.calls.length).toBe(0);
  reader.destroy();
  await vi.waitFor(() => expect(giveBack.mock.calls.length).toBe(1));
  expect(giveBack.mock.calls[0]?.[0] === take.mock.results[0]?.value).toBe(true);
});

test("answers that wait for others on their connection take no rooms, as these would be lost with it", async () => {
  const take = vi.spyOn(BodyPool.prototype, "take");
  const giveBack = vi.spyOn(BodyPool.prototype, "giveBack");
  const body = vi.spyOn(PreparedAnswer.prototype, "body", "get");
  const proxy = await startProxy({ document: DOCUMENT });
  const reader = await connectSlowReader(proxy, ...USERS);
  await vi.waitFor(() => expect(body.mock.calls.length).toBe(2));
  expect(take.mock.calls.length).toBe(1);
  const { lengths, digests } = await expectedBodies(proxy);
  expect(await readBodies(reader, lengths)).toEqual(digests);
  await vi.waitFor(() => expect(giveBack.mock.calls.length).toBe(1));
});
