// A node:http server that sends the same response to every request. Each message of its parent
// replaces the response; it replies with its port.

import { once } from "node:events";
import { createServer } from "node:http";

let current;
const server = createServer((_request, response) => {
  response.writeHead(current.status, current.headers);
  response.end(current.body);
});
server.listen(0, "127.0.0.1");
await once(server, "listening");

process.on("disconnect", () => process.exit());
process.on("message", ({ status, headers, body }) => {
  current = { status, headers, body: Buffer.from(body) };
  process.send(server.address().port);
});
