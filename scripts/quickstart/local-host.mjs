// Protects the services of the quickstart, whose tokens are public, from pages of other sites.

/** `host.docker.internal` is how a container reaches this machine. */
const LOCAL_NAMES = ["127.0.0.1", "localhost", "host.docker.internal"];

/**
 * Whether a request names this machine. In a DNS rebinding attack, a site lets its own name resolve to
 * 127.0.0.1, so that the browser considers this service a part of the site.
 */
export function isForThisMachine({ headers }) {
  const name = (headers.host ?? "").replace(/:\d+$/, "").toLowerCase();
  return LOCAL_NAMES.includes(name);
}

/** Handles requests before the service. A handler returns false for requests of the service. */
export function handleFirst(handle, server) {
  const listeners = server.listeners("request");
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    if (handle(request, response)) return;
    for (const listener of listeners) listener.call(server, request, response);
  });
}
