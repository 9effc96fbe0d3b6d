import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { KEY } from "../../proxy/test/_proxy.ts";

/**
 * Starts a gateway in front of a proxy that closes each stream after its first event, and rejects the
 * URL of a stream as expired when it is used again.
 */
export async function startForgetfulGateway(target: string) {
  const usedUrls = new Set<string>();
  const server = createServer((request, response) => {
    void pass(`${target}${request.url}`, request, response);
  });

  const pass = async (url: string, request: IncomingMessage, response: ServerResponse) => {
    const isStream = request.method === "GET" && url.includes("/stream");
    if (isStream && usedUrls.has(url)) {
      response.writeHead(401).end();
      return;
    }
    const proxied = await forward(url, request);
    response.writeHead(proxied.status, {
      "content-type": proxied.headers.get("content-type") ?? "",
    });
    if (!isStream) {
      response.end(await proxied.text());
      return;
    }
    usedUrls.add(url);
    response.write("retry: 10\n\n");
    response.write(await firstChunkOf(proxied), () => response.destroy());
  };

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, usedUrls };
}

async function forward(url: string, request: IncomingMessage): Promise<Response> {
  const body = await text(request);
  return fetch(url, {
    method: request.method ?? "GET",
    headers: { authorization: KEY, "content-type": "application/json" },
    ...(body !== "" && { body }),
  });
}

async function firstChunkOf({ body }: Response): Promise<Uint8Array> {
  const reader = body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return first?.value ?? new Uint8Array();
}
