import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { decodeOtlp, type Exported, type Signal } from "./_otlp-messages.ts";

/** A request that an exporter has sent. */
interface Received {
  readonly headers: IncomingMessage["headers"];
  /** After decompression. */
  readonly bytes: Buffer;
}

/** How the receiver treats requests: responds with a status, or never. */
type Behaviour = number | "hang";

export interface OtlpReceiver {
  readonly url: string;
  readonly requests: readonly Received[];
  /** Everything received so far. */
  readonly exported: Exported;
  behaviour: Behaviour;
  /** Resolves once a condition is true, now or after some request. */
  until(condition: (exported: Exported) => boolean): Promise<void>;
}

/** Starts an OTLP/HTTP receiver, which decodes protobuf and JSON, for the duration of a test. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const requests: Received[] = [];
  const exported: Exported = { traces: [], metrics: [], logs: [] };
  const events = new EventEmitter().setMaxListeners(0);
  const server = createServer((request, response) => {
    void buffer(request).then((sent) => {
      const { headers, url = "" } = request;
      const bytes = headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent;
      requests.push({ headers, bytes });
      if (receiver.behaviour === 200) {
        const signal = url.replace("/v1/", "") as Signal;
        const isJson = headers["content-type"] === "application/json";
        decodeOtlp(exported, { signal, bytes, isJson });
      }
      if (receiver.behaviour !== "hang") response.writeHead(receiver.behaviour).end();
      events.emit("request");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    exported,
    behaviour: 200,
    async until(condition) {
      // oxlint-disable-next-line no-await-in-loop -- until it is true
      while (!condition(exported)) await once(events, "request");
    },
  };
  return receiver;
}
