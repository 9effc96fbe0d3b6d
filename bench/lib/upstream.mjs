import { once } from "node:events";
import { createServer } from "node:http";

/**
 * Starts an upstream on a free port of 127.0.0.1 that serves one document, with an ETag, on every
 * path. It accepts usage reports and discards them.
 */
export async function startUpstream(document) {
  let version = 1;
  let polls = 0;
  let body = JSON.stringify(document);
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === "GET") polls++;
    const entityTag = `"${version}"`;
    if (request.method === "POST") response.writeHead(202).end();
    else if (request.headers["if-none-match"] === entityTag) response.writeHead(304).end();
    else response.writeHead(200, { etag: entityTag, "content-type": "application/json" }).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/api`,
    /** Replaces the document, given as text: serializing it here would delay the load generator. */
    replace(text) {
      version++;
      body = text;
    },
    /** The number of requests for flags. */
    get polls() {
      return polls;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
