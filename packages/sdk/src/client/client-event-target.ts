import { emitWarning } from "node:process";
import { Emitter, type FlagsClientEvents } from "../events.ts";
import { describeCause } from "../transport/upstream-error.ts";

/** The base of sources: their emitter, and the methods to add and remove listeners. */
export abstract class ClientEventTarget {
  /** Errors thrown by listeners are emitted as `error` events. */
  protected readonly emitter: Emitter<FlagsClientEvents> = new Emitter((event, cause) => {
    const message = `A listener of the event ${String(event)} threw: ${describeCause(cause)}`;
    const error = new Error(message, { cause });
    if (event === "error") emitWarning(error);
    else this.emitter.emit("error", error);
  });

  on<Event extends keyof FlagsClientEvents>(
    event: Event,
    listener: FlagsClientEvents[Event],
  ): this {
    this.emitter.on(event, listener);
    return this;
  }

  off<Event extends keyof FlagsClientEvents>(
    event: Event,
    listener: FlagsClientEvents[Event],
  ): this {
    this.emitter.off(event, listener);
    return this;
  }
}
