import { once } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { closedByServer, connectPeer } from "./_server.ts";
import { ConnectionGuard } from "./connection-guard.ts";
import { createGuardedServer } from "./http-server.ts";

test.each(["100-continue", "something-else"])(
  "requests that expect %s are limited like others",
  async (expectation) => {
    const guard = new ConnectionGuard({
      maxConnections: 10,
      logger: { warn: vi.fn() },
      advice: "",
    });
    const handle = vi.fn();
    const server = createGuardedServer(guard, handle).listen(0, "127.0.0.1");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    await once(server, "listening");
    const peer = await connectPeer(server);
    peer.write(`GET / HTTP/1.1\r\nHost: a\r\nExpect: ${expectation}\r\n\r\n`.repeat(1000));
    await closedByServer(peer);
    expect(handle).toHaveBeenCalledTimes(9);
    expect(guard.closed.pipelining).toBe(1);
  },
);
