import type { Payload } from "flags-engine";
import { isRecord } from "flags-server-kit";

/** What a flag is worth to an OpenFeature client. */
export type OfrepValue = boolean | number | string | Readonly<Record<string, unknown>>;

/** A payload that is not what its type says. */
export class UnusablePayload {
  readonly details: string;

  constructor(details: string) {
    this.details = details;
  }
}

/** Reads the text of a payload as the type it is said to have. */
export function toTypedValue({ type, value }: Payload): OfrepValue | UnusablePayload {
  switch (type) {
    case "number":
      return toNumber(value);
    case "json":
      return toObject(value);
    default:
      return value;
  }
}

function toNumber(text: string): number | UnusablePayload {
  const number = Number(text);
  // NOTE: of a blank text `Number` makes a zero.
  if (text.trim() !== "" && Number.isFinite(number)) return number;
  return new UnusablePayload("The payload of the variant is not the number it should be");
}

/** NOTE: the protocol knows objects and no lists, so JSON that is anything else stays text. */
function toObject(text: string): OfrepValue | UnusablePayload {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return new UnusablePayload("The payload of the variant is not the JSON it should be");
  }
  return isRecord(value) ? value : text;
}
