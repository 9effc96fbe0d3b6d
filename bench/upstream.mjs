import { once } from "node:events";
import { createServer } from "node:http";

/**
 * An upstream on a free port of 127.0.0.1 that any server of this benchmark can follow. Its flags
 * change only when it is told so, and usage that it is sent is thrown away.
 */
export async function startUpstream(document) {
  let version = 1;
  let body = JSON.stringify(document);
  const server = createServer((request, response) => {
    request.resume();
    const entityTag = `"${version}"`;
    if (request.method === "POST") response.writeHead(202).end();
    else if (request.headers["if-none-match"] === entityTag) response.writeHead(304).end();
    else response.writeHead(200, { etag: entityTag, "content-type": "application/json" }).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/api`,
    /** Serves other flags from now on. They come as text, so that this takes no time. */
    replace(text) {
      version++;
      body = text;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
