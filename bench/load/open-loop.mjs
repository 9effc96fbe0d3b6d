import { createLatencyHistogram } from "../lib/statistics.mjs";

/** Timers fire up to a millisecond late, so the last part of each wait is spent polling the sockets. */
const TIMER_MARGIN_MS = 2;

/**
 * Sends requests at a constant rate, as independent clients do, whether or not earlier ones have been
 * served. Latency counts from the scheduled time of a request, so that it includes the time a request
 * waits because the server has fallen behind and every connection is busy.
 *
 * @param clients pairs of `connection` and `users`; requests wait while all of them are busy
 * @param job `rate` in requests per second, `seconds`, `expectedStatus`
 * @returns besides latencies, `lateness`: how long after schedule requests were sent although the server
 *   had left connections idle, which is the error of the generator itself
 */
export function runOpenLoop(clients, { rate, seconds, expectedStatus }) {
  const latencies = createLatencyHistogram();
  const lateness = createLatencyHistogram();
  const idle = [...clients];
  const count = Math.round(rate * seconds);
  const startMs = performance.now();
  const scheduledMs = (index) => startMs + (index * 1000) / rate;
  let sent = 0;
  let failed = 0;
  let isServerBehind = false;

  return new Promise((resolve, reject) => {
    const send = (client, dueMs) => {
      const onResponse = (response) => {
        latencies.add(performance.now() - dueMs);
        if (response.status !== expectedStatus) failed++;
        client.users.received?.(response);
        idle.push(client);
        if (latencies.count() < count) return;
        resolve({ latencies, lateness, failed, seconds: (performance.now() - startMs) / 1000 });
      };
      client.connection.send(client.users.next(), { onResponse, onError: reject });
    };
    const sendDue = () => {
      let waitMs = scheduledMs(sent) - performance.now();
      while (waitMs <= 0 && sent < count && idle.length > 0) {
        if (!isServerBehind) lateness.add(-waitMs);
        send(idle.shift(), scheduledMs(sent));
        sent += 1;
        waitMs = scheduledMs(sent) - performance.now();
      }
      if (sent === count) return;
      isServerBehind = waitMs <= 0;
      if (waitMs > TIMER_MARGIN_MS) setTimeout(sendDue, waitMs - TIMER_MARGIN_MS);
      else setImmediate(sendDue);
    };
    sendDue();
  });
}
