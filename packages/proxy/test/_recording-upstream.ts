import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export interface Recorded {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface RecordingUpstream {
  readonly url: string;
  readonly requests: readonly Recorded[];
  /** The first request to a path, whether it has come or is still to come. */
  first(path: string): Promise<Recorded>;
  /** Leaves every request unanswered from now on. */
  hang(): void;
}

const DOCUMENT = JSON.stringify({
  version: 2,
  features: [{ name: "on", enabled: true, strategies: [{ name: "default" }] }],
});

/** An upstream that serves one flag and remembers what it was sent, for the length of a test. */
export async function startRecordingUpstream(): Promise<RecordingUpstream> {
  const requests: Recorded[] = [];
  const events = new EventEmitter();
  let isHanging = false;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? "";
    requests.push({ path, headers: request.headers, body: await text(request) });
    response.setHeader("content-type", "application/json");
    if (!isHanging) response.end(path.startsWith("/api/client/features") ? DOCUMENT : "{}");
    events.emit("request");
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const first = async (path: string): Promise<Recorded> => {
    for (;;) {
      const found = requests.find((request) => request.path === path);
      if (found !== undefined) return found;
      await once(events, "request");
    }
  };
  const hang = (): void => void (isHanging = true);
  return { url: `http://127.0.0.1:${port}/api`, requests, first, hang };
}
