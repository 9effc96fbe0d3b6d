// A node:http server that answers every request with the same bytes. Each message of its parent
// says with which ones; it replies with its port.

import { once } from "node:events";
import { createServer } from "node:http";

let answer;
const server = createServer((_request, response) => {
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
});
server.listen(0, "127.0.0.1");
await once(server, "listening");

process.on("disconnect", () => process.exit());
process.on("message", ({ status, headers, body }) => {
  answer = { status, headers, body: Buffer.from(body) };
  process.send(server.address().port);
});
