import { once } from "node:events";

/**
 * Stops a child process gracefully, and kills it if it has not exited after the timeout. Resolves when it has
 * exited, or at once if it never started.
 */
export async function stopProcess(child, { signal = "SIGTERM", timeoutMs }) {
  if (child.pid === undefined || hasExited(child)) return;
  const exit = once(child, "exit");
  const timeout = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  child.kill(signal);
  await exit;
  clearTimeout(timeout);
}

export function hasExited(child) {
  return child.exitCode !== null || child.signalCode !== null;
}
