import type { FaultSink } from "../events/fault-log.ts";
import { PersistentTask } from "../schedule/persistent-task.ts";
import type { UpstreamApi } from "../transport/upstream-api.ts";
import type { RegistrationBody } from "./registration-body.ts";

export interface RegistrationOptions {
  readonly api: Pick<UpstreamApi, "register">;
  readonly body: RegistrationBody;
  readonly onRegistered: (body: RegistrationBody) => void;
  readonly faults: FaultSink;
  readonly random: () => number;
}

/** Registers the client with the upstream once, however many attempts that takes. */
export function createRegistration(options: RegistrationOptions): PersistentTask {
  const { api, body, onRegistered, faults, random } = options;
  return new PersistentTask({
    subject: "Registering with the upstream",
    attempt: async (signal) => {
      await api.register(body, signal);
      onRegistered(body);
    },
    intervalMs: body.interval,
    isRepeated: false,
    faults,
    random,
  });
}
