import { expect, test } from "vitest";
import { eventually } from "./_command.ts";
import { countSockets } from "./_connections.ts";
import {
  connectClients,
  dribble,
  STALLED_BODY,
  STALLED_HEADERS,
  startProxyCommand,
} from "./_stalled-connections.ts";

const CAN_COUNT_SOCKETS = process.platform === "linux";

test("stalled requests are aborted and their connections released, although no client closes", async () => {
  const { command, port, metric } = await startProxyCommand();
  const socketsBefore = CAN_COUNT_SOCKETS ? await countSockets(command.pid) : 0;
  await connectClients(port, 20, STALLED_HEADERS);
  await connectClients(port, 10, STALLED_BODY);
  await connectClients(port, 10, "nonsense\r\n\r\n");
  for (const client of await connectClients(port, 5, STALLED_BODY)) client.end();
  dribble(await connectClients(port, 10, STALLED_HEADERS));
  dribble(await connectClients(port, 5, STALLED_BODY));
  await eventually(() => metric("connections")).toBeGreaterThan(40);
  // The request timeout is 30 s.
  await expect.poll(() => metric("connections"), { timeout: 50_000, interval: 500 }).toBe(1);
  if (CAN_COUNT_SOCKETS) expect(await countSockets(command.pid)).toBeLessThanOrEqual(socketsBefore);
});
