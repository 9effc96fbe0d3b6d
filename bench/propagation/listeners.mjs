// Clients that listen: so many open streams, each of another user, over raw sockets.

import { connect } from "node:net";
import { reportArrivals } from "./arrivals.mjs";

const EVENT = "event: toggles";
/** Opened at a time. */
const BATCH = 200;

const [port, key, count] = process.argv.slice(2);
const arrivals = reportArrivals(Number(count));

for (let first = 0; first < Number(count); first += BATCH) {
  const users = Array.from({ length: Math.min(BATCH, Number(count) - first) }, (_, i) => first + i);
  await Promise.all(users.map(listen));
}
process.send("listening");

/** Resolves with the first answer. */
function listen(user) {
  const body = JSON.stringify({ context: { userId: `user-${user}` } });
  const socket = connect(Number(port), "127.0.0.1");
  socket.setEncoding("latin1");
  socket.write(
    "POST /proxy/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n" +
      `Authorization: ${key}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("A stream has ended")));
    socket.on("data", (text) => {
      if (!text.includes(EVENT)) return;
      resolve();
      arrivals.note(user);
    });
  });
}
