import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A request that a receiver got. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Answer = (response: ServerResponse, received: Received) => void;

/** A server that gets notifications, on this machine. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** How it answers. @default with status 200 */
  answer: Answer;
  /** Resolves once it got this many requests. */
  waitFor(count: number): Promise<readonly Received[]>;
}

/** Answers with a status. */
export const withStatus =
  (status: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end("ok");

/** Starts a receiver, and stops it at the end of the test. */
export async function startReceiver(
  answer: Answer = withStatus(200),
  host = "127.0.0.1",
): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    response.on("error", () => undefined);
    void text(request).then(
      (body) => {
        const { url: path = "", headers } = request;
        received.push({ path, headers, body });
        receiver.answer(response, { path, headers, body });
        for (const check of waiting) check();
      },
      () => undefined,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://${host}:${port}/hook`,
    received,
    answer,
    waitFor: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (received.length < count) return;
          waiting.delete(check);
          resolve(received.slice(0, count));
        };
        waiting.add(check);
        check();
      }),
  };
  return receiver;
}
