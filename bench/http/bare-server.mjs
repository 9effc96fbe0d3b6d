// The yardstick: a node:http server that answers every request with the same bytes, which it gets
// from its parent as the first message.

import { once } from "node:events";
import { createServer } from "node:http";
import { reportToParent } from "./child.mjs";

const [answer] = await once(process, "message");
const body = Buffer.from(answer.body);

const server = createServer((_request, response) => {
  response.writeHead(200, answer.headers);
  response.end(body);
});
server.listen(0, "127.0.0.1", () => reportToParent(server.address().port));
