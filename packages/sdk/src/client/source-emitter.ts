import { emitWarning } from "node:process";
import { Emitter, type FlagsClientEvents } from "../events.ts";
import { describeCause } from "../transport/upstream-error.ts";

/** Creates the emitter of a source. Errors thrown by listeners are emitted as `error` events. */
export function createSourceEmitter(): Emitter<FlagsClientEvents> {
  const emitter: Emitter<FlagsClientEvents> = new Emitter((event, cause) => {
    const message = `A listener of the event ${String(event)} threw: ${describeCause(cause)}`;
    const error = new Error(message, { cause });
    if (event === "error") emitWarning(error);
    else emitter.emit("error", error);
  });
  return emitter;
}
