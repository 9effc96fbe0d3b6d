import type { FlagUsageTotals } from "../../metrics/usage-metrics.ts";
import type { ApplicationUsage } from "../../upstream/usage/application-usage.ts";
import type { VisibleFlags } from "../access/visible-flags.ts";

/** Label of applications and flags that are not counted by name. */
const OTHER = "other";

/**
 * Counts the usage of each flag by each application, for Prometheus.
 *
 * NOTE: clients choose the names in reports. Only flags that exist and applications that the operator has
 * listed are counted by name, so that nobody can invent time series.
 */
export class FlagUsage {
  readonly #applications: ReadonlySet<string>;
  readonly #totals = new Map<string, FlagUsageTotals>();

  /** @param applications the applications that are counted by name */
  constructor(applications: readonly string[]) {
    this.#applications = new Set(applications);
  }

  totals(): readonly Readonly<FlagUsageTotals>[] {
    return [...this.#totals.values()];
  }

  count(visible: VisibleFlags, { appName, features }: ApplicationUsage): void {
    const source = visible.source.name;
    const application = this.#applications.has(appName) ? appName : OTHER;
    // NOTE: reads values by name, since creating a list of entries costs more than everything else here.
    for (const name of Object.keys(features)) {
      const usage = features[name];
      if (usage === undefined) continue;
      const isKnown = (visible.snapshot?.indexOf(name) ?? -1) >= 0;
      const flag = isKnown ? name : OTHER;
      const totals = this.#find(source, flag, application);
      totals.yes += Math.max(0, usage.yes);
      totals.no += Math.max(0, usage.no);
    }
  }

  #find(source: string, flag: string, application: string): FlagUsageTotals {
    // NOTE: names that are reported do not contain U+0000.
    const key = `${source}\0${flag}\0${application}`;
    let totals = this.#totals.get(key);
    if (totals === undefined) {
      totals = { source, flag, application, yes: 0, no: 0 };
      this.#totals.set(key, totals);
    }
    return totals;
  }
}
