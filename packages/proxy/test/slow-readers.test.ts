import { hash } from "node:crypto";
import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { flag, half } from "./_flag-requests.ts";
import { KEY, startProxy, type TestProxy } from "./_proxy.ts";

/** Its responses are longer than what the operating system buffers for a client that does not read. */
const DOCUMENT = {
  features: Array.from({ length: 40 }, (_, index) =>
    flag(`half-${index}-${"x".repeat(1_000_000)}`, half(`half-${index}`)),
  ),
};

const USERS = ["a", "b", "c"];
const HEAD_END = "\r\n\r\n";

/** Connects a client that sends one request for each user and does not read yet. */
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

/** Reads responses, and returns digests of their bodies, given their lengths. */
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

/** Returns the lengths and digests of the expected bodies. */
async function expectedBodies(proxy: TestProxy) {
  const lengths: number[] = [];
  const digests: string[] = [];
  for (const user of USERS) {
    // oxlint-disable-next-line no-await-in-loop -- all at once would take much memory
    const response = await proxy.request(`/proxy/?userId=${user}&sessionId=s`);
    // oxlint-disable-next-line no-await-in-loop -- all at once would take much memory
    const body = await response.text();
    lengths.push(Buffer.byteLength(body));
    digests.push(digest(body));
  }
  return { lengths, digests };
}

function digest(body: string | Buffer): string {
  return hash("sha256", body);
}

test("slow readers get their own responses, whatever others receive in the meantime", async () => {
  const proxy = await startProxy({ document: DOCUMENT });
  const readers = await Promise.all(USERS.map((user) => connectSlowReader(proxy, user)));
  const { lengths, digests } = await expectedBodies(proxy);
  const read = readers.map((reader, index) => readBodies(reader, lengths.slice(index, index + 1)));
  expect((await Promise.all(read)).flat()).toEqual(digests);
});

test("pipelined requests of a slow reader get their own responses, in order", async () => {
  const proxy = await startProxy({ document: DOCUMENT });
  const reader = await connectSlowReader(proxy, ...USERS);
  const { lengths, digests } = await expectedBodies(proxy);
  expect(await readBodies(reader, lengths)).toEqual(digests);
});

test("a slow reader that disconnects does not affect others", async () => {
  const proxy = await startProxy({ document: DOCUMENT });
  const lost = await connectSlowReader(proxy, ...USERS);
  const reader = await connectSlowReader(proxy, ...USERS);
  lost.destroy();
  const { lengths, digests } = await expectedBodies(proxy);
  expect(await readBodies(reader, lengths)).toEqual(digests);
});
