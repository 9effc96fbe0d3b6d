/** How often an application asked for a flag in an hour. */
export interface UsageEntry {
  readonly feature: string;
  readonly appName: string;
  readonly environment: string;
  /** When the hour begins. */
  readonly hour: Date;
  readonly yes: number;
  readonly no: number;
  /** How often each variant was the answer. */
  readonly variants: ReadonlyMap<string, number>;
}
