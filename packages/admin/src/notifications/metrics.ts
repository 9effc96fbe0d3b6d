import { MetricSet } from "flags-server-kit/http";
import { eq, count } from "drizzle-orm";
import type { Registry } from "prom-client";
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
  const metrics = new MetricSet(registry, METRICS_PREFIX);
  const attempts = metrics.counter(
    "notification_attempts_total",
    "Attempts to send notifications, by provider and result (success, failed)",
    ["provider", "result"],
  );
  metrics.gauge(
    "notifications_pending",
    "Notifications that are still to be sent; absent while the database is unavailable",
    [],
    () => withTimeout(countPending(storage)).catch(() => undefined),
  );
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
