/** A server-sent event. */
export interface StreamEvent {
  readonly name: string;
  readonly id: number | string;
  /** One line of text. */
  readonly data: string;
}

/** Serializes an event. */
export function writeEvent({ name, id, data }: StreamEvent): string {
  return `event: ${name}\nid: ${id}\ndata: ${data}\n\n`;
}
