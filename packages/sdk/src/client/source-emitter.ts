import { emitWarning } from "node:process";
import { Emitter, type FlagsClientEvents } from "../events.ts";
import { describeCause } from "../transport/upstream-error.ts";

/**
 * Creates the emitter of a source. Errors thrown by listeners are emitted as `error` events. Problems that nobody listens to are
 * warnings of the process: otherwise, a program with a wrong token would wait for its flags, and nothing would say why.
 */
export function createSourceEmitter(): Emitter<FlagsClientEvents> {
  const onListenerError = (event: PropertyKey, cause: unknown): void => {
    const message = `A listener of the event ${String(event)} threw: ${describeCause(cause)}`;
    const error = new Error(message, { cause });
    if (event === "error") emitWarning(error);
    else emitter.emit("error", error);
  };
  const emitter: Emitter<FlagsClientEvents> = new Emitter(onListenerError, printUnheard);
  return emitter;
}

function printUnheard(event: PropertyKey, detail: unknown): void {
  if (event === "error") emitWarning(detail as Error);
  if (event === "warn") emitWarning(detail as string, "FlagsWarning");
}
