import { emitWarning } from "node:process";
import { Emitter } from "./emitter.ts";
import type { FaultSink } from "./fault-log.ts";
import type { FlagsClientEvents } from "./flags-client-events.ts";

/** Makes the emitter of a client. A listener that throws becomes an `error` event of its own. */
export function createClientEmitter(): Emitter<FlagsClientEvents> {
  const emitter: Emitter<FlagsClientEvents> = new Emitter((event, cause) => {
    const error = new Error(`A listener of the event ${String(event)} threw`, { cause });
    if (event === "error") emitWarning(error);
    else emitter.emit("error", error);
  });
  return emitter;
}

export function toFaultSink(emitter: Emitter<FlagsClientEvents>): FaultSink {
  return {
    error: (error) => emitter.emit("error", error),
    warn: (message) => emitter.emit("warn", message),
    failure: (error) => emitter.emit("failure", error),
  };
}
