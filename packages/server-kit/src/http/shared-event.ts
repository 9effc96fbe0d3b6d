import { writeEvent } from "./event-stream.ts";

/** What many streams are told. */
interface Message {
  readonly id: number | string;
  /** In one line. */
  readonly text: string;
}

const written = new Map<string, WeakMap<Message, Buffer>>();

/**
 * A message as an event of that name, ready to be sent. All streams that send it get the same
 * memory: a message for each would take much of it while readers are behind.
 */
export function sharedEvent(name: string, message: Message): Buffer {
  const ofThatName = written.get(name) ?? new WeakMap<Message, Buffer>();
  written.set(name, ofThatName);
  const known = ofThatName.get(message);
  if (known !== undefined) return known;
  const bytes = Buffer.from(writeEvent({ name, id: message.id, data: message.text }));
  ofThatName.set(message, bytes);
  return bytes;
}
