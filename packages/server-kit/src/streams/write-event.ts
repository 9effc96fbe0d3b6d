export interface StreamEvent {
  readonly name: string;
  readonly id: number | string;
  readonly data: string;
}

export function writeEvent({ name, id, data }: StreamEvent): string {
  return `event: ${name}\nid: ${id}\ndata: ${data}\n\n`;
}
