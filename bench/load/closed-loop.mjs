import { createLatencyHistogram } from "../lib/statistics.mjs";

/**
 * Keeps all connections busy, each with one request at a time, for `seconds` or until `requests` are
 * sent, whichever comes first. The server determines the rate.
 *
 * @param clients pairs of `connection` and `users`, one per connection
 */
export async function runClosedLoop(clients, job) {
  const latencies = createLatencyHistogram();
  const startMs = performance.now();
  const mayContinue = createBudget(job, startMs);
  let failed = 0;
  const run = ({ connection, users }) =>
    new Promise((resolve, reject) => {
      let sentMs = 0;
      const sendNext = () => {
        sentMs = performance.now();
        if (mayContinue(sentMs)) connection.send(users.next(), callbacks);
        else resolve();
      };
      const onResponse = (response) => {
        latencies.add(performance.now() - sentMs);
        if (response.status !== job.expectedStatus) failed++;
        users.received?.(response);
        sendNext();
      };
      const callbacks = { onResponse, onError: reject };
      sendNext();
    });
  await Promise.all(clients.map(run));
  return { latencies, failed, seconds: (performance.now() - startMs) / 1000 };
}

/** Creates a function that returns whether one more request may be sent now. */
function createBudget({ seconds = Infinity, requests = Infinity }, startMs) {
  const endMs = startMs + seconds * 1000;
  let left = requests;
  return (nowMs) => nowMs < endMs && left-- > 0;
}
