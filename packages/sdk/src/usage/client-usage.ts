import { describeCount } from "../describe-count.ts";
import type { Emitter, FlagsClientEvents } from "../events.ts";
import type { Identity } from "../identity.ts";
import type { Settings } from "../options/resolve-options.ts";
import { nextDelayMs } from "../scheduling/backoff.ts";
import { Loop } from "../scheduling/loop.ts";
import { FailureLog } from "../transport/failure-log.ts";
import type { EventSink } from "../transport/failure-log.ts";
import { RetryingTask } from "../transport/retrying-task.ts";
import { toUpstreamError } from "../transport/upstream-error.ts";
import type { UpstreamApi } from "../transport/upstream-api.ts";
import type { UpstreamError } from "../transport/upstream-error.ts";
import { toMetricsBody, toRegistrationBody } from "../transport/wire-bodies.ts";
import { EvaluationCounts } from "./evaluation-counts.ts";
import type { CountedFlag } from "./evaluation-counts.ts";
import { sendTheRest } from "./send-the-rest.ts";

interface ClientUsageOptions {
  readonly settings: Settings;
  readonly api: Pick<UpstreamApi, "register" | "sendMetrics">;
  readonly identity: Identity;
  readonly emitter: Emitter<FlagsClientEvents>;
  readonly events: EventSink;
}

/** Flags in one report: upstreams limit its size. */
const MAX_FLAGS = 500;
/** How often the upstream must reject a report, with nothing accepted in between, before it is dropped. */
const MAX_REJECTIONS = 10;

/** Registers the client, and reports how often it has evaluated each flag. */
export class ClientUsage {
  readonly #options: ClientUsageOptions;
  readonly #counts = new EvaluationCounts();
  readonly #log: FailureLog;
  readonly #abort = new AbortController();
  readonly #loop = new Loop(
    () => this.#report(),
    (error) => this.#log.failed(toUpstreamError(error)),
  );
  readonly #registration: RetryingTask | undefined;
  #rejections = 0;

  constructor(options: ClientUsageOptions) {
    this.#options = options;
    this.#log = new FailureLog("Sending usage to the upstream", options.events);
    if (options.settings.isRegistrationEnabled) this.#registration = createRegistration(options);
  }

  start(): void {
    this.#registration?.start();
    if (this.#isEnabled) this.#loop.start(this.#intervalMs());
  }

  send(): void {
    this.#loop.wake();
  }

  count(name: string, enabled: boolean, variant?: string): void {
    if (this.#isEnabled) this.#counts.count(name, enabled, variant);
  }

  /** Delivers all usage within two seconds; retries transient failures until then. */
  async close(): Promise<void> {
    await this.#registration?.stop();
    const { events } = this.#options;
    const sendAll = () => this.#sendAll();
    await sendTheRest({ loop: this.#loop, abort: this.#abort, sendAll });
    this.#warnOfUncounted();
    if (!this.#counts.isEmpty) events.warn("Usage of 1 application was not delivered");
  }

  get #isEnabled(): boolean {
    return this.#options.settings.isMetricsEnabled;
  }

  #intervalMs(): number {
    const { settings } = this.#options;
    return settings.metricsIntervalMs + Math.round(settings.metricsJitterMs * Math.random());
  }

  async #report(): Promise<number> {
    const error = await this.#sendAll();
    this.#warnOfUncounted();
    if (error === undefined) return this.#intervalMs();
    const { settings } = this.#options;
    const { metricsIntervalMs: intervalMs } = settings;
    const { retryAfterMs } = error;
    return nextDelayMs({ intervalMs, failures: this.#log.consecutiveFailures, retryAfterMs });
  }

  async #sendAll(): Promise<UpstreamError | undefined> {
    const { startMs, flags } = this.#counts.read();
    for (let start = 0; start < flags.length; start += MAX_FLAGS) {
      const part = flags.slice(start, start + MAX_FLAGS);
      try {
        // oxlint-disable-next-line no-await-in-loop -- one report at a time
        await this.#send(part, startMs);
      } catch (thrown) {
        const error = toUpstreamError(thrown);
        this.#log.failed(error);
        if (error.isRejection) this.#rejected(part, error);
        return error;
      }
      this.#counts.remove(part);
    }
    this.#rejections = 0;
    this.#log.succeeded();
    return undefined;
  }

  async #send(flags: readonly CountedFlag[], startMs: number): Promise<void> {
    const { api, identity, emitter, settings } = this.#options;
    const usage = { appName: settings.appName, startMs, features: Object.fromEntries(flags) };
    const body = toMetricsBody(usage, identity, Date.now());
    await api.sendMetrics(body, this.#abort.signal);
    emitter.emit("sent", body);
  }

  #rejected(flags: readonly CountedFlag[], { message }: UpstreamError): void {
    this.#rejections += 1;
    if (this.#rejections < MAX_REJECTIONS) return;
    this.#rejections = 0;
    this.#counts.remove(flags);
    this.#options.events.warn(
      `Dropped the evaluations of ${describeCount(flags.length, "flag")}, which the upstream rejects: ${message}`,
    );
  }

  #warnOfUncounted(): void {
    const uncounted = this.#counts.takeUncounted();
    if (uncounted === 0) return;
    const were = uncounted === 1 ? "evaluation was" : "evaluations were";
    this.#options.events.warn(`${uncounted} ${were} not counted: too much usage is pending`);
  }
}

function createRegistration(options: ClientUsageOptions): RetryingTask {
  const { settings, api, identity, emitter, events } = options;
  const body = toRegistrationBody({
    identity,
    customStrategies: settings.strategies.map(({ name }) => name),
    startedAtMs: Date.now(),
    metricsIntervalMs: settings.metricsIntervalMs,
  });
  return new RetryingTask({
    subject: "Registering with the upstream",
    attempt: async (signal) => {
      await api.register(body, signal);
      emitter.emit("registered", body);
    },
    intervalMs: body.interval,
    isRepeated: false,
    events,
  });
}
