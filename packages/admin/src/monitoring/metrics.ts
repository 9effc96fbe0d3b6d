import { createRegistry, createRequestObserver, type ObserveRequest } from "flags-server-kit/http";
import { Counter, Gauge, type Registry } from "prom-client";
import type { ApiError } from "../errors.ts";
import type { Storage } from "../storage/storage.ts";
import { within } from "./within.ts";

/** What the service counts and measures, in a registry of its own. */
export interface Metrics {
  readonly registry: Registry;
  readonly observeRequest: ObserveRequest;
  /** Takes note of a request that failed. */
  readonly observeFailure: (failure: ApiError) => void;
  /** Has the number of open streams shown. */
  readonly observeStreams: (streams: { readonly size: number }) => void;
}

/** How the names of the service's own metrics begin. */
export const METRICS_PREFIX = "flags_admin";

/** Creates the metrics of one app. */
export function createMetrics(storage: Storage): Metrics {
  const registry = createRegistry(METRICS_PREFIX, "the service");
  observeDatabase(registry, storage);
  observeDisk(registry, storage);
  const databaseErrors = new Counter({
    name: `${METRICS_PREFIX}_database_errors_total`,
    help: "Requests that failed because the database was away",
    registers: [registry],
  });
  const diskFullErrors = new Counter({
    name: `${METRICS_PREFIX}_disk_full_errors_total`,
    help: "Requests that were refused or failed because of a full disk",
    registers: [registry],
  });
  const refusedGuesses = new Counter({
    name: `${METRICS_PREFIX}_refused_guesses_total`,
    help: "Requests refused because too many unknown tokens were sent",
    registers: [registry],
  });
  return {
    registry,
    observeRequest: createRequestObserver(registry, METRICS_PREFIX),
    observeFailure: ({ name }) => {
      if (name === "ServiceUnavailableError") databaseErrors.inc();
      if (name === "InsufficientStorageError") diskFullErrors.inc();
      if (name === "RateLimitError") refusedGuesses.inc();
    },
    observeStreams: (streams) => {
      const gauge = new Gauge({
        name: `${METRICS_PREFIX}_streams`,
        help: "SDKs that listen to changes",
        registers: [],
        collect() {
          this.set(streams.size);
        },
      });
      registry.registerMetric(gauge);
    },
  };
}

/** Long enough for a database that is busy, and well below the patience of who collects metrics. */
const PATIENCE_MS = 2000;

function observeDatabase(registry: Registry, storage: Storage): void {
  const isUp = new Gauge({
    name: `${METRICS_PREFIX}_database_up`,
    help: "1 while the database can be reached",
    registers: [],
    async collect() {
      this.set(
        await within(PATIENCE_MS, storage.ping()).then(
          () => 1,
          () => 0,
        ),
      );
    },
  });
  const revision = new Gauge({
    name: `${METRICS_PREFIX}_revision`,
    help: "Id of the latest change; not there while the database is away",
    registers: [],
    async collect() {
      try {
        this.set(await within(PATIENCE_MS, storage.revision()));
      } catch {
        // An old figure would pass for a new one.
        this.remove();
      }
    },
  });
  registry.registerMetric(isUp);
  registry.registerMetric(revision);
}

/** The disk of a PostgreSQL server cannot be measured from here. */
function observeDisk(registry: Registry, storage: Storage): void {
  if (storage.freeDiskBytes() === undefined) return;
  const freeBytes = new Gauge({
    name: `${METRICS_PREFIX}_disk_free_bytes`,
    help: "Free bytes on the disk of the embedded database",
    registers: [],
    collect() {
      this.set(storage.freeDiskBytes() ?? 0);
    },
  });
  registry.registerMetric(freeBytes);
}
