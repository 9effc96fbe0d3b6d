import { once } from "node:events";
import { createServer } from "node:net";

/** Returns as many free ports as the object has names. All are open at once, so they differ. */
export async function findFreePorts(names) {
  const servers = await Promise.all(
    Object.keys(names).map(async (name) => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return [name, server];
    }),
  );
  const ports = servers.map(([name, server]) => [name, String(server.address().port)]);
  for (const [, server] of servers) server.close();
  return Object.fromEntries(ports);
}
