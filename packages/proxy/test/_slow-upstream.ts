import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const SCRIPT = fileURLToPath(new URL("_slow-upstream.mjs", import.meta.url));

/** The requests that the upstream has received so far. */
export interface Received {
  /** Sum of the `yes` counts, by application. */
  readonly yes: Readonly<Record<string, number>>;
  /** Sum of all impact metrics, by their label `appName`. */
  readonly impact: Readonly<Record<string, number>>;
  /** Number of requests, by path. */
  readonly requests: Readonly<Record<string, number>>;
  /** Registrations, from bulk reports and single requests. */
  readonly applications: readonly Readonly<Record<string, unknown>>[];
}

export interface SlowUpstream {
  /** The value for `FLAGS_URL`. */
  readonly url: string;
  received(): Promise<Received>;
}

interface SlowUpstreamOptions {
  /** Duration of each POST. @default 50 */
  readonly delayMs?: number;
  /** Status of responses to bulk reports. If it is not 202, they are not counted. @default 202 */
  readonly bulkStatus?: number;
  /** Number of flags, named `on`, `on-1`, `on-2` and so on. @default 1 */
  readonly flagCount?: number;
}

/** Starts an upstream in a separate process, for the duration of a test. */
export async function startSlowUpstream(options: SlowUpstreamOptions = {}): Promise<SlowUpstream> {
  const { delayMs = 50, bulkStatus = 202, flagCount = 1 } = options;
  const child = fork(SCRIPT, {
    env: {
      DELAY_MS: String(delayMs),
      BULK_STATUS: String(bulkStatus),
      FLAG_COUNT: String(flagCount),
    },
  });
  onTestFinished(async () => {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  });
  const [{ port }] = (await once(child, "message")) as [{ readonly port: number }];
  return {
    url: `http://127.0.0.1:${port}/api`,
    received: async () => {
      const reply = once(child, "message");
      child.send("report");
      const [received] = (await reply) as [Received];
      return received;
    },
  };
}
