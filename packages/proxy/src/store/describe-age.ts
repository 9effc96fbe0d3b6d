const UNITS = [
  { name: "day", lengthMs: 86_400_000 },
  { name: "hour", lengthMs: 3_600_000 },
  { name: "minute", lengthMs: 60_000 },
  { name: "second", lengthMs: 1000 },
] as const;

/** Describes an age in the largest unit of which it has at least one, such as "5 minutes ago". */
export function describeAge(ageMs: number): string {
  const unit = UNITS.find(({ lengthMs }) => ageMs >= lengthMs);
  // NOTE: negative if the clock of the replica that stored the flags is ahead.
  if (unit === undefined) return "less than a second ago";
  const count = Math.floor(ageMs / unit.lengthMs);
  return `${count} ${unit.name}${count === 1 ? "" : "s"} ago`;
}
