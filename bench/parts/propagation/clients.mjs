// A process that acts as many clients of a proxy, each with its own user. Its arguments are the way in
// which they receive changes ("streams" or "polling"), the port, the client key, the number of clients
// and the poll interval.
//
// Sends "ready" once every stream is open, or all pollers have started. The message "reset" discards the
// recorded times of arrival. The reply to "collect" follows once every client has received a change since
// then, and contains the times.

import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const EVENT = "event: toggles";
/** Streams that are opened at the same time. */
const BATCH = 200;

const [way, port, key, ...numbers] = process.argv.slice(2);
const [clientCount, pollIntervalMs] = numbers.map(Number);

const arrivals = new Map();
let isCollecting = false;

process.on("disconnect", () => process.exit());
process.on("message", (message) => {
  if (message === "reset") {
    arrivals.clear();
    process.send("done");
  } else {
    isCollecting = true;
    replyWhenComplete();
  }
});

if (way === "streams") await openStreams();
else startPollers();
process.send("ready");

function recordArrival(user) {
  // NOTE: `hrtime` has the same origin in all processes of a machine.
  if (!arrivals.has(user)) arrivals.set(user, Number(process.hrtime.bigint()) / 1e6);
  replyWhenComplete();
}

function replyWhenComplete() {
  if (!isCollecting || arrivals.size < clientCount) return;
  isCollecting = false;
  process.send([...arrivals.values()]);
}

async function openStreams() {
  for (let first = 0; first < clientCount; first += BATCH) {
    const count = Math.min(BATCH, clientCount - first);
    await Promise.all(Array.from({ length: count }, (_, index) => openStream(first + index)));
  }
}

/** Resolves once the stream has sent the initial flags. */
function openStream(user) {
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
    socket.on("close", () => reject(new Error("A stream was closed")));
    socket.on("data", (text) => {
      if (!text.includes(EVENT)) return;
      resolve();
      recordArrival(user);
    });
  });
}

function startPollers() {
  for (let user = 0; user < clientCount; user++) void poll(user);
}

/** Polls forever; the clients are spread over the interval. */
async function poll(user) {
  const url = `http://127.0.0.1:${port}/proxy?userId=user-${user}`;
  let entityTag = "";
  await delay((pollIntervalMs * user) / clientCount);
  while (true) {
    const response = await fetch(url, {
      headers: { authorization: key, "if-none-match": entityTag },
    });
    await response.arrayBuffer();
    if (response.status === 200) {
      entityTag = response.headers.get("etag");
      recordArrival(user);
    }
    await delay(pollIntervalMs);
  }
}
