import { fromLocalTime, toLocalTime } from "../ui/times.ts";

const DAY_MS = 86_400_000;

/** When a new token expires. */
export const EXPIRY_CHOICES = [
  { id: "never", label: "Never" },
  { id: "7", label: "In 7 days" },
  { id: "30", label: "In 30 days" },
  { id: "90", label: "In 90 days" },
  { id: "365", label: "In a year" },
  { id: "date", label: "On a date" },
] as const;

/** The same for something that has to expire. */
export const LIMITED_EXPIRY_CHOICES = EXPIRY_CHOICES.filter(({ id }) => id !== "never");

type ExpiryChoice = (typeof EXPIRY_CHOICES)[number]["id"];

/** When a token expires, as it is chosen in a form. */
export interface Expiry {
  readonly choice: ExpiryChoice;
  /** The local date and time, if the choice is `date`. */
  readonly localTime: string;
}

/** Returns the time at which a token expires as ISO 8601; null if it never expires. */
export function toExpiry({ choice, localTime }: Expiry, now: Date): string | null {
  if (choice === "never") return null;
  if (choice === "date") return fromLocalTime(localTime);
  return new Date(now.getTime() + Number(choice) * DAY_MS).toISOString();
}

/** Returns the choice that stands for a time; never for null. The reverse of `toExpiry()`. */
export function fromExpiry(expiresAt: string | null): Expiry {
  if (expiresAt === null) return { choice: "never", localTime: "" };
  return { choice: "date", localTime: toLocalTime(expiresAt) };
}

/** Returns what is wrong with a date and time; undefined if a token can expire then. */
export function describeExpiryProblem(localTime: string, now: Date): string | undefined {
  if (localTime === "") return "Choose a date and a time";
  const time = new Date(localTime).getTime();
  if (Number.isNaN(time)) return "This date does not exist";
  return time > now.getTime() ? undefined : "Choose a time in the future";
}

/** How urgent the expiry of a token is. */
export function expiryState(
  expiresAt: string | null,
  now: Date,
): "expired" | "later" | "never" | "soon" {
  if (expiresAt === null) return "never";
  const distance = new Date(expiresAt).getTime() - now.getTime();
  if (distance <= 0) return "expired";
  return distance < SOON_MS ? "soon" : "later";
}

const SOON_MS = 14 * DAY_MS;
