import type { ApplicationUsage } from "../../upstream/usage/application-usage.ts";
import type { VisibleFlags } from "../access/visible-flags.ts";

/** Label of applications and flags that are not counted by name. */
const OTHER = "other";

/** Flags are archived and created again for years, and each one that is counted by name takes memory. */
const MAX_FLAGS = 10_000;

/** How often one flag was on and off, as one application reported it. */
interface Totals {
  readonly source: string;
  readonly flag: string;
  readonly application: string;
  yes: number;
  no: number;
}

/**
 * Counts the usage of each flag by each application, for Prometheus.
 *
 * NOTE: clients choose the names in reports. Only flags that exist and applications that the operator has
 * listed are counted by name, so that nobody can invent time series.
 */
export class FlagUsage {
  readonly #applications: ReadonlySet<string>;
  readonly #flags = new Set<string>();
  /** By source, then flag, then application. */
  readonly #totals = new Map<string, Map<string, Map<string, Totals>>>();

  /** @param applications the applications that are counted by name */
  constructor(applications: readonly string[]) {
    this.#applications = new Set(applications);
  }

  /** Returns the totals since the start. */
  totals(): readonly Readonly<Totals>[] {
    return [...this.#totals.values()].flatMap((ofSource) =>
      [...ofSource.values()].flatMap((ofFlag) => [...ofFlag.values()]),
    );
  }

  /** Counts a report for the source of flags. */
  count(visible: VisibleFlags, { appName, features }: ApplicationUsage): void {
    const source = visible.source.name;
    const application = this.#applications.has(appName) ? appName : OTHER;
    // NOTE: reads values by name, since creating a list of entries costs more than everything else here.
    for (const name of Object.keys(features)) {
      const usage = features[name];
      if (usage === undefined) continue;
      const isKnown = (visible.snapshot?.indexOf(name) ?? -1) >= 0;
      const flag = isKnown && this.#admits(`${source}\n${name}`) ? name : OTHER;
      const totals = this.#find(source, flag, application);
      totals.yes += Math.max(0, usage.yes);
      totals.no += Math.max(0, usage.no);
    }
  }

  #admits(flag: string): boolean {
    if (this.#flags.has(flag)) return true;
    if (this.#flags.size >= MAX_FLAGS) return false;
    this.#flags.add(flag);
    return true;
  }

  #find(source: string, flag: string, application: string): Totals {
    const ofSource = findOrAdd(this.#totals, source, () => new Map<string, Map<string, Totals>>());
    const ofFlag = findOrAdd(ofSource, flag, () => new Map<string, Totals>());
    return findOrAdd(ofFlag, application, () => ({ source, flag, application, yes: 0, no: 0 }));
  }
}

function findOrAdd<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const added = create();
  map.set(key, added);
  return added;
}
