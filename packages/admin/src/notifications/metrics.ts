import { createGauge } from "flags-server-kit/http";
import { eq, count } from "drizzle-orm";
import { Counter, type Registry } from "prom-client";
import { METRICS_PREFIX } from "../monitoring/metrics.ts";
import { withTimeout } from "../monitoring/with-timeout.ts";
import { notifications } from "../storage/schema/notifications.ts";
import type { Storage } from "../storage/storage.ts";
import type { Outcome } from "./send.ts";

/** Adds the metrics of notifications. Returns a function that counts an attempt. */
export function observeNotifications(
  registry: Registry,
  storage: Pick<Storage, "db">,
): (provider: string, outcome: Outcome) => void {
  const attempts = new Counter({
    name: `${METRICS_PREFIX}_notification_attempts_total`,
    help: "Attempts to send notifications, by provider and result (success, failed)",
    labelNames: ["provider", "result"],
    registers: [registry],
  });
  createGauge(registry, {
    name: `${METRICS_PREFIX}_notifications_pending`,
    help: "Notifications that are still to be sent; absent while the database is unavailable",
    read: () => withTimeout(countPending(storage)).catch(() => undefined),
  });
  return (provider, { isSuccess }) =>
    attempts.inc({ provider, result: isSuccess ? "success" : "failed" });
}

async function countPending({ db }: Pick<Storage, "db">): Promise<number> {
  const [row] = await db
    .select({ pending: count() })
    .from(notifications)
    .where(eq(notifications.state, "pending"));
  return row?.pending ?? 0;
}
