import { BlockList, isIP } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);
loopback.addAddress("::1", "ipv6");

/** Whether a server that listens on this host accepts connections only from its own machine. */
export function isLoopbackHost(host: string | undefined): boolean {
  if (host === undefined) return false;
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === "localhost";
  return loopback.check(host, family === 6 ? "ipv6" : "ipv4");
}

/** Whether secrets may be sent to a URL: over TLS, or within this machine. */
export function isSecureUrl({ protocol, hostname }: URL): boolean {
  return (
    protocol === "https:" ||
    (protocol === "http:" && isLoopbackHost(hostname.replace(/^\[(.*)\]$/, "$1")))
  );
}
