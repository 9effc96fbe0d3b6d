// Clients that poll: each at its own moment of every interval, and each for another user.

import { setTimeout as delay } from "node:timers/promises";
import { reportArrivals } from "./arrivals.mjs";

const [port, key, count, intervalMs] = process.argv.slice(2);
const arrivals = reportArrivals(Number(count));

const clients = Array.from({ length: Number(count) }, (_, user) => poll(user));
process.send("listening");
await Promise.all(clients);

async function poll(user) {
  const url = `http://127.0.0.1:${port}/proxy?userId=user-${user}`;
  let entityTag = "";
  await delay((Number(intervalMs) * user) / Number(count));
  while (true) {
    const response = await fetch(url, {
      headers: { authorization: key, "if-none-match": entityTag },
    });
    await response.arrayBuffer();
    if (response.status === 200) {
      entityTag = response.headers.get("etag");
      arrivals.note(user);
    }
    await delay(Number(intervalMs));
  }
}
