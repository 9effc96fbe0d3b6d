import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { KEY } from "../../proxy/test/_proxy.ts";

/**
 * A gateway in front of a proxy, which breaks streams off after what they begin with, and takes each
 * of their addresses for expired when it is used again.
 */
export async function startForgetfulGateway(target: string) {
  const addresses = new Set<string>();
  const server = createServer((request, response) => {
    void pass(`${target}${request.url}`, request, response);
  });

  const pass = async (url: string, request: IncomingMessage, response: ServerResponse) => {
    const isStream = request.method === "GET" && url.includes("/stream");
    if (isStream && addresses.has(url)) {
      response.writeHead(401).end();
      return;
    }
    const answer = await ask(url, request);
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    if (!isStream) {
      response.end(await answer.text());
      return;
    }
    addresses.add(url);
    response.write("retry: 10\n\n");
    response.write(await beginningOf(answer), () => response.destroy());
  };

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, addresses };
}

async function ask(url: string, request: IncomingMessage): Promise<Response> {
  const body = await text(request);
  return fetch(url, {
    method: request.method ?? "GET",
    headers: { authorization: KEY, "content-type": "application/json" },
    ...(body !== "" && { body }),
  });
}

async function beginningOf({ body }: Response): Promise<Uint8Array> {
  const reader = body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return first?.value ?? new Uint8Array();
}
