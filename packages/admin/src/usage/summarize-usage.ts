import type { HourlyUsage } from "./read-feature-usage.ts";

/** Most applications for which hours without usage are filled in. */
const MAX_FILLED_APPLICATIONS = 100;

/**
 * The same usage with an entry for every hour of every application and environment in it: where
 * nothing was counted it says so.
 */
export function fillHours(
  feature: string,
  usage: readonly HourlyUsage[],
  hours: readonly Date[],
): readonly HourlyUsage[] {
  const appNames = distinct(usage.map(({ appName }) => appName)).slice(0, MAX_FILLED_APPLICATIONS);
  const environments = distinct(usage.map(({ environment }) => environment));
  const empty = hours.flatMap((timestamp) =>
    environments.flatMap((environment) =>
      appNames.map((appName): HourlyUsage => {
        return { featureName: feature, appName, environment, timestamp, yes: 0, no: 0 };
      }),
    ),
  );
  const byKey = new Map([...empty, ...usage].map((entry) => [keyOf(entry), entry]));
  return [...byKey.values()].toSorted((a, b) => a.timestamp.getTime() - b.timestamp.getTime());
}

/** What was counted in one hour, for each environment. */
export function sumByEnvironment(usage: readonly HourlyUsage[], hour: Date) {
  const inHour = usage.filter(({ timestamp }) => timestamp.getTime() === hour.getTime());
  return distinct(inHour.map(({ environment }) => environment)).map((environment) => {
    const ofEnvironment = inHour.filter((entry) => entry.environment === environment);
    return {
      environment,
      timestamp: hour,
      yes: sum(ofEnvironment.map(({ yes }) => yes)),
      no: sum(ofEnvironment.map(({ no }) => no)),
    };
  });
}

/** Names of the applications that asked, in order. */
export function namesOfApplications(usage: readonly HourlyUsage[]): readonly string[] {
  return distinct(usage.map(({ appName }) => appName));
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].toSorted();
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function keyOf({ appName, environment, timestamp }: HourlyUsage): string {
  return JSON.stringify([appName, environment, timestamp]);
}
