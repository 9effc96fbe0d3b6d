import { explainStartFailure, tryPort } from "flags-server-kit";
import { codeOf, isRecord } from "flags-server-kit/neutral";
import type { AdminConfig } from "../../config/config.ts";
import { findOwnUrl } from "../own-url.ts";

const TIMEOUT_MS = 2000;

/**
 * Finds out whether a start could open the port. A port that this service itself uses is not a problem. With PostgreSQL,
 * only a guess is possible.
 *
 * @param ownPort the port of the service that holds the embedded database
 * @throws if the port cannot be opened, or another program uses it
 */
export async function checkPort(config: AdminConfig, ownPort: number | undefined): Promise<void> {
  if (config.port === ownPort) return;
  try {
    await tryPort(config);
  } catch (error) {
    if (codeOf(error) !== "EADDRINUSE" || config.databaseUrl === undefined) throw error;
    if (!(await respondsLikeService(config))) throw error;
    config.logger.warn(
      `${explainStartFailure(error)}. It responds like flags-admin: ignore this if it is this service`,
    );
  }
}

async function respondsLikeService(config: AdminConfig): Promise<boolean> {
  const url = findOwnUrl(config);
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const body: unknown = await response.json();
    return isRecord(body) && body["health"] === "GOOD";
  } catch {
    return false;
  }
}
