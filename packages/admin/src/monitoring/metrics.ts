import {
  type ClosedStreams,
  createGauge,
  createRegistry,
  createRequestMetrics,
  observeClosedStreams,
  type RequestMetrics,
} from "flags-server-kit/http";
import { Counter, type Registry } from "prom-client";
import type { ApiError } from "../errors.ts";
import type { Storage } from "../storage/storage.ts";
import { withTimeout } from "./with-timeout.ts";

interface ObservedStreams {
  readonly size: number;
  readonly closed: ClosedStreams;
}

/** The metrics of one app, in their own registry. */
interface Metrics {
  readonly registry: Registry;
  readonly requests: RequestMetrics;
  /** Counts an error response. */
  readonly observeError: (error: ApiError) => void;
  /**
   * Adds the numbers of open and closed streams of one kind.
   *
   * @param name without the prefix
   */
  readonly observeStreams: (name: string, help: string, streams: ObservedStreams) => void;
}

/** Prefix of the names of all metrics of the service. */
export const METRICS_PREFIX = "flags_admin";

/** Creates the metrics of one app. */
export function createMetrics(storage: Storage): Metrics {
  const registry = createRegistry(METRICS_PREFIX, "the service");
  observeDatabase(registry, storage);
  observeDisk(registry, storage);
  const databaseErrors = new Counter({
    name: `${METRICS_PREFIX}_database_errors_total`,
    help: "Requests that failed because the database was unavailable",
    registers: [registry],
  });
  const diskFullErrors = new Counter({
    name: `${METRICS_PREFIX}_disk_full_errors_total`,
    help: "Requests that were rejected or failed because of a full disk",
    registers: [registry],
  });
  const refusedGuesses = new Counter({
    name: `${METRICS_PREFIX}_refused_guesses_total`,
    help: "Requests rejected because too many unknown tokens were sent",
    registers: [registry],
  });
  return {
    registry,
    requests: createRequestMetrics(registry, METRICS_PREFIX),
    observeError: ({ name }) => {
      if (name === "ServiceUnavailableError") databaseErrors.inc();
      if (name === "InsufficientStorageError") diskFullErrors.inc();
      if (name === "RateLimitError") refusedGuesses.inc();
    },
    observeStreams: (name, help, streams) => {
      createGauge(registry, {
        name: `${METRICS_PREFIX}_${name}`,
        help,
        read: () => streams.size,
      });
      observeClosedStreams(registry, `${METRICS_PREFIX}_${name}`, streams);
    },
  };
}

function observeDatabase(registry: Registry, storage: Storage): void {
  createGauge(registry, {
    name: `${METRICS_PREFIX}_database_up`,
    help: "1 while the database can be reached",
    read: () =>
      withTimeout(storage.ping()).then(
        () => 1,
        () => 0,
      ),
  });
  createGauge(registry, {
    name: `${METRICS_PREFIX}_revision`,
    help: "Id of the latest change; absent while the database is unavailable",
    // An outdated value could be mistaken for the current one.
    read: () => withTimeout(storage.revision()).catch(() => undefined),
  });
}

/** Only for the embedded database: the free space of a PostgreSQL server is unknown. */
function observeDisk(registry: Registry, storage: Storage): void {
  if (storage.freeDiskBytes() === undefined) return;
  createGauge(registry, {
    name: `${METRICS_PREFIX}_disk_free_bytes`,
    help: "Free bytes on the disk of the embedded database",
    read: () => storage.freeDiskBytes() ?? 0,
  });
}
