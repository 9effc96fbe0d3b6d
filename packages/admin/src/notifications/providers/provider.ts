import type { EventView } from "../../domain/events/find-events.ts";
import type { OutgoingMessage } from "../send.ts";

/** What a receiver needs, such as its address. Values are texts. */
export interface ParameterDefinition {
  readonly name: string;
  readonly displayName: string;
  readonly type: "text" | "textfield" | "url";
  readonly description: string;
  readonly placeholder?: string;
  readonly required: boolean;
  /** Whether it is never shown again, because whoever has it can use it. */
  readonly sensitive: boolean;
}

export type Parameters = Readonly<Partial<Record<string, string>>>;

/** What a receiver is told. */
export interface Notice {
  readonly event: EventView;
  /** Who did what, in one sentence. */
  readonly text: string;
  /** The page that shows it; undefined if the address of the service is not known. */
  readonly link: string | undefined;
}

/** A kind of receivers. */
export interface Provider {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly documentationUrl: string;
  readonly parameters: readonly ParameterDefinition[];
  /** Whether requests are signed, for receivers that check it. */
  readonly isSigned: boolean;
  /** The address to which it sends, from valid parameters. */
  readonly urlOf: (parameters: Parameters) => string;
  /**
   * Checks what `write()` does not notice.
   *
   * @throws {InvalidParameterError}
   */
  readonly check?: (parameters: Parameters) => void;
  /** @throws {InvalidParameterError} if a parameter cannot be used */
  readonly write: (notice: Notice, parameters: Parameters) => OutgoingMessage;
}

/** A parameter cannot be used. The message says what it must be. */
export class InvalidParameterError extends Error {
  override readonly name = "InvalidParameterError";
  readonly parameter: string;

  constructor(parameter: string, message: string) {
    super(message);
    this.parameter = parameter;
  }
}

/** The guide that explains all of them. */
export const GUIDE = "https://github.com/flags-project/flags/blob/main/docs/guides/notify-slack.md";

/** Shortens a text to a number of UTF-16 units, without half a character at its end. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** Where an event happened, for example "project shop, production". */
export function placeOf({ project, environment }: EventView): string {
  return [project === null ? undefined : `project ${project}`, environment ?? undefined]
    .filter((part) => part !== undefined)
    .join(", ");
}
