/** How long data is kept that would otherwise grow without limit. */
export interface Retention {
  /** Hours for which usage is kept, at least 48. */
  readonly usageHours: number;
  /** Days for which an application is kept that no longer registers or reports usage. */
  readonly applicationDays: number;
  /** Days for which events are kept; undefined: indefinitely. */
  readonly eventDays: number | undefined;
}

export const DEFAULT_RETENTION: Retention = {
  usageHours: 48,
  applicationDays: 30,
  eventDays: undefined,
};
